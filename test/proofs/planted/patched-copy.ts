import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A change of one source file, which a text names. */
export interface FaultyPatch {
  readonly find: string;
  readonly replace: string;
}

/** Copies the repository to a temporary folder, in which faulty patches are applied one at a time. */
export function createPatchedCopy() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  const sources = files.filter((file) => /^src\/.*\.ts$/.test(file));
  const folder = mkdtempSync(join(tmpdir(), 'grimoire-patched-'));
  for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    /** The source files that contain the text of a patch: it applies only to a single one. */
    filesOf: ({ find }: FaultyPatch) => sources.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes(find)),
    /** Applies a patch to a file, and returns a function that restores the file. */
    apply(file: string, { find, replace }: FaultyPatch): () => void {
      const text = readFileSync(join(ROOT, file), 'utf8');
      writeFileSync(
        join(folder, file),
        text.replace(find, () => replace),
      );
      return () => writeFileSync(join(folder, file), text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
