import { type ChainService, createChainLoaders } from '../../../src/domains/chain/load.ts';
import type { LogsRoot } from '../../../src/domains/chain/subscriptions/log-events.ts';
import { type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { createEventReads } from '../../../src/snapshot/event-reads.ts';
import { Snapshot, type SnapshotSources } from '../../../src/snapshot/index.ts';
import type { ChainFeed } from '../../../src/sync/feed.ts';
import type { StreamSubscriber } from '../clients/stream-subscriber.ts';
import { NO_STREAMS } from '../graph/no-streams.ts';
import { SimChain, type SimChainOptions } from '../simulator/chain.ts';
import type { SimBlock, SimLog } from '../simulator/view.ts';
import { type FeedSetupOptions, pollUntil, startFeed } from './feed-setup.ts';

/** An operation that subscribes, without a budget. */
export const subscribingOperation = (changes: Partial<Operation> = {}): Operation => ({
  ...{ requestId: 'test', signal: new AbortController().signal, extensions: {}, dependencies: new ResponseDependencies() },
  ...changes,
});

/** The streams over a feed, whose past events are read from a node. */
export function createStreams(feed: ChainFeed, snapshotSources: SnapshotSources) {
  const createLoaders = createChainLoaders({
    streams: NO_STREAMS,
    ...{ maxBlocks: 100, maxLogs: 10_000, service: {} as ChainService, subscriptionSources: { feed, snapshotSources } },
  });
  return createLoaders(new Snapshot(snapshotSources, subscribingOperation())).subscriptions;
}

/** Starts the chain's subscription streams over the real follower and feed, and a simulated node with forty blocks, unless `blocks` says otherwise. */
export async function startLiveStreams(from: number, options: FeedSetupOptions & Partial<SimChainOptions> = {}) {
  const { bloom = 'real', maxOrphans = 10_000, blocks = 40, ...rest } = options;
  const chain = new SimChain({ seed: from, bloom, maxOrphans, blocks });
  const { feed, node, follower, upstream } = await startFeed(chain, rest);
  const live = createStreams(feed, { node: upstream, follower, eventReads: createEventReads(feed) });
  return {
    chain,
    feed,
    node,
    follower,
    live,
    /** Reorgs the chain; resolves when the feed has the new head. */
    async move(depth: number, length: number) {
      const change = chain.reorg(depth, length);
      await pollUntil(() => feed.head?.hash === chain.head.hash);
      return change;
    },
    /** Resolves when the feed has emitted the logs of the head. */
    waitForLogs: () => pollUntil(() => feed.logsHead?.hash === chain.head.hash),
  };
}

/** Label of a log: + or - for added or removed, its block and its index. */
export const logLabel = ({ blockHash, logIndex, removed }: SimLog): string => `${removed ? '-' : '+'}${blockHash} ${logIndex}`;

/** Labels of the logs of added blocks, in the order in which they are emitted. */
export const addedLogLabels = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) => block.logs.filter((log) => matchesFilter(log, filter))).map(logLabel);

/** Labels of the logs of removed blocks, newest block first, in the order in which they are emitted. */
export const removedLogLabels = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) =>
    [...block.logs]
      .reverse()
      .filter((log) => matchesFilter(log, filter))
      .map((log) => logLabel({ ...log, removed: true })),
  );

export const receivedLogLabels = ({ events }: StreamSubscriber<LogsRoot>): string[] =>
  events.map(({ root }) => logLabel(root.logs as unknown as SimLog));

/** The blocks after `start` up to its descendant `head`. */
export function blocksAfter(start: SimBlock, head: SimBlock): SimBlock[] {
  const line: SimBlock[] = [];
  for (let block = head; block !== start; block = block.parent!) line.unshift(block);
  return line;
}
