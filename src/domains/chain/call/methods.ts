import { CALL_EXECUTION_COST, FILTER_VALUE_COST, GAS_ESTIMATE_COST } from '../../../ethereum/call-costs.ts';
import { countDataWords, type RpcCallObject } from '../../../ethereum/call-object.ts';
import { data, invalidShape, object, quantity } from '../../../ethereum/decoders.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { MAX_RETURN_DATA_BYTES, readFailedCall } from '../../../ethereum/revert-error.ts';
import type { RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { readAccessListResult, readSimulation } from '../../../ethereum/simulation.ts';
import { GraphError } from '../../../lib/errors.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod, type StateMethod } from '../../../snapshot/state-methods.ts';
import type { BlockPointer } from '../../../upstream/rpc/rpc-call.ts';

/** A method that executes a message call, or several. It ignores the address of the state reader: the calls contain theirs. */
export type CallMethod<C, R> = StateMethod<[call: C], R>;

const dataCost = ({ data: sent }: RpcCallObject): number => FILTER_VALUE_COST * countDataWords(sent);

/** The cost of executing a call, for example by `eth_call`. */
const executionCost = (call: RpcCallObject): number => CALL_EXECUTION_COST + dataCost(call);

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

function readReturnData(result: unknown): Data {
  if (typeof result !== 'string' || result.length <= 2 + 2 * MAX_RETURN_DATA_BYTES) return data(result);
  throw new GraphError('RESULT_TOO_LARGE', `The call returns more than ${MAX_RETURN_DATA_BYTES} bytes.`, {
    limit: MAX_RETURN_DATA_BYTES,
    actual: (result.length - 2) / 2,
    method: 'eth_call',
  });
}

/** The data that a call returns. Rejects with EXECUTION_REVERTED when it fails. */
export const executedCall = callMethod('eth_call', readReturnData, callAndBlock, executionCost);

/** The gas that a transaction with the call needs. Rejects with EXECUTION_REVERTED when the call fails. */
export const estimatedGas = callMethod('eth_estimateGas', quantity, callAndBlock, (call) => GAS_ESTIMATE_COST + dataCost(call));

/** The access list of a call. */
export const accessListOf = {
  ...callMethod('eth_createAccessList', readAccessListResult, callAndBlock, executionCost),
  isOptional: true as const,
};

/** The results of calls in one block on top of a block. Few nodes have this method. */
export const simulatedCalls = {
  ...callMethod(
    'eth_simulateV1',
    (result, calls: readonly RpcCallObject[]) => readSimulation(result, calls.length),
    (calls, at) => [{ blockStateCalls: [{ calls }], traceTransfers: true }, at],
    (calls) => calls.reduce((sum, call) => sum + executionCost(call), 0),
  ),
  isOptional: true as const,
};

function readSimulatedGas(result: unknown): Quantity {
  const [block, ...others] = Array.isArray(result) ? result : [];
  const calls = block === undefined || others.length > 0 ? undefined : object<{ calls?: unknown }>()(block).calls;
  if (!Array.isArray(calls) || calls.length !== 1) throw invalidShape('the simulation of one call');
  return quantity(object<{ gasUsed?: unknown }>()(calls[0]).gasUsed);
}

/** The gas that a call uses when it is simulated in a block after the given one, also when it fails. */
export const simulatedGas = {
  ...callMethod(
    'eth_simulateV1',
    readSimulatedGas,
    (call: RpcCallObject, at) => [{ blockStateCalls: [{ calls: [call] }] }, at],
    executionCost,
  ),
  isOptional: true as const,
};

/** Cost of a trace: the node executes the transactions of the block up to this one again. */
const TRACE_COST = 20;

/** Traces the call itself, without the calls inside it. */
const TOP_CALL = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The outcome of a failed transaction, given by its receipt. Few nodes have this method. */
export const failedCallOf = {
  ...rpcMethod(
    'debug_traceTransaction',
    (result: unknown, { from }: RpcReceipt) => readFailedCall(result, from),
    ({ transactionHash }: RpcReceipt) => [transactionHash, TOP_CALL],
  ),
  inclusionBlock: (_result: unknown, { blockNumber, blockHash }: RpcReceipt): BlockPointer => ({
    number: blockNumber,
    hash: blockHash,
  }),
  cost: () => TRACE_COST,
};

/** The gas that a call uses, from a trace, also when it fails. */
export const tracedGas = {
  ...callMethod(
    'debug_traceCall',
    (result) => quantity(object<{ gasUsed?: unknown }>()(result).gasUsed),
    (call: RpcCallObject, at) => [call, at, TOP_CALL],
    executionCost,
  ),
  isOptional: true as const,
};
