import type { Ask } from '../anvil-connection.ts';
import { RpcError } from '../rpc/rpc-error.ts';
import { STATE_METHODS } from './consistent-reads.ts';
import { NAMED } from './lag.ts';

/** Heights that the chain no longer has: those from `first` on, up to `lastBlock` and `lastState`. None while these are below `first`. */
export interface PrunedHistory {
  readonly first: number;
  /** Heights up to `lastBlock` whose blocks the chain still has, without their states. */
  readonly keptBlocks: ReadonlySet<number>;
  readonly lastBlock: number;
  readonly lastState: number;
}

/** The error code of pruned nodes. Source: EIP-4444, execution APIs. */
const PRUNED = 4444;

/** Longest QUANTITY of a height; what is longer is a hash. */
const MAX_HEIGHT_TEXT = 18;

/** The height of a block parameter. The tags other than `earliest` are near the head, which is never pruned; so is an absent block. */
function heightIn(block: unknown): number {
  if (block === 'earliest') return 0;
  if (typeof block === 'object' && block !== null && 'blockNumber' in block) return heightIn(block.blockNumber);
  return typeof block === 'string' && block.startsWith('0x') && block.length <= MAX_HEIGHT_TEXT ? Number(block) : Infinity;
}

/** Whether a range of heights has a block that the chain no longer has. */
function hasPrunedBlock({ from, to }: Heights, { first, lastBlock, keptBlocks }: PrunedHistory): boolean {
  const end = Math.min(to, lastBlock);
  let height = Math.max(from, first);
  while (height <= end && keptBlocks.has(height)) height += 1;
  return height <= end;
}

interface Heights {
  readonly from: number;
  readonly to: number;
}

/** The heights that a request reads by number; undefined when it names none. `result` is undefined for an error. */
function heightsOf(method: string, params: readonly unknown[], result: unknown): Heights | undefined {
  if (method === 'eth_getLogs') {
    const { blockHash, fromBlock, toBlock } = params[0] as { blockHash?: string; fromBlock?: string; toBlock?: string };
    return blockHash === undefined ? { from: heightIn(fromBlock), to: heightIn(toBlock) } : undefined;
  }
  if (method === 'eth_feeHistory' && result) {
    const { oldestBlock, gasUsedRatio } = result as { oldestBlock: string; gasUsedRatio: readonly number[] };
    return { from: Number(oldestBlock), to: Number(oldestBlock) + gasUsedRatio.length - 1 };
  }
  const place = NAMED[method]?.[0];
  const height = place === undefined ? Infinity : heightIn(params[place]);
  return { from: height, to: height };
}

/**
 * Answers as pruned nodes do, where anvil gives null, an incomplete list or fees that it made up: with error 4444 for every request that reads a
 * pruned height. Blocks and transactions by hash stay null, since a node that has removed them does not know the hash.
 */
export function withPrunedHistory(ask: Ask, pruned: PrunedHistory): Ask {
  /** The height of the block whose hash a state parameter names; undefined when it names none, or an unknown one. */
  const heightByHash = async (block: unknown): Promise<number | undefined> => {
    if (typeof block !== 'object' || block === null || !('blockHash' in block)) return undefined;
    const header = await ask<{ number: string } | null>('eth_getBlockByHash', block.blockHash, false);
    return header ? Number(header.number) : undefined;
  };

  return async (method, ...params) => {
    const answer = ask<never>(method, ...params);
    const result = await answer.catch(() => undefined);
    // Compared after the answer, since a trim may have come before it.
    const { first, lastState } = pruned;
    if (lastState < first) return answer;
    const place = STATE_METHODS[method];
    if (place === undefined) {
      const heights = heightsOf(method, params, result);
      if (heights && hasPrunedBlock(heights, pruned)) {
        throw new RpcError(PRUNED, 'pruned history unavailable');
      }
    } else if (result === undefined) {
      const height = (await heightByHash(params[place])) ?? heightIn(params[place]);
      if (height >= first && height <= lastState) throw new RpcError(PRUNED, 'historical state unavailable');
    }
    return answer;
  };
}
