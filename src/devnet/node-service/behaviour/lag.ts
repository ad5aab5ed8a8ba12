import type { Ask } from '../anvil-connection.ts';
import { CODES, headerNotFound, RpcError } from '../rpc/rpc-error.ts';
import type { Wire } from './anvil-fixes.ts';
import { STATE_METHODS } from './consistent-reads.ts';

/** Where in the parameters a block is named by number or tag, and what is answered when it is not there. */
export const NAMED: Readonly<Record<string, readonly [place: number, missing: 'null' | 'error']>> = {
  eth_getBlockByNumber: [0, 'null'],
  eth_getBlockTransactionCountByNumber: [0, 'null'],
  eth_getTransactionByBlockNumberAndIndex: [0, 'null'],
  eth_getUncleByBlockNumberAndIndex: [0, 'null'],
  eth_getUncleCountByBlockNumber: [0, 'null'],
  ...Object.fromEntries(Object.entries(STATE_METHODS).map(([method, place]) => [method, [place, 'error'] as const])),
  eth_getBlockReceipts: [0, 'null'],
  eth_feeHistory: [1, 'error'],
};

const HASHED: readonly string[] = [
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleCountByBlockHash',
];

/** One of `NAMED` that takes a hash for the height as well. */
const isHash = (method: string, block: unknown) => method === 'eth_getBlockReceipts' && String(block).length === 66;

const hex = (number: number) => `0x${number.toString(16)}`;

/** The node as it was so many blocks ago. The pool is the same everywhere, so what is asked of `pending` is answered as ever. */
export function lagging(ask: Ask, blocks: number): Ask {
  if (blocks === 0) return ask;
  const heightOf = async (hash: unknown) => {
    const block = await ask<Wire | null>('eth_getBlockByHash', hash, false);
    return block === null ? undefined : Number(block.number);
  };
  return async (method, ...params) => {
    const visible = Math.max(0, Number(await ask<string>('eth_blockNumber')) - blocks);
    const isHidden = (height: unknown) => typeof height === 'string' && Number(height) > visible;
    /** A named block as this node has it, or undefined when it has not got it. */
    const here = async (block: unknown): Promise<unknown> => {
      if (typeof block === 'object' && block !== null) {
        if ('blockNumber' in block) return isHidden(block.blockNumber) ? undefined : block;
        return Number(await heightOf((block as Wire).blockHash)) > visible ? undefined : block;
      }
      if (block === undefined || block === 'latest' || block === 'safe' || block === 'finalized') return hex(visible);
      return isHidden(block) ? undefined : block;
    };

    if (method === 'eth_blockNumber') return hex(visible);
    if (method === 'eth_getTransactionByHash' || method === 'eth_getTransactionReceipt') {
      const found = await ask(method, ...params);
      return found && isHidden(found.blockNumber) ? null : found;
    }
    if (HASHED.includes(method) || isHash(method, params[0])) {
      return Number(await heightOf(params[0])) > visible ? null : ask(method, ...params);
    }
    if (method === 'eth_getLogs') {
      const { blockHash, fromBlock, toBlock, ...rest } = params[0] as Wire;
      if (blockHash !== undefined) {
        if (Number(await heightOf(blockHash)) > visible) throw new RpcError(CODES.server, 'unknown block');
        return ask(method, params[0]);
      }
      const first = await here(fromBlock);
      return first === undefined
        ? []
        : ask(method, { ...rest, fromBlock: first, toBlock: (await here(toBlock)) ?? hex(visible) });
    }
    const [place, missing] = NAMED[method] ?? [];
    if (place === undefined) return ask(method, ...params);
    const block = await here(params[place]);
    if (block !== undefined) return ask(method, ...params.toSpliced(place, 1, block));
    if (missing === 'null') return null;
    throw headerNotFound();
  };
}
