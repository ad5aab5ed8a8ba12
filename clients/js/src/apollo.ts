import { ApolloLink, type FieldReadFunction, HttpLink, Observable, type TypePolicies } from '@apollo/client';
import { identifiedTypes, identityOf } from './cache-keys.ts';
import type { Document } from './documents.ts';
import { followResults, type ResumeOptions } from './follow.ts';
import { type SubscriptionClient, SubscriptionError } from './results.ts';
import { createEventStreamClient } from './sse.ts';

export { possibleTypes } from './cache-keys.ts';

export interface GraphLinkOptions extends ResumeOptions {
  /** URL of the graph: `https://host/graphql`. */
  readonly url: string;
  /** Headers of queries, mutations and event streams. */
  readonly headers?: Record<string, string> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The client of subscriptions, for example `createWebSocketClient`. Event streams by default. */
  readonly subscriptions?: SubscriptionClient | undefined;
}

/**
 * Creates a terminating link: queries and mutations over HTTP, subscriptions over a client that resumes them. A subscription that passes its
 * variable `$after` to the argument `after` loses and repeats no event.
 */
export function createGraphLink({ url, headers, fetch, subscriptions, ...follow }: GraphLinkOptions): ApolloLink {
  const http = new HttpLink({ uri: url, ...(headers && { headers }), ...(fetch && { fetch }) });
  const client = subscriptions ?? createEventStreamClient({ url, headers, fetch });
  return ApolloLink.split(({ operationType }) => operationType === 'subscription', createSubscriptionLink(client, follow), http);
}

/**
 * Number of events after which the cache is cleaned. Each event replaces the objects of the event before, which nothing
 * in the cache refers to any more: the id of an account contains its block.
 */
const EVENTS_PER_CLEANING = 50;

/** Creates the link of subscriptions alone. It removes unreachable objects from the cache, so that a page that stays open does not fill it. */
export const createSubscriptionLink = (client: SubscriptionClient, options: ResumeOptions = {}): ApolloLink =>
  new ApolloLink(
    ({ query, variables, operationName, client: { cache } }) =>
      new Observable((observer) => {
        const { after, ...others } = variables as { after?: string | null };
        const results = followResults(client, {
          ...options,
          query: query as Document<unknown, Record<string, unknown>>,
          variables: others,
          operationName,
          after: after ?? undefined,
        });
        const forward = async () => {
          let events = 0;
          for await (const result of results) {
            observer.next(result as ApolloLink.Result);
            events += 1;
            if (events % EVENTS_PER_CLEANING === 0) cache.gc();
          }
          observer.complete();
        };
        forward().catch((error) => {
          if (!(error instanceof SubscriptionError)) return observer.error(error);
          // Apollo Client reports the errors of a result as CombinedGraphQLErrors.
          observer.next({ data: null, errors: error.errors } as ApolloLink.Result);
          observer.complete();
        });
        return () => void results.return?.();
      }),
  );

const identifiedBy = (type: string) => ({
  keyFields: (object: Readonly<Record<string, unknown>>, { readField }: { readField?: unknown }) => {
    const identity = identityOf(type, (field) => (typeof readField === 'function' ? readField(field, object) : object[field]));
    return identity === null ? (false as const) : `${type}:${identity}`;
  },
});

/** Reads an object by the argument `hash` from the cache. A result of null stays null. */
const readByHash =
  (type: string): FieldReadFunction =>
  (existing, { args, toReference }) =>
    existing === undefined && typeof args?.hash === 'string'
      ? toReference({ __typename: type, id: args.hash.toLowerCase() })
      : existing;

/**
 * Type policies of Apollo Client. An object is stored under its `id`, a chain under its `chainID`, receipts and tokens under their hash and address,
 * each with its `chainId` where that is selected. `Service` and `Network` are merged, because each is one object of its chain. A block by hash and a
 * transaction are read from the cache if it has them.
 */
export const typePolicies = {
  ...Object.fromEntries(identifiedTypes.map((type) => [type, identifiedBy(type)])),
  Network: { merge: true },
  Service: { merge: true },
  Query: {
    fields: {
      block: readByHash('Block'),
      transaction: readByHash('Transaction'),
    },
  },
} satisfies TypePolicies;
