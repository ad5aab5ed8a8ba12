import { readdirSync, readFileSync } from 'node:fs';

/** One recorded call of a method. */
export interface Vector {
  readonly name: string;
  readonly params: readonly any[];
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Reads the recorded calls of a method. */
export function vectorsOf(method: string): readonly Vector[] {
  const folder = new URL(`${method}/`, import.meta.url);
  return readdirSync(folder).map((file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    const json = (prefix: string) => JSON.parse(lines.find((line) => line.startsWith(prefix))!.slice(prefix.length));
    const { params = [] } = json('>> ');
    const { result, error } = json('<< ');
    return { name: file.replace(/\.io$/, ''), params, result, error };
  });
}
