import { readFileSync, statSync } from 'node:fs';

/** Why a file cannot be used: the end of a sentence that starts with the file. */
export class InvalidJsonFile extends Error {}

/** Maximum size of a file. The token lists of large exchanges have 1 to 3 MiB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const READ_ERROR_REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
};

/** Reads a file of JSON synchronously. Throws InvalidJsonFile if it cannot be read, is larger than 16 MiB or is not JSON. */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    // Some editors write a byte order mark, which JSON does not allow.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new InvalidJsonFile('is not JSON', { cause });
  }
}

function readTextFile(path: string): string {
  try {
    const stat = statSync(path);
    // Reading a pipe or a device may never finish.
    if (!stat.isFile()) throw new InvalidJsonFile('cannot be read: it is not a regular file');
    if (stat.size > MAX_FILE_BYTES) throw new InvalidJsonFile(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof InvalidJsonFile) throw cause;
    throw new InvalidJsonFile(`cannot be read: ${readErrorReason(cause)}`, { cause });
  }
}

/** The reason of a failed read of a file or a folder. */
export function readErrorReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return READ_ERROR_REASONS[code] ?? code;
}
