import { listOrNull } from '../../../ethereum/decoders.ts';
import { blocksUpTo, readFeeHistoryRange } from '../../../ethereum/fee-history.ts';
import { isBlockHash, type Quantity, quantityOf, sameData, toBigInt } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcFeeHistory } from '../../../ethereum/rpc-types.ts';
import type { FeeHistoryBlock, QueryFeeHistoryArgs } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import { availableRangeLoader } from '../../../snapshot/history/available-range.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported, withFallback } from '../../../snapshot/node-capabilities.ts';
import { blockBy, feeHistoryOf } from '../../../snapshot/state-methods.ts';
import { HEADER_ONLY_PLAN } from '../block/plan.ts';
import type { BlockReads } from '../block/reads.ts';
import { baseFees, blobBaseFee, priorityFee, queryReads, syncState } from './methods.ts';

/** The fees of one block. */
export type FeeHistoryRow = Required<Omit<FeeHistoryBlock, 'block'>>;

/**
 * The fees of consecutive blocks, oldest first, and of the next block: the values that the node calculates. Some nodes calculate the base fee of the
 * next block for the most recent block only.
 */
export type FeeHistoryRange = ReturnType<typeof toRange>;

/** Maximum number of blocks and of percentiles that nodes accept: the limits of geth. */
const MAX_FEE_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;
/** Nodes round the ratio of used gas differently. */
const RATIO_TOLERANCE = 1e-6;

/** Creates the reads of fees, and of values that belong to the node and not to an entity. */
export function nodeReads(snapshot: Snapshot, blocks: BlockReads) {
  const { calls, pin, availability, session } = snapshot;

  /**
   * Rejects fees of another branch: the node lags, or a reorg has changed the chain. Blocks at one height often have
   * equal base fees and differ in their used gas. Some chains calculate the ratio of used gas from another limit, so a
   * difference only causes a request for the block.
   */
  const assertOwnBranch = async ({ newest, blocks: rows }: FeeHistoryRange, ref: BlockRef): Promise<void> => {
    const header = isBlockHash(ref) ? pin.header(ref)?.header : undefined;
    if (!header) return;
    const { baseFeePerGas, gasUsedRatio } = rows.at(-1)!;
    if (baseFeePerGas && baseFeePerGas !== (header.baseFeePerGas ?? '0x0')) throw chainChangedError();
    const usedShare = Number(header.gasUsed) / Number(header.gasLimit);
    if (Math.abs(usedShare - gasUsedRatio) > RATIO_TOLERANCE) await availability.assertBlockAtHeight(newest, ref);
  };

  const readHistory = async (blockCount: number, newest: Quantity, percentiles: readonly number[]) => {
    const ref = pin.resolveRef(newest);
    const args = [blockCount, newest, percentiles] as const;
    const read = () => (isBlockHash(ref) ? availability.readAt(ref, feeHistoryOf, ...args) : calls.call(feeHistoryOf, ...args));
    const history = await nullIfUnsupported(snapshot, feeHistoryOf.name, read);
    if (!history) return null;
    // `baseFees` may have sent an equal call, and reads less of its result.
    const range = toRange(readFeeHistoryRange(history, ...args), newest, blocksUpTo(newest, blockCount));
    pin.assertHeadCanonical();
    await assertOwnBranch(range, ref);
    return range;
  };

  const priceAboveBaseFee = async () => {
    // The price belongs to the head of the chain, also for a request that names another block.
    const readHead = async () => pin.chainHead?.header ?? (await calls.call(blockBy, 'latest', false));
    const header = pin.isPinnedByRequest ? readHead() : blocks.latest(HEADER_ONLY_PLAN);
    const [price, head] = await Promise.all([calls.call(queryReads.gasPrice), header]);
    const tip = toBigInt(price) - toBigInt(head?.baseFeePerGas ?? '0x0');
    return quantityOf(tip > 0n ? tip : 0n);
  };

  /** Loads the block after a height, without transactions. */
  const childOf = (number: Quantity) => blocks.loader.load(quantityOf(toBigInt(number) + 1n), false);

  return {
    /** Loads the heights that the node serves, by resource. */
    availableRange: availableRangeLoader(snapshot),

    /** Null while the node is in sync, and for a node without this method. Source: `eth_syncing`. */
    syncing: () => nullIfUnsupported(snapshot, syncState.name, () => calls.call(syncState)),

    /** In wei. Source: `eth_maxPriorityFeePerGas`, else the gas price minus the base fee of the head. */
    maxPriorityFeePerGas: () => withFallback(session, priorityFee.name, () => calls.call(priorityFee), priceAboveBaseFee),

    /** In wei per blob gas; null before Cancun. Source: `eth_blobBaseFee`, else `eth_feeHistory`. */
    blobBaseFee: () =>
      withFallback<Quantity | null>(
        session,
        blobBaseFee.name,
        () => calls.call(blobBaseFee),
        async () => (await readHistory(1, (await pin.head()).number, []))?.blocks[0]?.baseFeePerBlobGas ?? null,
      ),

    /**
     * Loads the fees of blocks up to `newestBlock`, by default the head; null for a height above the head. Throws BAD_USER_INPUT for a number of
     * blocks below 1 and invalid percentiles, and RESULT_TOO_LARGE above the limits of nodes. Source: `eth_feeHistory`.
     */
    async feeHistory({ newestBlock, ...args }: QueryFeeHistoryArgs): Promise<FeeHistoryRange | null> {
      const blockCount = args.blockCount!;
      const percentiles = args.rewardPercentiles ?? [];
      if (blockCount < 1) throw new GraphError('BAD_USER_INPUT', 'Invalid `blockCount`. Pass a number from 1 to 1,024.');
      if (blockCount > MAX_FEE_BLOCKS) {
        const message = `The range has ${blockCount} blocks. Request at most ${MAX_FEE_BLOCKS} at a time.`;
        throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_FEE_BLOCKS, actual: blockCount });
      }
      checkPercentiles(percentiles);
      const head = await pin.head();
      const isAboveHead = !!newestBlock && BigInt(newestBlock) > BigInt(head.height);
      if (!newestBlock || isAboveHead) pin.recordHeadRead();
      return isAboveHead ? null : readHistory(blockCount, newestBlock ?? head.number, percentiles);
    },

    /** The base fee after a range: the node's calculation if the range ends at the head, else the base fee of the next block. */
    async baseFeeAfter({ newest, nextBaseFeePerGas }: FeeHistoryRange): Promise<Quantity | null> {
      await pin.head();
      if (Number(newest) >= (pin.chainHead?.height ?? Number.POSITIVE_INFINITY)) return nextBaseFeePerGas;
      return (await childOf(newest))?.baseFeePerGas ?? nextBaseFeePerGas;
    },

    /**
     * Loads the base fee after a block, in wei. For the head it is the node's calculation, since the formula differs between chains; for any
     * other block it is the base fee of its child. Null before London, for a block that is not canonical, and for the head of a node that
     * does not calculate it. Source: `eth_getBlockByNumber`, `eth_feeHistory`.
     */
    async nextBaseFee({ hash, number, baseFeePerGas }: RpcBlock): Promise<Quantity | null> {
      const isHead = sameData(pin.chainHead?.hash, hash);
      const child = isHead ? null : await childOf(number);
      if (child) return sameData(child.parentHash, hash) ? (child.baseFeePerGas ?? null) : null;
      const fees = await nullIfUnsupported(snapshot, baseFees.name, () => calls.call(baseFees, number));
      if (!fees) return null;
      const [own, next] = listOrNull<Quantity | null>(fees.baseFeePerGas) ?? [];
      if ((own ?? '0x0') !== (baseFeePerGas ?? '0x0')) {
        // The fees are of another block of this height: a reorg has removed this block, or the node lags.
        if (!isHead) return null;
        const message = 'The node returned the fees of another block at that height. Send the operation again.';
        throw new GraphError('BLOCK_NOT_AVAILABLE', message);
      }
      return next === undefined || (next === '0x0' && !baseFeePerGas) ? null : next;
    },
  };
}

