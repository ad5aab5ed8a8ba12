import type { RouterResponse } from './router-processes.ts';

type Path = readonly (string | number)[];
type GraphError = NonNullable<RouterResponse['errors']>[number];

/** What a router is known to do with errors. */
export interface RouterTolerance {
  /** Formats the path of an error. Errors with equal codes and formatted paths count once. */
  readonly pathOf?: (path: Path) => string;
  /** Whether an error of another field of an object may replace the error that made the object null. */
  readonly replacesErrorsBelowNull?: boolean;
}

/**
 * Describes how the response of a router differs from the response of the one graph; undefined if data, error codes and paths
 * are equal. A router need not report all errors below an object that is null, and may report others.
 */
export function outcomeDifference(
  graph: RouterResponse,
  router: RouterResponse,
  { pathOf = (path: Path) => path.join('.'), replacesErrorsBelowNull = false }: RouterTolerance = {},
): string | undefined {
  const expected = graph.data ?? null;
  const format = ({ path = [], extensions }: GraphError) => `${extensions?.code} at ${pathOf(path)}`;
  const nullAt = ({ path = [] }: GraphError) => pathOf(path.slice(0, nullDepth(expected, path)));
  const isBelowNull = ({ path = [] }: GraphError) => nullDepth(expected, path) < path.length;
  const possible = new Set(graph.errors?.map(format));
  const unexpected = router.errors?.find((error) => !possible.has(format(error)) && !isBelowNull(error));
  if (unexpected) return `unexpected error ${format(unexpected)}: ${unexpected.message}`;
  const reported = router.errors?.filter((error) => possible.has(format(error))) ?? [];
  const texts = new Set(reported.map(format));
  const nulls = new Set((replacesErrorsBelowNull ? router.errors : reported)?.map(nullAt));
  const missing = graph.errors?.find((error) => (isBelowNull(error) ? !nulls.has(nullAt(error)) : !texts.has(format(error))));
  if (missing) return `no error ${format(missing)}`;
  return firstDifference(expected, router.data ?? null, []);
}

/** The length of the path prefix that is not null, including a null at its end. */
function nullDepth(data: unknown, path: Path): number {
  let value = data;
  let depth = 0;
  for (; depth < path.length && value !== null && value !== undefined; depth++) value = (value as any)[path[depth]!];
  return depth;
}

function firstDifference(expected: unknown, received: unknown, path: Path): string | undefined {
  if (isObject(expected) && isObject(received) && Array.isArray(expected) === Array.isArray(received)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(received)])) {
      const difference = firstDifference(expected[key], received[key], [...path, key]);
      if (difference) return difference;
    }
    return undefined;
  }
  if (expected === received) return undefined;
  const [wanted, got] = [expected, received].map((value) => JSON.stringify(value)?.slice(0, 200));
  return `${path.join('.')} is ${got} instead of ${wanted}`;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
