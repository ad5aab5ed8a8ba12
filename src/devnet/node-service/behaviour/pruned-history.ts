import type { AnvilRequest } from '../anvil-connection.ts';
import { NodeRpcError } from '../rpc/rpc-error.ts';
import { STATE_BLOCK_PARAMETER } from './consistent-reads.ts';
import { BLOCK_PARAMETERS } from './lag.ts';

/** Heights that the chain no longer has: those from `first` on, up to `lastBlock` and `lastState`. None while these are below `first`. */
export interface PrunedHistory {
  readonly first: number;
  /** Heights up to `lastBlock` whose blocks the chain still has, without their states. */
  readonly retainedHeights: ReadonlySet<number>;
  readonly lastBlock: number;
  readonly lastState: number;
}

/** The error code of pruned nodes. Source: EIP-4444, execution APIs. */
const PRUNED_ERROR_CODE = 4444;

/** Longest QUANTITY of a height; what is longer is a hash. */
const MAX_QUANTITY_LENGTH = 18;

/** The height of a block parameter. The tags other than `earliest` are near the head, which is never pruned; so is an absent block. */
function parseHeight(block: unknown): number {
  if (block === 'earliest') return 0;
  if (typeof block === 'object' && block !== null && 'blockNumber' in block) return parseHeight(block.blockNumber);
  return typeof block === 'string' && block.startsWith('0x') && block.length <= MAX_QUANTITY_LENGTH ? Number(block) : Infinity;
}

/** Whether a range of heights has a block that the chain no longer has. */
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

/** The heights that a request reads by number; undefined when it names none. `result` is undefined for an error. */
function requestedHeights(method: string, params: readonly unknown[], result: unknown): HeightRange | undefined {
  if (method === 'eth_getLogs') {
    const { blockHash, fromBlock, toBlock } = params[0] as { blockHash?: string; fromBlock?: string; toBlock?: string };
    return blockHash === undefined ? { from: parseHeight(fromBlock), to: parseHeight(toBlock) } : undefined;
  }
  if (method === 'eth_feeHistory' && result) {
    const { oldestBlock, gasUsedRatio } = result as { oldestBlock: string; gasUsedRatio: readonly number[] };
    return { from: Number(oldestBlock), to: Number(oldestBlock) + gasUsedRatio.length - 1 };
  }
  const place = BLOCK_PARAMETERS[method]?.[0];
  const height = place === undefined ? Infinity : parseHeight(params[place]);
  return { from: height, to: height };
}

/**
 * Answers as pruned nodes do, where anvil gives null, an incomplete list or fees that it made up: with error 4444 for every request that reads a
 * pruned height. Blocks and transactions by hash stay null, since a node that has removed them does not know the hash.
 */
export function withPrunedHistory(request: AnvilRequest, pruned: PrunedHistory): AnvilRequest {
  /** The height of the block whose hash a state parameter names; undefined when it names none, or an unknown one. */
  const heightByHash = async (block: unknown): Promise<number | undefined> => {
    if (typeof block !== 'object' || block === null || !('blockHash' in block)) return undefined;
    const header = await request<{ number: string } | null>('eth_getBlockByHash', block.blockHash, false);
    return header ? Number(header.number) : undefined;
  };

  return async (method, ...params) => {
    const answer = request<never>(method, ...params);
    const result = await answer.catch(() => undefined);
    // Compared after the answer, since a trim may have come before it.
    const { first, lastState } = pruned;
    if (lastState < first) return answer;
    const place = STATE_BLOCK_PARAMETER[method];
    if (place === undefined) {
      const heights = requestedHeights(method, params, result);
      if (heights && hasPrunedBlock(heights, pruned)) {
        throw new NodeRpcError(PRUNED_ERROR_CODE, 'pruned history unavailable');
      }
    } else if (result === undefined) {
      const height = (await heightByHash(params[place])) ?? parseHeight(params[place]);
      if (height >= first && height <= lastState) throw new NodeRpcError(PRUNED_ERROR_CODE, 'historical state unavailable');
    }
    return answer;
  };
}
