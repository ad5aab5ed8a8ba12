import { bloomOf } from '../ethereum/logs-bloom.ts';
import {
  addressOf,
  block as blockFixture,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubResponses,
  transactionFixture,
} from '../graph/stubbed-graph.ts';
import type { SimLogFilter } from '../simulator/rpc-simulator.ts';

export const BLOCK_HASH = hashOf(0xb10);
const OMMER_HASH = hashOf(0x0e);
export const BLOCK_TRANSACTION = transactionFixture({ accessList: [{ address: addressOf(1), storageKeys: [hashOf(1)] }] });
export const logs = [logFixture(), logFixture({ logIndex: '0x1', address: addressOf(0xd) })];
const logsBloom = bloomOf(logs);
export const fullBlock = blockFixture({ logsBloom, transactions: [BLOCK_TRANSACTION], uncles: [OMMER_HASH] });
export const blockWithHashes = blockFixture({ logsBloom, transactions: [hashOf(0x71)], uncles: [OMMER_HASH] });

/** A node with one block, which it returns for every block reference. */
export const ONE_BLOCK: StubResponses = {
  eth_chainId: '0x1',
  eth_getBlockByNumber: (_ref: string, full: boolean) => (full ? fullBlock : blockWithHashes),
  eth_getBlockByHash: (hash: string, full: boolean) => (hash !== BLOCK_HASH ? null : full ? fullBlock : blockWithHashes),
  eth_getBlockTransactionCountByNumber: '0x1',
  eth_getUncleCountByBlockNumber: '0x1',
  eth_getTransactionByHash: BLOCK_TRANSACTION,
  eth_getTransactionByBlockHashAndIndex: BLOCK_TRANSACTION,
  eth_getTransactionReceipt: receiptFixture({ logs }),
  eth_getBlockReceipts: [receiptFixture({ logs })],
  eth_getUncleByBlockHashAndIndex: blockFixture({ hash: OMMER_HASH, number: '0xf' }),
  eth_getLogs: ({ address, topics, blockHash }: SimLogFilter) =>
    blockHash === hashOf(1)
      ? rpcError(-32000, 'unknown block')
      : logs.filter((one) => (address ?? one.address) === one.address && (topics?.[0] ?? hashOf(0x70)) === hashOf(0x70)),
  eth_getBalance: '0x5',
  eth_getStorageAt: hashOf(7),
  eth_getCode: '0x',
  eth_gasPrice: '0x6e',
  eth_syncing: { startingBlock: '0x0', currentBlock: '0x10', highestBlock: '0x11' },
  net_version: '1',
  net_listening: true,
  eth_blockNumber: '0x10',
  eth_accounts: [addressOf(1)],
  eth_protocolVersion: '65',
  eth_maxPriorityFeePerGas: '0x1',
  eth_getTransactionCount: '0x1',
  eth_call: hashOf(5),
  svc_getTokenMetadata: { name: 'Gold', symbol: 'GLD', decimals: 18, logo: null },
  svc_getTokenAllowance: '5',
  svc_getTokenBalances: (address: string, contracts: readonly string[]) => ({
    address,
    tokenBalances: contracts.map((contractAddress) => ({ contractAddress, tokenBalance: hashOf(9), error: null })),
  }),
  eth_feeHistory: { oldestBlock: '0x10', baseFeePerGas: ['0x64', '0x65'] },
};
