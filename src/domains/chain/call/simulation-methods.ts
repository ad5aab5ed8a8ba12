import { countDataWords, type RpcCallObject } from '../../../ethereum/call-object.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { readAccessListResult, readSimulation } from '../../../ethereum/simulation.ts';
import { CALL_EXECUTION_COST, FILTER_VALUE_COST } from '../../../graphql/cost/field-cost.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';

/** The cost of executing a call, as that of `eth_call`. */
const costOf = ({ data: sent }: RpcCallObject): number => CALL_EXECUTION_COST + FILTER_VALUE_COST * countDataWords(sent);

/** The results of calls in one block on top of a block. The address is ignored; the calls contain theirs. Few nodes have this method. */
export const simulatedCalls = {
  ...rpcMethod(
    'eth_simulateV1',
    (result: unknown, _address: Data, _at: BlockParameter, calls: readonly RpcCallObject[]) =>
      readSimulation(result, calls.length),
    (_address: Data, at: BlockParameter, calls: readonly RpcCallObject[]) => [
      { blockStateCalls: [{ calls }], traceTransfers: true },
      at,
    ],
  ),
  ...immutableStateAtBlockHash,
  isOptional: true as const,
  cost: (_address: Data, _at: BlockParameter, calls: readonly RpcCallObject[]): number =>
    calls.reduce((sum, call) => sum + costOf(call), 0),
};

/** The access list of a call. The address is ignored; the call contains it. */
export const accessListOf = {
  ...rpcMethod('eth_createAccessList', readAccessListResult, (_address: Data, at: BlockParameter, call: RpcCallObject) => [
    call,
    at,
  ]),
  ...immutableStateAtBlockHash,
  isOptional: true as const,
  cost: (_address: Data, _at: BlockParameter, call: RpcCallObject): number => costOf(call),
};
