import { readFileSync, statSync } from 'node:fs';

/** Maximum size of a file. The token lists of large exchanges have 1 to 3 MiB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const READ_ERROR_REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
};

/**
 * Reads a file of JSON synchronously. Throws what `errorOf` returns if the file cannot be read, is larger than 16 MiB or is not JSON; `problem` is
 * the end of a sentence that starts with the file.
 */
export function readJsonFile(path: string, errorOf: (problem: string, cause?: unknown) => Error): unknown {
  let text: string | undefined;
  let bytes = 0;
  try {
    const stat = statSync(path);
    bytes = stat.size;
    // Reading a pipe or a device may never finish.
    if (stat.isFile()) text = bytes > MAX_FILE_BYTES ? '' : readFileSync(path, 'utf8');
  } catch (cause) {
    throw errorOf(`cannot be read: ${readErrorReason(cause)}`, cause);
  }
  if (text === undefined) throw errorOf('cannot be read: it is not a regular file');
  if (bytes > MAX_FILE_BYTES) throw errorOf(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  try {
    // Some editors write a byte order mark, which JSON does not allow.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw errorOf('is not JSON', cause);
  }
}

/** The reason of a failed read of a file or a folder. */
export function readErrorReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return READ_ERROR_REASONS[code] ?? code;
}
