import { listOrNull, quantity } from '../../ethereum/decoders.ts';
import { type Quantity, quantityOf, toBigInt } from '../../ethereum/hex.ts';
import { bloomShowsLogs } from '../../ethereum/log-filters.ts';
import type { RpcBlock } from '../../ethereum/rpc-types.ts';
import { BLOCK_LOGS_COST, WHOLE_BLOCK_COST } from '../../graphql/pipeline/cost/field-cost.ts';
import type { HistoryResource } from '../../upstream/rpc/oldest-blocks.ts';
import type { OperationCalls } from '../../upstream/rpc/operation-calls.ts';
import { hasCode } from '../node-capabilities.ts';
import { blockBy, rpcMethod } from '../state-methods.ts';

/** The number of items of a list; null for null. The items of a probe are not read. */
const countOrNull = (result: unknown): number | null => listOrNull(result)?.length ?? null;

const logsAt = {
  ...rpcMethod('eth_getLogs', countOrNull, (height: Quantity) => [{ fromBlock: height, toBlock: height }]),
  cost: () => BLOCK_LOGS_COST,
};
const receiptsAt = {
  ...rpcMethod('eth_getBlockReceipts', countOrNull, (height: Quantity) => [height]),
  cost: () => WHOLE_BLOCK_COST,
};
const balanceAt = rpcMethod('eth_getBalance', quantity, (height: Quantity) => [`0x${'0'.repeat(40)}`, height]);

type Probe = (calls: OperationCalls, height: Quantity) => Promise<boolean>;

/** Whether a list is complete: some nodes return an empty one for pruned blocks, which the block can contradict. */
const isComplete = (count: number | null, block: RpcBlock | null, isEmptyIn: (block: RpcBlock) => boolean): boolean =>
  count !== null && (count > 0 || (block !== null && isEmptyIn(block)));

/** One read of each resource at a height; false where the node returns nothing. */
const PROBES: Readonly<Record<HistoryResource, Probe>> = {
  BLOCKS: async (calls, height) => (await calls.call(blockBy, height, false)) !== null,
  async RECEIPTS(calls, height) {
    const [count, block] = await Promise.all([calls.call(receiptsAt, height), calls.call(blockBy, height, false)]);
    return isComplete(count, block, ({ gasUsed }) => toBigInt(gasUsed) === 0n);
  },
  async LOGS(calls, height) {
    const [count, block] = await Promise.all([calls.call(logsAt, height), calls.call(blockBy, height, false)]);
    return isComplete(count, block, ({ logsBloom }) => !bloomShowsLogs(logsBloom));
  },
  STATE: async (calls, height) => (await calls.call(balanceAt, height)) !== null,
};

/** Codes of a node that does not serve the height. An error without a code of its own is one of an unknown dialect. */
const UNAVAILABLE_CODES = ['HISTORY_PRUNED', 'BLOCK_NOT_AVAILABLE', 'UPSTREAM_ERROR'] as const;

const isAvailable = async (resource: HistoryResource, calls: OperationCalls, height: number): Promise<boolean> => {
  try {
    return await PROBES[resource](calls, quantityOf(height));
  } catch (error) {
    if (UNAVAILABLE_CODES.some((code) => hasCode(error, code))) return false;
    throw error;
  }
};

/**
 * Finds the oldest height from which on the node serves a resource without a gap, by bisection; null when it does not serve it at `head`.
 * Block 0 counts only if block 1 is served, because pruned nodes retain the genesis block. At most 3 + log2(head) reads. Rejects with the
 * error of a read that proves nothing, such as a timeout, and with METHOD_NOT_SUPPORTED.
 */
export async function findOldestBlock(resource: HistoryResource, calls: OperationCalls, head: number): Promise<number | null> {
  const [isServed, hasFirst, hasGenesis] = await Promise.all([head, 1, 0].map((height) => isAvailable(resource, calls, height)));
  if (!isServed) return null;
  if (hasFirst || head === 0) return hasGenesis ? 0 : 1;
  let [pruned, available] = [1, head];
  while (available - pruned > 1) {
    const middle = Math.floor((pruned + available) / 2);
    if (await isAvailable(resource, calls, middle)) available = middle;
    else pruned = middle;
  }
  return available;
}