const toRange = (history: RpcFeeHistory, newest: Quantity, count: number) => {
  const { oldestBlock, baseFeePerGas, gasUsedRatio, baseFeePerBlobGas, blobGasUsedRatio, reward } = history;
  const row = (i: number): FeeHistoryRow => ({
    number: quantityOf(BigInt(oldestBlock) + BigInt(i)),
    baseFeePerGas: baseFeePerGas?.[i] ?? null,
    gasUsedRatio: gasUsedRatio![i]!,
    baseFeePerBlobGas: baseFeePerBlobGas?.[i] ?? null,
    blobGasUsedRatio: blobGasUsedRatio?.[i] ?? null,
    rewards: reward?.[i] ?? null,
  });
  return {
    newest,
    blocks: Array.from({ length: count }, (_, i) => row(i)),
    nextBaseFeePerGas: baseFeePerGas?.[count] ?? null,
    nextBaseFeePerBlobGas: baseFeePerBlobGas?.[count] ?? null,
  };
};

function checkPercentiles(percentiles: readonly number[]): void {
  const isAscending = percentiles.every((value, i) => value >= 0 && value <= 100 && (i === 0 || value > percentiles[i - 1]!));
  if (isAscending && percentiles.length <= MAX_PERCENTILES) return;
  throw new GraphError('BAD_USER_INPUT', 'Invalid `rewardPercentiles`. Pass at most 100 ascending numbers from 0 to 100.');
}
