import { toQuantity } from 'ethers';
import type { AnvilRequest } from '../anvil-connection.ts';
import { headerNotFound, NODE_ERROR_CODES, NodeRpcError } from '../rpc/rpc-error.ts';
import type { RpcJsonObject } from './anvil-fixes.ts';
import { STATE_BLOCK_PARAMETER } from './consistent-reads.ts';

/** Position of the block parameter (number or tag) of each method, and its response for an unknown block. */
export const BLOCK_PARAMETERS: Readonly<Record<string, readonly [index: number, missing: 'null' | 'error']>> = {
  eth_getBlockByNumber: [0, 'null'],
  eth_getBlockTransactionCountByNumber: [0, 'null'],
  eth_getTransactionByBlockNumberAndIndex: [0, 'null'],
  eth_getUncleByBlockNumberAndIndex: [0, 'null'],
  eth_getUncleCountByBlockNumber: [0, 'null'],
  ...Object.fromEntries(Object.entries(STATE_BLOCK_PARAMETER).map(([method, index]) => [method, [index, 'error'] as const])),
  eth_getBlockReceipts: [0, 'null'],
  eth_feeHistory: [1, 'error'],
};

const BLOCK_HASH_METHODS: readonly string[] = [
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleCountByBlockHash',
  'debug_traceBlockByHash',
];

/** Whether the block parameter is a hash, which only `eth_getBlockReceipts` accepts in that position. */
const isBlockHash = (method: string, block: unknown) => method === 'eth_getBlockReceipts' && String(block).length === 66;

/** Simulates a node that lags by `blocks`. Reads of `pending` do not change, because all nodes share one pool. */
export function withLag(request: AnvilRequest, blocks: number): AnvilRequest {
  if (blocks === 0) return request;
  const heightOf = async (hash: unknown) => {
    const block = await request<RpcJsonObject | null>('eth_getBlockByHash', hash, false);
    return block === null ? undefined : Number(block.number);
  };
  return async (method, ...params) => {
    const visible = Math.max(0, Number(await request<string>('eth_blockNumber')) - blocks);
    const isHidden = (height: unknown) => typeof height === 'string' && Number(height) > visible;
    /** The block parameter as the lagging node reads it; undefined for a block that it does not have. */
    const visibleBlock = async (block: unknown): Promise<unknown> => {
      if (typeof block === 'object' && block !== null) {
        if ('blockNumber' in block) return isHidden(block.blockNumber) ? undefined : block;
        return Number(await heightOf((block as RpcJsonObject).blockHash)) > visible ? undefined : block;
      }
      if (block === undefined || block === 'latest' || block === 'safe' || block === 'finalized') return toQuantity(visible);
      return isHidden(block) ? undefined : block;
    };

    if (method === 'eth_blockNumber') return toQuantity(visible);
    if (method === 'eth_getTransactionByHash' || method === 'eth_getTransactionReceipt') {
      const found = await request(method, ...params);
      return found && isHidden(found.blockNumber) ? null : found;
    }
    if (BLOCK_HASH_METHODS.includes(method) || isBlockHash(method, params[0])) {
      return Number(await heightOf(params[0])) > visible ? null : request(method, ...params);
    }
    if (method === 'eth_getLogs') {
      const { blockHash, fromBlock, toBlock, ...rest } = params[0] as RpcJsonObject;
      if (blockHash !== undefined) {
        if (Number(await heightOf(blockHash)) > visible) throw new NodeRpcError(NODE_ERROR_CODES.server, 'unknown block');
        return request(method, params[0]);
      }
      const first = await visibleBlock(fromBlock);
      return first === undefined
        ? []
        : request(method, { ...rest, fromBlock: first, toBlock: (await visibleBlock(toBlock)) ?? toQuantity(visible) });
    }
    const [index, missing] = BLOCK_PARAMETERS[method] ?? [];
    if (index === undefined) return request(method, ...params);
    const block = await visibleBlock(params[index]);
    if (block !== undefined) return request(method, ...params.toSpliced(index, 1, block));
    if (missing === 'null') return null;
    throw headerNotFound();
  };
}
