import { type FieldNode, type GraphQLLeafType, locatedError } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { type ExecutionContext, pathKeys, type ResultPath, type SelectedField, type ValueWriter } from './compiled-field.ts';
import type { JsonOutput, PendingWrite } from './json-output.ts';

/** Maximum number of errors in a response. Creating one takes 45 us, and those of one response are formatted at once. */
const MAX_ERRORS = 1_000;
const TOO_MANY_ERRORS = `More than ${MAX_ERRORS} fields failed. Request fewer items, or fewer fields of each.`;

/** Null as JSON text. */
export const NULL = 'null';

export const isNullish = (value: unknown): boolean => value === null || value === undefined;

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Creates the writer of a scalar or an enum. */
export function leafWriter(type: GraphQLLeafType): ValueWriter {
  const isPlain = type.extensions.plain === true;
  return (value, _run, _path, out) => {
    if (value instanceof Error) throw value;
    const serialized = type.serialize(value);
    if (isPlain) {
      out.text += `"${serialized}"`;
      return undefined;
    }
    const text = isNullish(serialized) ? undefined : JSON.stringify(serialized);
    if (text === undefined) throw new Error(`${type.name} cannot represent this value.`);
    out.text += text;
    return undefined;
  };
}

/** Writes the value of a promise into a nested output once it resolves; null on an error, unless the type is non-null. */
export function writeWhenResolved(
  value: PromiseLike<unknown>,
  write: ValueWriter,
  run: ExecutionContext,
  path: ResultPath,
  out: JsonOutput,
  { nodes }: SelectedField,
  isNonNull: boolean,
): Promise<unknown> {
  countText(out, run);
  const nested = out.nest();
  const fail = (error: unknown): void => {
    recordError(error, nodes, path, isNonNull, run);
    nested.setNull();
  };
  return (value instanceof Promise ? value : Promise.resolve(value)).then((resolved) => {
    try {
      run.budget?.throwIfExhausted();
      const pending = write(resolved, run, path, nested);
      countText(nested, run);
      return pending?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }, fail);
}

/** Moves the text from position `start` into a nested output, so that a rejection of `pending` can still replace it by null. */
export function nullOnRejection(
  pending: Promise<unknown>,
  start: number,
  out: JsonOutput,
  { nodes }: SelectedField,
  path: ResultPath,
  isNonNull: boolean,
  run: ExecutionContext,
): Promise<unknown> {
  const nested = out.nestFrom(start);
  return pending.catch((error) => {
    recordError(error, nodes, path, isNonNull, run);
    nested.setNull();
  });
}

/** Counts text to which nothing is appended any more, and which is too short to be encoded. Throws RESULT_TOO_LARGE. */
function countText({ text }: JsonOutput, { budget }: ExecutionContext): void {
  budget?.addResponseBytes(text.length);
  budget?.throwIfExhausted();
}

/** Replaces the text from position `start` by null. */
export function replaceWithNull(out: JsonOutput, start: number): void {
  out.truncate(start);
  out.text += NULL;
}

/**
 * Records an error of a nullable value; throws it for a non-null type, so that it propagates to the parent. Throws the error of an exhausted
 * budget, which ends the operation. Ends the operation above MAX_ERRORS.
 */
export function recordError(
  raw: unknown,
  nodes: readonly FieldNode[],
  path: ResultPath,
  isNonNull: boolean,
  run: ExecutionContext,
): void {
  const { budget, errors } = run;
  budget?.throwIfExhausted();
  run.failureCount += 1;
  // Mostly values of one list, which fails with the error of the first.
  if (isNonNull && run.failureCount > MAX_ERRORS) throw raw;
  const error = locatedError(raw, nodes, pathKeys(path));
  if (isNonNull) throw error;
  errors.push(error);
  if (errors.length <= MAX_ERRORS) return;
  budget?.end(new GraphError('RESULT_TOO_LARGE', TOO_MANY_ERRORS, { limit: MAX_ERRORS, actual: errors.length }));
  budget?.throwIfExhausted();
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
