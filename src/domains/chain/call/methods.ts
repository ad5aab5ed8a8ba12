import { CALL_EXECUTION_COST, FILTER_VALUE_COST, GAS_ESTIMATE_COST } from '../../../ethereum/call-costs.ts';
import { countCallWords, type RpcCallObject } from '../../../ethereum/call-object.ts';
import { asObject, data, invalidShape, quantity } from '../../../ethereum/decoders.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { readFailedCall } from '../../../ethereum/revert-error.ts';
import { readAccessListResult } from '../../../ethereum/simulation.ts';
import type { MinedTransaction } from '../../../ethereum/traces.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod, type StateMethod } from '../../../snapshot/state-methods.ts';
import { transactionTrace } from '../trace/methods.ts';

/**
 * A method that executes one or several message calls. It ignores the address of the state reader, because the calls
 * contain their addresses.
 */
export type CallMethod<C, R> = StateMethod<[call: C], R>;

const dataCost = (call: RpcCallObject): number => FILTER_VALUE_COST * countCallWords(call);

/** The cost of executing a call, for example by `eth_call`. */
export const executionCost = (call: RpcCallObject): number => CALL_EXECUTION_COST + dataCost(call);

const callAndBlock = (call: RpcCallObject, at: BlockParameter): readonly unknown[] => [call, at];

const callMethod = <C, R>(
  name: string,
  read: (result: unknown, call: C) => R,
  params: (call: C, at: BlockParameter) => readonly unknown[],
  cost: (call: C) => number,
) => ({
  ...rpcMethod(
    name,
    (result: unknown, _address: Data, _at: BlockParameter, call: C) => read(result, call),
    (_address: Data, at: BlockParameter, call: C) => params(call, at),
  ),
  ...immutableStateAtBlockHash,
  cost: (_address: Data, _at: BlockParameter, call: C) => cost(call),
});

/** A method that a node may lack. */
export const optionalCallMethod = <C, R>(...args: Parameters<typeof callMethod<C, R>>) => ({
  ...callMethod(...args),
  isOptional: true as const,
});

/** The data that a call returns. Rejects with EXECUTION_REVERTED when it fails. */
export const executedCall = callMethod('eth_call', data, callAndBlock, executionCost);

/** The gas that a transaction with the call needs. Rejects with EXECUTION_REVERTED when the call fails. */
export const estimatedGas = callMethod('eth_estimateGas', quantity, callAndBlock, (call) => GAS_ESTIMATE_COST + dataCost(call));

/** The access list of a call. */
export const accessListOf = optionalCallMethod('eth_createAccessList', readAccessListResult, callAndBlock, executionCost);

const readGasUsed = (result: unknown) => quantity(asObject(result).gasUsed);

function readSimulatedGas(result: unknown): Quantity {
  const [block, ...others] = Array.isArray(result) ? result : [];
  const calls = block === undefined || others.length > 0 ? undefined : asObject(block).calls;
  if (!Array.isArray(calls) || calls.length !== 1) throw invalidShape('the simulation of one call');
  return readGasUsed(calls[0]);
}

/**
 * The gas that a call uses when it is simulated in a block after the given one, also when it fails. `validation` makes its parameters differ from
 * those of `simulatedBlocks`: equal calls share one result, and this method reads less of it.
 */
export const simulatedGas = optionalCallMethod(
  'eth_simulateV1',
  readSimulatedGas,
  (call: RpcCallObject, at) => [{ blockStateCalls: [{ calls: [call] }], validation: false }, at],
  executionCost,
);

/** Options that trace only the outermost call, without the calls inside it. */
const TOP_CALL = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The outcome of a failed transaction of a sender. */
export const failedCallOf = transactionTrace(
  'debug_traceTransaction',
  (result, { from }: MinedTransaction & { readonly from: Data }) => readFailedCall(result, from),
  TOP_CALL,
);

/** The gas that a call uses, from a trace, also when it fails. */
export const tracedGas = optionalCallMethod(
  'debug_traceCall',
  readGasUsed,
  (call: RpcCallObject, at) => [call, at, TOP_CALL],
  executionCost,
);
