import { readFileSync } from 'node:fs';

const READ_ERROR_REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/**
 * Reads a file of JSON synchronously. Throws the error that `errorOf` returns if the file cannot be read or is not
 * JSON; `problem` is the end of a sentence that starts with the file.
 */
export function readJsonFile(path: string, errorOf: (problem: string, cause?: unknown) => Error): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw errorOf(`cannot be read: ${readErrorReason(cause)}`, cause);
  }
  try {
    // Some editors write a byte order mark, which JSON does not allow.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw errorOf('is not JSON', cause);
  }
}

/** The place of a value in JSON, such as `tokens[1].name`; empty for the whole. */
export const locationOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

/** The reason of a failed read of a file or a folder. */
export function readErrorReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return READ_ERROR_REASONS[code] ?? code;
}
