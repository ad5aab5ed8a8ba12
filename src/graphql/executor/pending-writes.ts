import { type FieldNode, locatedError } from 'graphql';
import type { ExecutionContext, SelectedField, ValueWriter } from './compiled-field.ts';
import type { JsonChunks, PendingWrite, Placeholder } from './json-chunks.ts';
import { pathKeys, type ResultPath } from './result-path.ts';

/** Null as JSON text. */
export const NULL = 'null';

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Writes the value of a promise into a placeholder once it resolves; null on an error, unless the type is non-null. */
export function writeWhenResolved(
  value: PromiseLike<unknown>,
  write: ValueWriter,
  run: ExecutionContext,
  path: ResultPath,
  out: JsonChunks,
  { nodes }: SelectedField,
  isNonNull: boolean,
): Promise<unknown> {
  const placeholder: Placeholder = { chunks: [] };
  out.push(placeholder);
  const fail = (error: unknown): void => {
    recordError(error, nodes, path, isNonNull, run);
    placeholder.chunks = [NULL];
  };
  return (value instanceof Promise ? value : Promise.resolve(value)).then((resolved) => {
    try {
      return write(resolved, run, path, placeholder.chunks)?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }, fail);
}

/** Moves the chunks from index `start` into a placeholder, so that a rejection of `pending` can still replace them by null. */
export function nullOnRejection(
  pending: Promise<unknown>,
  start: number,
  out: JsonChunks,
  { nodes }: SelectedField,
  path: ResultPath,
  isNonNull: boolean,
  run: ExecutionContext,
): Promise<unknown> {
  const placeholder = { chunks: out.splice(start) };
  out.push(placeholder);
  return pending.catch((error) => {
    recordError(error, nodes, path, isNonNull, run);
    placeholder.chunks = [NULL];
  });
}

/** Replaces the chunks from index `start` by null. */
export function replaceWithNull(out: JsonChunks, start: number): void {
  out.length = start;
  out.push(NULL);
}

/** Records an error of a nullable value; throws it for a non-null type, so that it propagates to the parent. */
export function recordError(
  raw: unknown,
  nodes: readonly FieldNode[],
  path: ResultPath,
  isNonNull: boolean,
  run: ExecutionContext,
): void {
  const error = locatedError(raw, nodes, pathKeys(path));
  if (isNonNull) throw error;
  run.errors.push(error);
}

/** Adds a pending write to a list. Creates the list for the first one, because most values are written synchronously. */
export function addPendingWrite(writes: Promise<unknown>[] | undefined, pending: PendingWrite): Promise<unknown>[] | undefined {
  if (!pending) return writes;
  if (!writes) return [pending];
  writes.push(pending);
  return writes;
}

/** Handles the rejections of promises that are not awaited any more, and of the promises that they resolve with. */
export function ignoreRejections(values: unknown): void {
  if (!Array.isArray(values)) return;
  for (const value of values) {
    if (isPromise(value)) Promise.resolve(value).then(ignoreRejections, () => {});
    else ignoreRejections(value);
  }
}
