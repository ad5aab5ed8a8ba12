import { type Quantity, quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import { searchTimestamp, type TimedBlock, type TimestampBounds } from '../../../ethereum/timestamp-search.ts';
import { GraphError } from '../../../lib/errors.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { RangeReads } from './range-reads.ts';

const timedBlock = ({ height, header }: Head): TimedBlock => ({ height, timestamp: toBigInt(header.timestamp) });

/**
 * Creates the reader of the height of the latest block at or before a time in seconds; null if the first block is later. Searches the headers
 * that the follower knows without a call, then the node's blocks. Rejects with HISTORY_PRUNED if the node has pruned the result, with
 * BLOCK_NOT_AVAILABLE if it returns null for it. Source: `eth_getBlockByNumber`, at most 25 times for 2^25 blocks, and once more for a pruned result.
 */
export function blockTimeReader({ snapshot, blocks }: RangeReads) {
  const { pin, follower, operation } = snapshot;

  /** The timestamp of a block, or the error for a pruned block: some nodes return null for it, or an error of their own. */
  const probe = async (height: number): Promise<bigint | GraphError> => {
    const number = quantityOf(height);
    try {
      const block = blocks.fromHeader(number, ['timestamp']) ?? (await blocks.loader.load(number, false));
      if (block) return toBigInt(block.timestamp);
      return new GraphError('BLOCK_NOT_AVAILABLE', 'The node lacks a block that the search by time needs.');
    } catch (error) {
      if (hasCode(error, 'HISTORY_PRUNED') || hasCode(error, 'UPSTREAM_ERROR')) return error;
      throw error;
    }
  };

  /** The bounds that are known without a call. The oldest known header separates the blocks to read from the node from the known blocks. */
  const boundsFor = (time: bigint, head: Head): TimestampBounds => {
    const upper = timedBlock(head);
    const { oldest } = follower;
    const isAncestor = oldest && oldest.height < head.height && pin.isCanonical(oldest.number, oldest.hash);
    if (!isAncestor) return { lower: undefined, upper, later: undefined };
    const known = timedBlock(oldest);
    return known.timestamp <= time ? { lower: known, upper, later: undefined } : { lower: undefined, upper: known, later: upper };
  };

  return async (seconds: Quantity): Promise<Quantity | null> => {
    const time = toBigInt(seconds);
    const head = await pin.head();
    if (timedBlock(head).timestamp <= time) {
      pin.recordHeadRead();
      return head.number;
    }
    const search = searchTimestamp(time, boundsFor(time, head));
    let step = search.next();
    let pruned: { readonly height: number; readonly error: GraphError } | undefined;
    while (!step.done) {
      const result = await probe(step.value);
      if (typeof result !== 'bigint') pruned = { height: step.value, error: result };
      step = search.next(typeof result === 'bigint' ? result : { earliest: earliestIn(result) });
    }
    if (pruned && pruned.height === step.value) {
      // Pruned nodes retain genesis, which shows whether the time is before the whole chain.
      const genesis = await probe(0);
      if (typeof genesis !== 'bigint' || genesis <= time) throw pruned.error;
      operation.dependencies.addHeight(0);
      return null;
    }
    // The result follows from the timestamps of the block and of its child.
    operation.dependencies.addHeight(step.value === null ? 0 : step.value + 1);
    return step.value === null ? null : quantityOf(step.value);
  };
}

const earliestIn = ({ extensions: { earliest } }: GraphError): number | undefined =>
  typeof earliest === 'string' ? Number(earliest) : undefined;
