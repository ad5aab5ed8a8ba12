import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevnetError } from './devnet-error.ts';

/** Creates an empty directory for a part of the embedded network. The error names the part and the variable that selects the place. */
export function createTemporaryDirectory(prefix: string, part: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The ${part} cannot write temporary files to ${tmpdir()} (${code}). Set TMPDIR to a directory that it can write to.`;
    throw new DevnetError('BAD_USER_INPUT', message, { cause });
  }
}
