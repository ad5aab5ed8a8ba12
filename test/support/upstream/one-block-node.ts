import { addressOf, block, type CannedTable, hashOf, log, receipt, rpcError, transaction } from '../graph/in-process.ts';

export const HASH = hashOf(0xb10);
const OMMER = hashOf(0x0e);
const FILLED = `0x7${'f'.repeat(511)}`;
export const OWN = transaction({ accessList: [{ address: addressOf(1), storageKeys: [hashOf(1)] }] });
export const whole = block({ logsBloom: FILLED, transactions: [OWN], uncles: [OMMER] });
export const light = block({ logsBloom: FILLED, transactions: [hashOf(0x71)], uncles: [OMMER] });
export const logs = [log(), log({ logIndex: '0x1', address: addressOf(0xd) })];

/** A node with one block. Whatever names that block has it. */
export const ONE_BLOCK: CannedTable = {
  eth_chainId: '0x1',
  eth_getBlockByNumber: (_ref: string, full: boolean) => (full ? whole : light),
  eth_getBlockByHash: (hash: string, full: boolean) => (hash !== HASH ? null : full ? whole : light),
  eth_getBlockTransactionCountByNumber: '0x1',
  eth_getUncleCountByBlockNumber: '0x1',
  eth_getTransactionByHash: OWN,
  eth_getTransactionByBlockHashAndIndex: OWN,
  eth_getTransactionReceipt: receipt({ logs }),
  eth_getBlockReceipts: [receipt({ logs })],
  eth_getUncleByBlockHashAndIndex: block({ hash: OMMER, number: '0xf' }),
  eth_getLogs: ({ address, topics, blockHash }: any) =>
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
