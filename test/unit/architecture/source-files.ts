import { readdirSync, readFileSync, statSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);
const SRC = new URL('src/', ROOT);

const SKIPPED_FOLDERS: readonly string[] = ['node_modules', 'dist', 'generated'];

/** The files below a folder (`src/`, relative to the repository) whose names have one of these endings; generated ones only on request. */
export function listFiles(folder: string, endings: readonly string[], withGenerated = false): string[] {
  return readdirSync(new URL(folder, ROOT)).flatMap((name) => {
    const path = `${folder}${name}`;
    if (statSync(new URL(path, ROOT)).isDirectory()) {
      const isSkipped = SKIPPED_FOLDERS.includes(name) && !(withGenerated && name === 'generated');
      return isSkipped ? [] : listFiles(`${path}/`, endings, withGenerated);
    }
    return endings.some((ending) => name.endsWith(ending)) ? [path] : [];
  });
}

/** A file of the repository as text. */
export const readSource = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** All sources of `src`, as paths relative to it. */
export const sourcePaths: readonly string[] = listFiles('src/', ['.ts'], true).map((path) => path.slice('src/'.length));

/** The text of a source of `src`. */
export const sourceText = (path: string): string => readSource(`src/${path}`);

/** Every relative import of a source, as a path relative to the folder of all sources. Type imports and dynamic imports count. */
export const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) =>
    new URL(target!, new URL(path, SRC)).pathname.slice(SRC.pathname.length),
  );
