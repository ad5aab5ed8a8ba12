import { isDeepStrictEqual } from 'node:util';
import type { HttpResponse } from '../support/graph/running-graph.ts';

/** The part of a response that is the same from the one graph and through a router. */
interface Outcome {
  readonly data: unknown;
  /** Code and path of each error, in a fixed order. */
  readonly errors: readonly string[];
}

const outcomeOf = ({ data, errors = [] }: HttpResponse): Outcome => ({
  data: data ?? null,
  errors: errors.map(({ extensions, path = [] }) => `${extensions?.code} at ${path.join('.')}`).sort(),
});

/** Describes how the response of a router differs from that of the one graph; undefined if data, error codes and paths are equal. */
export function outcomeDifference(graph: HttpResponse, router: HttpResponse): string | undefined {
  const [expected, received] = [outcomeOf(graph), outcomeOf(router)];
  if (isDeepStrictEqual(received, expected)) return undefined;
  if (!isDeepStrictEqual(received.errors, expected.errors)) {
    const messages = router.errors?.map(({ message }) => message).join('; ');
    return `errors [${received.errors.join(', ')}] (${messages}) instead of [${expected.errors.join(', ')}]`;
  }
  return `data: ${firstDifference(expected.data, received.data, [])}`;
}

function firstDifference(expected: unknown, received: unknown, path: readonly string[]): string | undefined {
  if (isDeepStrictEqual(expected, received)) return undefined;
  if (isObject(expected) && isObject(received)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(received)])) {
      const difference = firstDifference(expected[key], received[key], [...path, key]);
      if (difference) return difference;
    }
  }
  const [wanted, got] = [expected, received].map((value) => JSON.stringify(value)?.slice(0, 200));
  return `${path.join('.')} is ${got} instead of ${wanted}`;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
