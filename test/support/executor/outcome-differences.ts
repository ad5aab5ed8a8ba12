import type { ErrorSummary, ExecutionOutcome } from './differential-execution.ts';

/**
 * Returns the differences between two outcomes that the GraphQL specification does not allow. When a non-null field fails, its nearest
 * nullable ancestor is null, and an executor may cancel the other fields below that ancestor: the errors there may differ, but there is at least
 * one. All other errors are equal.
 */
export function outcomeDifferences(ours: ExecutionOutcome, theirs: ExecutionOutcome): string[] {
  if (ours.text !== theirs.text) return ['data'];
  const data: unknown = JSON.parse(ours.text);
  const [own, reference] = [ours, theirs].map(({ errors }) => new Set(errors.map((error) => errorText(data, error))));
  const differences = [...own!].filter((error) => !reference!.has(error)).map((error) => `unexpected error: ${error}`);
  differences.push(...[...reference!].filter((error) => !own!.has(error)).map((error) => `missing error: ${error}`));
  const paths = ours.errors.map(({ path }) => path?.join('.'));
  if (new Set(paths).size < paths.length) differences.push('two errors of one path');
  return differences;
}

/** An error at a null, as text; for an error below a null, only the path of the null. */
function errorText(data: unknown, { message, path = [], locations }: ErrorSummary): string {
  const depth = nullDepth(data, path);
  if (depth < path.length) return `below ${path.slice(0, depth).join('.')}`;
  // The executor has its own message for a value without a type.
  return `${path.join('.')} ${NO_TYPE.test(message) ? 'no type' : message} ${locations}`;
}

const NO_TYPE = /^(Abstract type "|Runtime Object type "|Cannot determine the type of a value of )/;

/** The length of the path prefix that is not null. */
function nullDepth(data: unknown, path: readonly (string | number)[]): number {
  let at = data;
  let depth = 0;
  for (; depth < path.length && at !== null && at !== undefined; depth++) at = (at as Record<string, unknown>)[path[depth]!];
  return depth;
}
