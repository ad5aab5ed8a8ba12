import { sameNumber } from '../../../ethereum/block-results.ts';
import {
  asObject,
  boolean,
  data,
  invalidShape,
  list,
  listOrNull,
  nullable,
  quantity,
  versionString,
} from '../../../ethereum/decoders.ts';
import { readForkConfigs } from '../../../ethereum/fork-config.ts';
import { type Quantity, quantityOf } from '../../../ethereum/hex.ts';
import type { RpcFeeHistory, RpcSyncState } from '../../../ethereum/rpc-types.ts';
import { latestBlockNumber, parameterlessMethod, rpcMethod } from '../../../snapshot/state-methods.ts';

/** Methods by the field of `Query` whose value is their result. Prices are in wei per gas. */
export const queryReads = {
  gasPrice: parameterlessMethod('eth_gasPrice', quantity),
  chainID: parameterlessMethod('eth_chainId', quantity),
};

/** Synchronisation progress; null while the node is not synchronising. */
export const syncState = parameterlessMethod('eth_syncing', (result) =>
  result === false ? null : asObject<RpcSyncState>(result),
);

/** Methods by the field of `Network` whose value is their result. */
export const networkReads = {
  networkID: parameterlessMethod('net_version', versionString),
  protocolVersion: parameterlessMethod('eth_protocolVersion', versionString),
  listening: parameterlessMethod('net_listening', boolean),
  blockNumber: latestBlockNumber,
  accounts: parameterlessMethod('eth_accounts', list(data)),
  config: parameterlessMethod('eth_config', readForkConfigs),
};

function readFeeHistory(result: unknown, number: Quantity): RpcFeeHistory {
  const history = asObject<RpcFeeHistory>(result);
  const { oldestBlock, baseFeePerGas } = history;
  if (!sameNumber(oldestBlock, number)) throw invalidShape('the fees of the requested block');
  listOrNull(baseFeePerGas)?.forEach(nullable(quantity));
  return history;
}

/**
 * Base fees of a block and of its child. Some nodes return a wrong fee of the child unless the block is the most recent
 * block.
 */
export const baseFees = rpcMethod('eth_feeHistory', readFeeHistory, (number: Quantity) => [quantityOf(1), number, []]);

/** The base fee per blob gas in wei; null before Cancun. */
export const blobBaseFee = parameterlessMethod('eth_blobBaseFee', nullable(quantity));

/** The node's suggested priority fee in wei per gas. */
export const priorityFee = parameterlessMethod('eth_maxPriorityFeePerGas', quantity);
