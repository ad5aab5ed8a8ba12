import { type Exchange, subscriptionExchange } from '@urql/core';
import { embeddedTypes, identifiedTypes, identityOf } from './cache-keys.ts';
import { followResults, type ResumeOptions } from './follow.ts';
import { type SubscriptionClient, SubscriptionError } from './results.ts';

/**
 * Creates the exchange of subscriptions of urql. A subscription that passes its variable `$after` to the argument `after` loses and repeats no
 * event after a lost connection. An error such as CURSOR_EXPIRED is in `graphQLErrors`.
 */
export const graphSubscriptionExchange = (client: SubscriptionClient, options: ResumeOptions = {}): Exchange =>
  subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe(observer) {
        const { after, ...others } = (variables ?? {}) as { after?: string | null };
        const results = followResults(client, { ...options, query, variables: others, after: after ?? undefined });
        const forward = async () => {
          for await (const result of results) observer.next(result as Parameters<typeof observer.next>[0]);
          observer.complete();
        };
        forward().catch((error) => observer.error(error instanceof SubscriptionError ? error.errors : error));
        return { unsubscribe: () => void results.return?.() };
      },
    }),
  });

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
