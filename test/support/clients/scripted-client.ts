import type { GraphResult, SubscriptionClient } from '../../../clients/js/src/index.ts';

/**
 * Creates a client whose subscriptions play one script each: it yields results, throws what is no result, and a script ends with a lost
 * connection. A subscription without a script waits.
 */
export function scriptedClient(...scripts: unknown[][]) {
  const variables: unknown[] = [];
  const queries: string[] = [];
  let returned = 0;
  const client: SubscriptionClient = {
    iterate(request) {
      queries.push(request.query);
      const script = scripts[variables.push(request.variables) - 1];
      const iterator: AsyncIterableIterator<GraphResult> = {
        async next() {
          if (!script) return new Promise<never>(() => {});
          if (script.length === 0) throw new Error('connection lost');
          const step = script.shift();
          if (step === 'complete') return { done: true, value: undefined };
          if (typeof step === 'object' && step !== null && 'data' in step) return { done: false, value: step as GraphResult };
          throw step;
        },
        return: async () => {
          returned += 1;
          return { done: true, value: undefined };
        },
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
  return { client, variables, queries, returned: () => returned };
}
