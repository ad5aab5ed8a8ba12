import { quantity } from '../../ethereum/decoders.ts';
import type { Data } from '../../ethereum/hex.ts';
import { readLogs } from '../../ethereum/log-results.ts';
import { rpcMethod } from '../../snapshot/state-methods.ts';

/** The logs of a block by hash with this first topic. An empty list is confirmed while the node may ignore the hash. */
export const logsWithTopic = {
  ...rpcMethod(
    'eth_getLogs',
    (result: unknown, blockHash: Data, topic: Data) => readLogs(result, { blockHash, topics: [topic] }),
    (blockHash: Data, topic: Data) => [{ blockHash, topics: [topic] }],
  ),
  blockHash: (blockHash: Data): Data => blockHash,
  confirmsEmpty: true,
};

/** The nonce of an account's next transaction, as of the latest block. */
export const transactionCountOf = rpcMethod('eth_getTransactionCount', quantity, (address: Data) => [address, 'latest']);
