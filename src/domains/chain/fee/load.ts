import { blocksUpTo } from '../../../ethereum/fee-history.ts';
import { isBlockHash, type Quantity, quantityOf } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcFeeHistory } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { chainChangedError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported } from '../../../snapshot/node-capabilities.ts';
import type { BlockLoader } from '../block/load.ts';
import { feeHistoryOf } from '../node/methods.ts';

/** The fees of one block. */
export interface FeeHistoryRow {
  readonly number: Quantity;
  readonly baseFeePerGas: Quantity | null;
  readonly gasUsedRatio: number;
  readonly baseFeePerBlobGas: Quantity | null;
  readonly blobGasUsedRatio: number | null;
  readonly rewards: readonly Quantity[] | null;
}

/** The fees of consecutive blocks, oldest first, and of the block after them. */
export interface FeeHistoryRange {
  readonly newest: Quantity;
  readonly blocks: readonly FeeHistoryRow[];
  /** As the node calculates it; some nodes do that for the most recent block only. */
  readonly nextBaseFeePerGas: Quantity | null;
  readonly nextBaseFeePerBlobGas: Quantity | null;
}

interface FeeHistoryRead {
  readonly blockCount: number;
  readonly newest: Quantity;
  readonly percentiles: readonly number[];
}

/** Maximum number of blocks and of percentiles that nodes accept: the limits of geth. */
const MAX_FEE_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;
/** Nodes round the ratio of used gas differently. */
const RATIO_TOLERANCE = 1e-6;

/** Creates the loader of fees, keyed by range and percentiles. Source: `eth_feeHistory`. */
export function feeHistoryLoader(snapshot: Snapshot, blocks: BlockLoader) {
  const { calls, pin, availability } = snapshot;

  const histories = createEntityLoader(
    async ({ blockCount, newest, percentiles }: FeeHistoryRead): Promise<FeeHistoryRange | null> => {
      const ref = pin.resolveRef(newest);
      const history = await nullIfUnsupported(snapshot, feeHistoryOf.name, () =>
        isBlockHash(ref)
          ? availability.readAt(ref, feeHistoryOf, blockCount, newest, percentiles)
          : calls.call(feeHistoryOf, blockCount, newest, percentiles),
      );
      if (!history) return null;
      const range = toRange(history, newest, blocksUpTo(newest, blockCount));
      pin.assertHeadCanonical();
      await assertOwnBranch(range, ref);
      return range;
    },
    ({ blockCount, newest, percentiles }) => `${blockCount} ${newest} ${percentiles.join()}`,
  );

  /**
   * Rejects fees of another branch: the node lags, or a reorg has changed the chain. Blocks at one height often have the same base fee and differ in
   * their used gas. Some chains calculate its ratio from another limit, so a difference is only the reason to ask the node for the block.
   */
  const assertOwnBranch = async ({ newest, blocks: rows }: FeeHistoryRange, ref: BlockRef): Promise<void> => {
    const header = isBlockHash(ref) ? pin.header(ref)?.header : undefined;
    if (!header) return;
    const { baseFeePerGas, gasUsedRatio } = rows.at(-1)!;
    if (baseFeePerGas && baseFeePerGas !== (header.baseFeePerGas ?? '0x0')) throw chainChangedError();
    const usedShare = Number(header.gasUsed) / Number(header.gasLimit);
    if (Math.abs(usedShare - gasUsedRatio) > RATIO_TOLERANCE) await availability.assertBlockAtHeight(newest, ref);
  };

  return {
    /**
     * Loads the fees of blocks up to `newestBlock`, by default the head; null for a height above the head. Throws BAD_USER_INPUT for a number of
     * blocks below 1 and invalid percentiles, and RESULT_TOO_LARGE above the limits of nodes.
     */
    async feeHistory(
      blockCount: number,
      newestBlock: Quantity | null,
      percentiles: readonly number[],
    ): Promise<FeeHistoryRange | null> {
      checkBlockCount(blockCount);
      checkPercentiles(percentiles);
      const head = await pin.head();
      const isAboveHead = newestBlock !== null && BigInt(newestBlock) > BigInt(head.height);
      if (newestBlock === null || isAboveHead) pin.recordHeadRead();
      return isAboveHead ? null : histories.load({ blockCount, newest: newestBlock ?? head.number, percentiles });
    },

    /** The base fee after a range: the node's calculation if the range ends at the head, else the base fee of the next block. */
    async baseFeeAfter({ newest, nextBaseFeePerGas }: FeeHistoryRange): Promise<Quantity | null> {
      if (Number(newest) >= (await pin.head()).height) return nextBaseFeePerGas;
      const next = await blocks.load(quantityOf(BigInt(newest) + 1n), false);
      return next?.baseFeePerGas ?? nextBaseFeePerGas;
    },
  };
}

const toRange = (history: RpcFeeHistory, newest: Quantity, count: number): FeeHistoryRange => {
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

function checkBlockCount(blockCount: number): void {
  if (blockCount < 1) throw new GraphError('BAD_USER_INPUT', 'Invalid `blockCount`. Pass a number from 1 to 1,024.');
  if (blockCount <= MAX_FEE_BLOCKS) return;
  const message = `The range has ${blockCount} blocks. Request at most ${MAX_FEE_BLOCKS} at a time.`;
  throw new GraphError('RESULT_TOO_LARGE', message, { limit: MAX_FEE_BLOCKS, actual: blockCount });
}

function checkPercentiles(percentiles: readonly number[]): void {
  const isAscending = percentiles.every((value, i) => value >= 0 && value <= 100 && (i === 0 || value > percentiles[i - 1]!));
  if (isAscending && percentiles.length <= MAX_PERCENTILES) return;
  throw new GraphError('BAD_USER_INPUT', 'Invalid `rewardPercentiles`. Pass at most 100 ascending numbers from 0 to 100.');
}
