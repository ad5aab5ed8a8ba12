import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { type CanonicalChain, medianBlockTimeMs } from '../chain/canonical-chain.ts';
import { readHead } from '../chain/rpc-header.ts';
import type { Follower } from './follower.ts';
import { blockCall } from './rpc-queries.ts';

/** Number of blocks between two reads: an epoch of Ethereum, which finalizes whole epochs. */
const READ_INTERVAL_BLOCKS = 32;

/**
 * Starts to track the height of the node's final block, with a read after the first head and then every 32 blocks, so
 * that no operation has to request the final block. Source: `eth_getBlockByNumber`, over the connection that reported
 * the head.
 */
export function trackFinalizedHeight(follower: Pick<Follower, 'head' | 'subscribe'>) {
  const controller = new AbortController();
  let value = -1;
  let blocksUntilRead = 0;
  let gaps = 0;

  const read = async (source: RpcSender): Promise<void> => {
    // The head before the request: the chain may grow until the response arrives.
    const { head } = follower;
    const gapsBefore = gaps;
    const [outcome] = await source.send([blockCall('finalized')], controller.signal);
    const final = outcome && 'result' in outcome ? readHead(outcome.result) : undefined;
    // The block may belong to the chain before the gap.
    if (!final || !head || gaps !== gapsBefore) return;
    // A node that returns its head, as development nodes do, has no finality: a reorg may still remove that block.
    if (final.height < head.height) value = Math.max(value, final.height);
  };

  const unsubscribe = follower.subscribe(({ added, hasGap }, source) => {
    if (hasGap) {
      // A developer may have replaced the chain.
      value = -1;
      gaps += 1;
      blocksUntilRead = 0;
    } else blocksUntilRead -= added.length;
    if (blocksUntilRead > 0) return;
    blocksUntilRead = READ_INTERVAL_BLOCKS;
    // After a failure the value stays lower, which only shortens the ages of responses.
    read(source).catch(() => {});
  });

  return {
    /** Blocks up to this height never change. -1 while it is unknown, and on a chain without finality. */
    get value(): number {
      return value;
    },
    stop(): void {
      unsubscribe();
      controller.abort();
    },
  };
}

/** Block time of Ethereum. Bounds the age of responses on a chain that mines on demand, whose median block time predicts nothing. */
const MAX_BLOCK_TIME_MS = 12_000;

/** Creates the prediction of the next head. */
export function createHeadSchedule(follower: Pick<Follower, 'window' | 'subscribe'>) {
  /** Time at which the next head is due: computed once for each head, not for each response. */
  let expectedAt: number;
  const expectNext = (): void => {
    expectedAt = performance.now() + (follower.window ? expectedBlockTimeMs(follower.window) : 0);
  };
  expectNext();
  follower.subscribe(expectNext);
  return {
    /**
     * The largest number of whole seconds that end before the next head is expected; 0 if the head is due, or the block
     * time is unknown.
     */
    get secondsToNextHead(): number {
      return Math.max(0, Math.ceil((expectedAt - performance.now()) / 1_000) - 1);
    },
  };
}

/**
 * Returns the median block time, or the last interval if the last interval is shorter, because the chain may have
 * become faster; at most MAX_BLOCK_TIME_MS. 0 if the block time is unknown.
 */
function expectedBlockTimeMs(window: CanonicalChain): number {
  const median = medianBlockTimeMs(window);
  const last = medianBlockTimeMs(window.slice(-2) as unknown as CanonicalChain);
  return median === undefined || last === undefined ? 0 : Math.min(median, last, MAX_BLOCK_TIME_MS);
}
