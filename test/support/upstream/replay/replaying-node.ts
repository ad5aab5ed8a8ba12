import { toQuantity } from 'ethers';
import { rpcError, type StubResponses } from '../../graph/stubbed-graph.ts';
import { matchesWireFilter, type SimLogFilter } from '../../simulator/rpc-simulator.ts';
import type { ReplayedBlock } from './block-builder.ts';

/** The responses of a node whose chain consists of these blocks. */
export function replayedResponses(chain: readonly ReplayedBlock[]): StubResponses {
  const head = chain.length - 1;
  const heightOf = (ref: string): number => (ref.startsWith('0x') ? Number(ref) : ref === 'earliest' ? 0 : head);
  const at = (ref: string): ReplayedBlock | undefined =>
    ref.length === 66 ? chain.find(({ block }) => block.hash === ref) : chain[heightOf(ref)];
  const find = <T extends { readonly hash?: string; readonly transactionHash?: string }>(
    lists: readonly (readonly T[])[],
    hash: string,
  ) => lists.flat().find((item) => (item.transactionHash ?? item.hash) === hash) ?? null;
  const blockOf = (ref: string, full: boolean) => {
    const found = at(ref)?.block;
    return found ? { ...found, transactions: full ? found.transactions : found.transactions.map(({ hash }) => hash) } : null;
  };
  const transactionAt = (ref: string, index: string) => at(ref)?.block.transactions[Number(index)] ?? null;
  const ommerAt = (ref: string, index: string) => at(ref)?.ommers[Number(index)] ?? null;
  const countOf = (list: readonly unknown[] | undefined) => (list ? toQuantity(list.length) : null);
  const allTransactions = chain.map(({ block }) => block.transactions);
  const allReceipts = chain.map(({ receipts }) => receipts);
  const encodingOf = new Map(chain.flatMap(({ block, raw }) => block.transactions.map(({ hash }, i) => [hash, raw[i]])));
  return {
    eth_chainId: '0x1',
    eth_blockNumber: toQuantity(head),
    eth_getBlockByNumber: blockOf,
    eth_getBlockByHash: blockOf,
    eth_getBlockTransactionCountByNumber: (ref: string) => countOf(at(ref)?.block.transactions),
    eth_getBlockTransactionCountByHash: (ref: string) => countOf(at(ref)?.block.transactions),
    eth_getUncleCountByBlockNumber: (ref: string) => countOf(at(ref)?.ommers),
    eth_getUncleCountByBlockHash: (ref: string) => countOf(at(ref)?.ommers),
    eth_getUncleByBlockNumberAndIndex: ommerAt,
    eth_getUncleByBlockHashAndIndex: ommerAt,
    eth_getTransactionByHash: (hash: string) => find(allTransactions, hash),
    eth_getTransactionByBlockNumberAndIndex: transactionAt,
    eth_getTransactionByBlockHashAndIndex: transactionAt,
    eth_getTransactionReceipt: (hash: string) => find(allReceipts, hash),
    eth_getBlockReceipts: (ref: string) => at(ref)?.receipts ?? null,
    eth_getLogs: ({ blockHash, fromBlock, toBlock, ...filter }: SimLogFilter) => {
      if (blockHash && !at(blockHash)) return rpcError(-32000, 'unknown block');
      const found = blockHash ? [at(blockHash)!] : chain.slice(heightOf(fromBlock!), heightOf(toBlock!) + 1);
      const logs = found.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
      return logs.filter((log) => matchesWireFilter(log, filter));
    },
    eth_getRawTransactionByHash: (hash: string) => encodingOf.get(hash) ?? null,
  };
}
