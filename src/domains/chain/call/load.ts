import { CALL_EXECUTION_COST, FILTER_VALUE_COST, GAS_ESTIMATE_COST } from '../../../ethereum/call-costs.ts';
import { countDataWords, type RpcCallObject } from '../../../ethereum/call-object.ts';
import { data, invalidShape, object, quantity } from '../../../ethereum/decoders.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { MAX_RETURN_DATA_BYTES, RevertError, readFailedCall } from '../../../ethereum/revert-error.ts';
import type { BlockRef, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { readAccessListResult, readSimulation } from '../../../ethereum/simulation.ts';
import { type ErrorDetail, GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode, nullIfUnsupported, requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod, type StateMethod } from '../../../snapshot/state-methods.ts';
import { type BlockPointer, serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import type { abiDecoder } from '../log/criteria.ts';
import type { AccessListAtBlock, CallAtBlock, CallBlock, CallInSimulation, ExecutedCall } from '../model.ts';

/**
 * A method that executes one or several message calls. It ignores the address of the state reader, because the calls
 * contain their addresses.
 */
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

/** A method that a node may lack. */
const optionalCallMethod = <C, R>(...args: Parameters<typeof callMethod<C, R>>) => ({
  ...callMethod(...args),
  isOptional: true as const,
});

function readReturnData(result: unknown): Data {
  if (typeof result !== 'string' || result.length <= 2 + 2 * MAX_RETURN_DATA_BYTES) return data(result);
  const detail = { limit: MAX_RETURN_DATA_BYTES, actual: (result.length - 2) / 2, method: 'eth_call' };
  throw new GraphError('RESULT_TOO_LARGE', `The call returns more than ${MAX_RETURN_DATA_BYTES} bytes.`, detail);
}

/** The data that a call returns. Rejects with EXECUTION_REVERTED when it fails. */
export const executedCall = callMethod('eth_call', readReturnData, callAndBlock, executionCost);

/** The gas that a transaction with the call needs. Rejects with EXECUTION_REVERTED when the call fails. */
const estimatedGas = callMethod('eth_estimateGas', quantity, callAndBlock, (call) => GAS_ESTIMATE_COST + dataCost(call));

/** The access list of a call. */
const accessListOf = optionalCallMethod('eth_createAccessList', readAccessListResult, callAndBlock, executionCost);

/** The results of calls in one block on top of a block. Few nodes have this method. */
const simulatedCalls = optionalCallMethod(
  'eth_simulateV1',
  (result, calls: readonly RpcCallObject[]) => readSimulation(result, calls.length),
  (calls, at) => [{ blockStateCalls: [{ calls }], traceTransfers: true }, at],
  (calls) => calls.reduce((sum, call) => sum + executionCost(call), 0),
);

const readGasUsed = (result: unknown) => quantity(object<{ gasUsed?: unknown }>()(result).gasUsed);

function readSimulatedGas(result: unknown): Quantity {
  const [block, ...others] = Array.isArray(result) ? result : [];
  const calls = block === undefined || others.length > 0 ? undefined : object<{ calls?: unknown }>()(block).calls;
  if (!Array.isArray(calls) || calls.length !== 1) throw invalidShape('the simulation of one call');
  return readGasUsed(calls[0]);
}

/** The gas that a call uses when it is simulated in a block after the given one, also when it fails. */
const simulatedGas = optionalCallMethod(
  'eth_simulateV1',
  readSimulatedGas,
  (call: RpcCallObject, at) => [{ blockStateCalls: [{ calls: [call] }] }, at],
  executionCost,
);

/** Cost of a trace: the node executes the transactions of the block again, up to the traced transaction. */
const TRACE_COST = 20;

/** Options that trace only the outermost call, without the calls inside it. */
const TOP_CALL = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The outcome of a failed transaction, given by its receipt. Few nodes have this method. */
const failedCallOf = {
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
const tracedGas = optionalCallMethod(
  'debug_traceCall',
  readGasUsed,
  (call: RpcCallObject, at) => [call, at, TOP_CALL],
  executionCost,
);

/** The results of a simulation, and the block on whose state it was executed: a height, or the head. */
export interface SimulationAtBlock {
  readonly base: BlockRef;
  readonly calls: readonly CallInSimulation[];
}

/** Describes and decodes the payload of a revert by the ABI of the called contract. */
type RevertDecoder = Pick<ReturnType<typeof abiDecoder>, 'revertReason' | 'revertError'>;

/** The state reader needs an address, which methods for calls ignore. */
const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const INVALID_PARAMS_CODE = -32602;

const keyOf = ({ call, block: { at } }: CallAtBlock): string => `${at} ${serializeParam(call)}`;

/** Rethrows an error of a call. The block is not the cause of invalid parameters, because the state reader has tried its hash and its height. */
function rethrowCallError(error: unknown): never {
  if (!hasCode(error, 'UPSTREAM_PROTOCOL_ERROR') || error.extensions.rpcCode !== INVALID_PARAMS_CODE) throw error;
  const message =
    'The node rejected the fields of the call. Pass the fields of a transaction that the block accepts, `to` included.';
  const { method } = error.extensions as ErrorDetail;
  const detail = { ...(method !== undefined && { method }), rpcCode: INVALID_PARAMS_CODE };
  throw new GraphError('BAD_USER_INPUT', message, { source: 'node', ...detail, cause: error });
}

/** Creates the loaders of executed and simulated calls, keyed by block and calls, and of the outcome of reverted transactions. */
export function callLoader(snapshot: Snapshot, decoder: RevertDecoder) {
  const { stateReader, session, calls } = snapshot;

  const read = <C, R>(method: CallMethod<C, R>, call: C, block: CallBlock): Promise<R> =>
    stateReader.read(method, { address: NO_ADDRESS, ...block }, call);

  /**
   * Reads by a method that a node may lack. Rejects with METHOD_NOT_SUPPORTED; sends no call once the node is known to
   * lack the method.
   */
  const readOptional = <C, R>(method: CallMethod<C, R>, call: C, block: CallBlock): Promise<R> =>
    requireMethod(session, method.name as string, () => read(method, call, block)).catch(rethrowCallError);

  /** Gives EXECUTION_REVERTED of a call the reason and the error from the ABI of the called contract. */
  const addRevertReason =
    ({ call }: CallAtBlock) =>
    async (error: unknown): Promise<never> => {
      if (!(error instanceof RevertError) || error.payload === undefined) return rethrowCallError(error);
      const { payload } = error;
      throw error.withReason(await decoder.revertReason(payload, call.to), await decoder.revertError(payload, call.to));
    };

  const executions = createEntityLoader(async (key: CallAtBlock): Promise<ExecutedCall> => {
    try {
      return { ...key, data: await read(executedCall, key.call, key.block), status: '0x1' };
    } catch (error) {
      if (!(error instanceof RevertError)) return rethrowCallError(error);
      return { ...key, data: error.payload ?? '0x', status: '0x0' };
    }
  }, keyOf);

  const estimate = (key: CallAtBlock) => read(estimatedGas, key.call, key.block).catch(addRevertReason(key));
  const estimates = createEntityLoader(estimate, keyOf);

  const usedGas = createEntityLoader(({ call, block }: CallAtBlock) => {
    const simulate = () => read(simulatedGas, call, block);
    const trace = () => read(tracedGas, call, block);
    const traceOrReject = () => withFallback(session, tracedGas.name as string, trace, rejectGasUsed);
    return withFallback(session, simulatedGas.name as string, simulate, traceOrReject);
  }, keyOf);

  const tracedPayload = async (receipt: RpcReceipt): Promise<Data | null> => {
    const failed = await nullIfUnsupported(snapshot, failedCallOf.name, () => calls.call(failedCallOf, receipt));
    return failed?.revertPayload ?? null;
  };

  return {
    /** Executes a call. A failed execution is a result with status 0. Source: `eth_call`. */
    execute: (key: CallAtBlock): Promise<ExecutedCall> => executions.load(key),

    /** Estimates the gas of a call. Rejects with EXECUTION_REVERTED when it fails. Source: `eth_estimateGas`. */
    estimateGas: (key: CallAtBlock): Promise<Quantity> => estimates.load(key),

    /** Loads the gas that a call uses. Source: `eth_simulateV1`, else `debug_traceCall`; METHOD_NOT_SUPPORTED without either. */
    gasUsed: (key: CallAtBlock): Promise<Quantity> => usedGas.load(key),

    /** Creates the access list of a call. Source: `eth_createAccessList`. */
    createAccessList: async (key: CallAtBlock): Promise<AccessListAtBlock> => ({
      ...key,
      ...(await readOptional(accessListOf, key.call, key.block).catch(addRevertReason(key))),
    }),

    /** Executes calls in one block on top of a block. Source: `eth_simulateV1`. */
    async simulate(sent: readonly RpcCallObject[], at: BlockRef): Promise<SimulationAtBlock> {
      if (sent.length === 0) throw new GraphError('BAD_USER_INPUT', 'The list of calls is empty. Pass at least one call.');
      const results = await readOptional(simulatedCalls, sent, { at });
      return { base: at, calls: results.map((result, i) => ({ ...result, target: sent[i]!.to ?? null, base: at })) };
    },

    /**
     * Loads the payload of the revert of a transaction. Null for a transaction that did not revert, and for a
     * transaction before Byzantium, which introduced reverts. Source: `revertReason` of the receipt, else
     * `debug_traceTransaction`.
     */
    revertPayload(receipt: RpcReceipt): Data | null | Promise<Data | null> {
      if (!receipt.status || Number(receipt.status) !== 0) return null;
      return receipt.revertReason ?? tracedPayload(receipt);
    },
  };
}

const rejectGasUsed = async (): Promise<never> => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The node supports neither eth_simulateV1 nor debug_traceCall. Omit gasUsed.');
};
