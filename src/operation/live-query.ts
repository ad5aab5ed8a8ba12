import { createHash } from 'node:crypto';
import type { FormattedExecutionResult, OperationDefinitionNode } from 'graphql';
import { JsonText } from '../graphql/executor/index.ts';
import type { SourceEventBatch, SourceStream, SourceStreamListener } from '../graphql/stream.ts';
import type { FollowedHead } from './head-wait.ts';

/** Whether an operation is a live query. */
export const isLiveQuery = ({ operation, directives }: OperationDefinitionNode): boolean =>
  operation === 'query' && directives !== undefined && directives.some(({ name }) => name.value === 'live');

/**
 * The stream of a live query, which registers itself in `ends`: an event without a value for the current head of the default chain, whose follower is the first
 * one, and for each new head of one of the chains. The query is executed over it, at that block of the default chain.
 */
export function liveStream(
  followers: readonly [FollowedHead, ...FollowedHead[]],
  ends: Set<SourceStreamListener['end']>,
): SourceStream {
  const batch = (): SourceEventBatch => [{ root: undefined, block: followers[0].head?.hash, isLive: true }];
  const readFirst = async function* (first: SourceEventBatch) {
    yield first;
  };
  return {
    subscribe({ next, end }) {
      const unsubscribes = followers.map((follower) => {
        let last = follower.head?.hash;
        return follower.onFreshHead(() => {
          const hash = follower.head?.hash;
          if (hash === undefined || hash === last) return;
          last = hash;
          next(batch());
        });
      });
      ends.add(end);
      return () => {
        ends.delete(end);
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
    backlog: () => readFirst(batch()),
  };
}

/** Equal for results with equal data and errors, whichever block they were read at. */
export function digestOf({ data, errors = [] }: FormattedExecutionResult): string {
  const digest = createHash('sha256');
  for (const chunk of data instanceof JsonText ? data.chunks : [JSON.stringify(data)]) digest.update(chunk);
  const failures = errors.map(({ path, message, extensions }) => [path, message, extensions?.code]);
  return digest.update(JSON.stringify(failures)).digest('base64');
}
