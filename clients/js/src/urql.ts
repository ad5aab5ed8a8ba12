import { composeExchanges, type Exchange, makeResult, mapExchange, type OperationResult, subscriptionExchange } from '@urql/core';
import { embeddedTypes, identifiedTypes, identityOf } from './cache-keys.ts';
import { type FollowedResult, followResults, type ResumeOptions } from './follow.ts';
import { type SubscriptionClient, SubscriptionError } from './results.ts';

export { possibleTypes } from './cache-keys.ts';

/**
 * Creates the exchange of subscriptions of urql. A subscription that passes its variable `$after` to the argument `after` loses and repeats no
 * event after a lost connection. An error such as CURSOR_EXPIRED is in `graphQLErrors`.
 */
export const graphSubscriptionExchange = (client: SubscriptionClient, options: ResumeOptions = {}): Exchange => {
  /** The event that is being passed on. */
  let current: { readonly key: number; readonly event: FollowedResult<unknown> } | undefined;
  const pass = (key: number, event: FollowedResult<unknown> | undefined, run: () => void) => {
    const outer = current;
    current = event && { key, event };
    try {
      run();
    } finally {
      current = outer;
    }
  };
  const subscriptions = subscriptionExchange({
    forwardSubscription: ({ query = '', variables }, { key }) => ({
      subscribe(observer) {
        const { after, ...others } = (variables ?? {}) as { after?: string | null };
        const results = followResults(client, { ...options, query, variables: others, after: after ?? undefined });
        const forward = async () => {
          let last: FollowedResult<unknown> | undefined;
          for await (const result of results) {
            last = result;
            pass(key, result, () => observer.next(result as Parameters<typeof observer.next>[0]));
          }
          pass(key, last && { ...last, ...{ hasNext: false } }, () => observer.complete());
        };
        forward().catch((error) => observer.error(error instanceof SubscriptionError ? error.errors : error));
        return { unsubscribe: () => void results.return?.() };
      },
    }),
  });
  // urql merges the events of a subscription: an event would have the errors of an earlier one, and its data where it has none.
  const onResult = (result: OperationResult) =>
    current?.key === result.operation.key
      ? makeResult(result.operation, current.event as Parameters<typeof makeResult>[1])
      : result;
  return composeExchanges([mapExchange({ onResult }), subscriptions]);
};

type KeyOf = (data: Readonly<Record<string, unknown>>) => string | null;

/**
 * `keys` of the normalized cache of urql (`@urql/exchange-graphcache`), one for each object type. An object whose identifying field is not
 * selected belongs to its parent. Do not rename `id`, `chainId`, `chainID` of a chain, `address` of a token or
 * `transactionHash` of a receipt with an alias.
 */
export const keys: Readonly<Record<string, KeyOf>> = Object.fromEntries([
  ...identifiedTypes.map(
    (type) => [type, (data: Readonly<Record<string, unknown>>) => identityOf(type, (field) => data[field])] as const,
  ),
  ...embeddedTypes.map((type) => [type, () => null] as const),
]);
