import { createChainSubscriptions } from '../../../src/domains/chain/subscriptions/index.ts';
import type { LogsRoot } from '../../../src/domains/chain/subscriptions/logs.ts';
import { type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import type { SnapshotSources } from '../../../src/snapshot/index.ts';
import type { StreamSubscriber } from '../clients/stream-subscriber.ts';
import { SimChain, type SimChainOptions } from '../simulator/chain.ts';
import type { SimBlock, SimLog } from '../simulator/view.ts';
import { type FeedSetupOptions, pollUntil, startFeed } from './feed-setup.ts';

/** The chain's streams over the real follower and feed, before a simulated node of forty blocks. */
export async function startLiveStreams(from: number, options: FeedSetupOptions & Partial<SimChainOptions> = {}) {
  const { bloom = 'real', maxOrphans = 10_000, ...rest } = options;
  const chain = new SimChain({ seed: from, bloom, maxOrphans });
  chain.mine(40);
  const { feed, node, follower } = await startFeed(chain, rest);
  // For transactions that are watched there is another world, in transaction-world.ts.
  const live = createChainSubscriptions({ feed, snapshotSources: {} as SnapshotSources });
  return {
    chain,
    feed,
    node,
    follower,
    live,
    /** Moves the chain, and resolves when the feed has heard of it. */
    async move(depth: number, length: number) {
      const change = chain.reorg(depth, length);
      await pollUntil(() => feed.head?.hash === chain.head.hash);
      return change;
    },
    /** Resolves when the logs of the head have been told. */
    waitForLogs: () => pollUntil(() => feed.logsHead?.hash === chain.head.hash),
  };
}

/** What a log is known by here: whether it comes or goes, its block and its index. */
export const logLabel = ({ blockHash, logIndex, removed }: SimLog): string => `${removed ? '-' : '+'}${blockHash} ${logIndex}`;

/** The logs of blocks as they come. */
export const addedLogLabels = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) => block.logs.filter((log) => matchesFilter(log, filter))).map(logLabel);

/** Of blocks that are newest first, the logs as they go. */
export const removedLogLabels = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) =>
    [...block.logs]
      .reverse()
      .filter((log) => matchesFilter(log, filter))
      .map((log) => logLabel({ ...log, removed: true })),
  );

export const receivedLogLabels = ({ events }: StreamSubscriber<LogsRoot>): string[] =>
  events.map(({ root }) => logLabel(root.logs as unknown as SimLog));

/** The blocks from one, without it, up to a descendant of it. */
export function blocksAfter(start: SimBlock, head: SimBlock): SimBlock[] {
  const line: SimBlock[] = [];
  for (let block = head; block !== start; block = block.parent!) line.unshift(block);
  return line;
}
