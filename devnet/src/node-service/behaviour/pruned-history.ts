import { toQuantity } from 'ethers';
import type { AnvilRequest } from '../anvil-connection.ts';
import { NodeRpcError } from '../rpc/rpc-error.ts';
import { STATE_BLOCK_PARAMETER } from './consistent-reads.ts';
import { BLOCK_PARAMETERS } from './lag.ts';

/** Pruned heights: blocks from `first` to `lastBlock`, states from `first` to `lastState`. None while these are below `first`. */
export interface PrunedHistory {
  readonly first: number;
  /** Heights up to `lastBlock` whose blocks are retained, without their states. */
  readonly retainedHeights: ReadonlySet<number>;
  readonly lastBlock: number;
  readonly lastState: number;
}

/** The error code of pruned nodes. Source: EIP-4444, execution APIs. */
const PRUNED_ERROR_CODE = 4444;

/** Maximum length of a height as QUANTITY; a longer text is a hash. */
const MAX_QUANTITY_LENGTH = 18;

/** Height of a block parameter. Infinity for tags other than `earliest` and for an absent block, which are never pruned. */
function parseHeight(block: unknown): number {
  if (block === 'earliest') return 0;
  if (typeof block === 'object' && block !== null && 'blockNumber' in block) return parseHeight(block.blockNumber);
  return typeof block === 'string' && block.startsWith('0x') && block.length <= MAX_QUANTITY_LENGTH ? Number(block) : Infinity;
}

/** Whether a range contains a pruned block. */
function hasPrunedBlock({ from, to }: HeightRange, { first, lastBlock, retainedHeights }: PrunedHistory): boolean {
  const end = Math.min(to, lastBlock);
  let height = Math.max(from, first);
  while (height <= end && retainedHeights.has(height)) height += 1;
  return height <= end;
}

interface HeightRange {
  readonly from: number;
  readonly to: number;
}

/** Heights that a request reads by number, or undefined. `result` is undefined for an error. */
function requestedHeights(method: string, params: readonly unknown[], result: unknown): HeightRange | undefined {
  if (method === 'eth_getLogs') {
    const { blockHash, fromBlock, toBlock } = params[0] as { blockHash?: string; fromBlock?: string; toBlock?: string };
    return blockHash === undefined ? { from: parseHeight(fromBlock), to: parseHeight(toBlock) } : undefined;
  }
  if (method === 'eth_feeHistory' && result) {
    const { oldestBlock, gasUsedRatio } = result as { oldestBlock: string; gasUsedRatio: readonly number[] };
    return { from: Number(oldestBlock), to: Number(oldestBlock) + gasUsedRatio.length - 1 };
  }
  const index = BLOCK_PARAMETERS[method]?.[0];
  const height = index === undefined ? Infinity : parseHeight(params[index]);
  return { from: height, to: height };
}

/**
 * Responds as a pruned node, with error 4444 for every request that reads a pruned height, where anvil returns null, an incomplete list or
 * invented fees. Blocks and transactions by hash are null, because a node that has removed them does not know the hash.
 */
export function withPrunedHistory(request: AnvilRequest, pruned: PrunedHistory): AnvilRequest {
  /** Height of the block hash in a state parameter; undefined without a hash or for an unknown hash. */
  const heightByHash = async (block: unknown): Promise<number | undefined> => {
    if (typeof block !== 'object' || block === null || !('blockHash' in block)) return undefined;
    const header = await request<{ number: string } | null>('eth_getBlockByHash', block.blockHash, false);
    return header ? Number(header.number) : undefined;
  };

  /** Reports the oldest heights from which on nothing is pruned. While nothing is, anvil may have evicted old states. */
  const capabilities = async () => {
    const { number, hash } = await request<{ number: string; hash: string }>('eth_getBlockByNumber', 'latest', false);
    const { first, lastBlock, lastState } = pruned;
    const blocks = { disabled: false, oldestBlock: toQuantity(lastBlock < first ? 0 : lastBlock + 1) };
    const state = { disabled: false, ...(lastState >= first && { oldestBlock: toQuantity(lastState + 1) }) };
    return { head: { number, hash }, state, tx: blocks, logs: blocks, receipts: blocks, blocks, stateproofs: state };
  };

  return async (method, ...params) => {
    if (method === 'eth_capabilities') return (await capabilities()) as never;
    const response = request<never>(method, ...params);
    const result = await response.catch(() => undefined);
    // Compared after the response, because the chain may have been pruned before it.
    const { first, lastState } = pruned;
    if (lastState < first) return response;
    const index = STATE_BLOCK_PARAMETER[method];
    if (index === undefined) {
      const heights = requestedHeights(method, params, result);
      if (heights && hasPrunedBlock(heights, pruned)) {
        throw new NodeRpcError(PRUNED_ERROR_CODE, 'pruned history unavailable');
      }
    } else if (result === undefined) {
      const height = (await heightByHash(params[index])) ?? parseHeight(params[index]);
      if (height >= first && height <= lastState) throw new NodeRpcError(PRUNED_ERROR_CODE, 'historical state unavailable');
    }
    return response;
  };
}
