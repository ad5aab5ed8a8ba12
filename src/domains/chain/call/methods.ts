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

/** The cost of executing a call, for example by `eth_call`. */
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

/** Cost of a trace: the node executes the transactions of the block up to this one again. */
const TRACE_COST = 20;

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

/** A method that executes a message call. The address of the called account is part of the call object. */
export type CallMethod<R> = StateMethod<[call: RpcCallObject], R>;

const callMethod = <R>(
  name: string,
  read: (result: unknown) => R,
  params: (call: RpcCallObject, at: BlockParameter) => readonly unknown[],
  cost: number,
): CallMethod<R> => ({
  ...rpcMethod(name, read, (_to: Data, at: BlockParameter, call: RpcCallObject) => params(call, at)),
  ...immutableStateAtBlockHash,
  cost: (_to, _at, { data: sent }) => cost + FILTER_VALUE_COST * countDataWords(sent),
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
export const executedCall = callMethod('eth_call', readReturnData, (call, at) => [call, at], CALL_EXECUTION_COST);

/** The gas that a transaction with the call needs. Rejects with EXECUTION_REVERTED when the call fails. */
export const estimatedGas = callMethod('eth_estimateGas', quantity, (call, at) => [call, at], GAS_ESTIMATE_COST);

function readSimulatedGas(result: unknown): Quantity {
  const [block, ...others] = Array.isArray(result) ? result : [];
  const calls = block === undefined || others.length > 0 ? undefined : object<{ calls?: unknown }>()(block).calls;
  if (!Array.isArray(calls) || calls.length !== 1) throw invalidShape('the simulation of one call');
  return quantity(object<{ gasUsed?: unknown }>()(calls[0]).gasUsed);
}

/** The gas that a call uses when it is simulated in a block after the given one, also when it fails. */
export const simulatedGas: CallMethod<Quantity> = {
  ...callMethod(
    'eth_simulateV1',
    readSimulatedGas,
    (call, at) => [{ blockStateCalls: [{ calls: [call] }] }, at],
    CALL_EXECUTION_COST,
  ),
  isOptional: true,
};

/** Traces the call itself, without the calls inside it. */
const TOP_CALL_TRACER = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The gas that a call uses, from a trace, also when it fails. */
export const tracedGas: CallMethod<Quantity> = {
  ...callMethod(
    'debug_traceCall',
    (result) => quantity(object<{ gasUsed?: unknown }>()(result).gasUsed),
    (call, at) => [call, at, TOP_CALL_TRACER],
    CALL_EXECUTION_COST,
  ),
  isOptional: true,
};
