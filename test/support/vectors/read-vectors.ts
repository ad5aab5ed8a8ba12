import { readdirSync, readFileSync } from 'node:fs';

/** One recorded call of a method. */
export interface Vector {
  readonly name: string;
  readonly params: readonly any[];
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Reads the recorded calls of a method: one or several of each file. */
export function vectorsOf(method: string): readonly Vector[] {
  const folder = new URL(`${method}/`, import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    const json = (prefix: string) =>
      lines.filter((line) => line.startsWith(prefix)).map((line) => JSON.parse(line.slice(prefix.length)));
    const responses = json('<< ');
    return json('>> ').map(({ params = [] }, i) => ({
      name: file.replace(/\.io$/, ''),
      params,
      result: responses[i].result,
      error: responses[i].error,
    }));
  });
}
