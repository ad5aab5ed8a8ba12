import { openLive } from '../../../src/domains/chain/subscriptions/index.ts';
import type { Logs } from '../../../src/domains/chain/subscriptions/logs.ts';
import { type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import type { ViewSources } from '../../../src/snapshot/index.ts';
import type { StreamClient } from '../clients/stream-client.ts';
import { SimChain, type SimChainOptions } from '../simulator/chain.ts';
import type { SimBlock, SimLog } from '../simulator/view.ts';
import { type FeedWorldOptions, feedOver, until } from './feed.ts';

/** The chain's streams over the real follower and feed, before a simulated node of forty blocks. */
export async function liveOver(from: number, options: FeedWorldOptions & Partial<SimChainOptions> = {}) {
  const { bloom = 'real', keep = 10_000, ...rest } = options;
  const chain = new SimChain({ seed: from, bloom, keep });
  chain.mine(40);
  const { feed, node, follower } = await feedOver(chain, rest);
  // For transactions that are watched there is another world, in transaction-world.ts.
  const live = openLive({ feed, sources: {} as ViewSources });
  return {
    chain,
    feed,
    node,
    follower,
    live,
    /** Moves the chain, and resolves when the feed has heard of it. */
    async move(depth: number, length: number) {
      const change = chain.reorg(depth, length);
      await until(() => feed.head?.hash === chain.head.hash);
      return change;
    },
    /** Resolves when the logs of the head have been told. */
    reach: () => until(() => feed.logsHead?.hash === chain.head.hash),
  };
}

/** What a log is known by here: whether it comes or goes, its block and its index. */
export const nameOf = ({ blockHash, logIndex, removed }: SimLog): string => `${removed ? '-' : '+'}${blockHash} ${logIndex}`;

/** The logs of blocks as they come. */
export const comingOf = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) => block.logs.filter((log) => matchesFilter(log, filter))).map(nameOf);

/** Of blocks that are newest first, the logs as they go. */
export const goingOf = (blocks: readonly SimBlock[], filter: LogFilter = {}): string[] =>
  blocks.flatMap((block) =>
    [...block.logs]
      .reverse()
      .filter((log) => matchesFilter(log, filter))
      .map((log) => nameOf({ ...log, removed: true })),
  );

export const heardBy = ({ events }: StreamClient<Logs>): string[] =>
  events.map(({ root }) => nameOf(root.logs as unknown as SimLog));

/** The blocks from one, without it, up to a descendant of it. */
export function lineFrom(start: SimBlock, head: SimBlock): SimBlock[] {
  const line: SimBlock[] = [];
  for (let block = head; block !== start; block = block.parent!) line.unshift(block);
  return line;
}
