import type { RpcCall } from './rpc-call.ts';

/** Compute units of a call of a method that `METHOD_UNITS` does not name. */
export const OTHER_METHOD_UNITS = 20;

/**
 * Compute units of one call, by method, as hosted nodes publish them for billing. A node may bill others; docs/limits.md has the table for
 * clients.
 */
export const METHOD_UNITS: ReadonlyMap<string, number> = new Map([
  ['eth_chainId', 0],
  ['eth_protocolVersion', 0],
  ['eth_syncing', 0],
  ['net_listening', 0],
  ['net_version', 0],
  ['eth_accounts', 10],
  ['eth_blockNumber', 10],
  ['eth_createAccessList', 10],
  ['eth_feeHistory', 10],
  ['eth_maxPriorityFeePerGas', 10],
  ['eth_call', 26],
  ['debug_traceCall', 40],
  ['debug_traceTransaction', 40],
  ['eth_sendRawTransaction', 40],
  ['eth_getLogs', 60],
]);

/** The compute units of the calls of one POST. */
export function computeUnitsOf(calls: readonly Pick<RpcCall, 'method'>[]): number {
  let units = 0;
  for (const { method } of calls) units += METHOD_UNITS.get(method) ?? OTHER_METHOD_UNITS;
  return units;
}
