import { createHash } from 'node:crypto';
import type { FormattedExecutionResult, OperationDefinitionNode } from 'graphql';
import { JsonText } from '../graphql/executor/index.ts';
import type { SourceEventBatch, SourceStream, SourceStreamListener } from '../graphql/stream.ts';
import type { FollowedHead } from './head-wait.ts';

/** Whether an operation is a live query. */
export const isLiveQuery = ({ operation, directives }: OperationDefinitionNode): boolean =>
  operation === 'query' && directives !== undefined && directives.some(({ name }) => name.value === 'live');

/** The stream of a live query, which registers itself in `ends`: an event without a value for the current head, and for each new one. The query is executed over it, at that block. */
export function liveStream(follower: FollowedHead, ends: Set<SourceStreamListener['end']>): SourceStream {
  const batchOf = (block: string | undefined): SourceEventBatch => [{ root: undefined, block, isLive: true }];
  const readFirst = async function* (batch: SourceEventBatch) {
    yield batch;
  };
  return {
    subscribe({ next, end }) {
      let last = follower.head?.hash;
      const unsubscribe = follower.onFreshHead(() => {
        const hash = follower.head?.hash;
        if (hash === undefined || hash === last) return;
        last = hash;
        next(batchOf(hash));
      });
      ends.add(end);
      return () => {
        ends.delete(end);
        unsubscribe();
      };
    },
    backlog: () => readFirst(batchOf(follower.head?.hash)),
  };
}

/** Equal for results with equal data and errors, whichever block they were read at. */
export function digestOf({ data, errors = [] }: FormattedExecutionResult): string {
  const digest = createHash('sha256');
  for (const chunk of data instanceof JsonText ? data.chunks : [JSON.stringify(data)]) digest.update(chunk);
  const failures = errors.map(({ path, message, extensions }) => [path, message, extensions?.code]);
  return digest.update(JSON.stringify(failures)).digest('base64');
}
