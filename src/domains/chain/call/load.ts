import { SIMULATED_BLOCK_COST } from '../../../ethereum/call-costs.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { RevertError, readReturnData } from '../../../ethereum/revert-error.ts';
import type { BlockRef, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import type { RpcSimulationRequest } from '../../../ethereum/simulation.ts';
import { type ErrorDetail, GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode, nullIfUnsupported, requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import type { abiDecoder } from '../log/criteria.ts';
import type { AccessListAtBlock, CallAtBlock, CallBlock, ExecutedCall } from '../model.ts';
import { accessListOf, type CallMethod, estimatedGas, executedCall, failedCallOf, simulatedGas, tracedGas } from './methods.ts';
import { type SimulationAtBlock, simulatedBlocks, toSimulation } from './simulate.ts';

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
  const { stateReader, session, calls, operation } = snapshot;

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
      // The read of a token may have sent an equal call, so the limit is not part of the method.
      const data = readReturnData(await read(executedCall, key.call, key.block), executedCall.name as string, 'The call');
      return { ...key, data, status: '0x1' };
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

  const tracedPayload = async ({ transactionHash: hash, blockHash, blockNumber, from }: RpcReceipt): Promise<Data | null> => {
    const trace = () => calls.call(failedCallOf, { hash, blockHash, blockNumber, from });
    const failed = await nullIfUnsupported(snapshot, failedCallOf.name, trace);
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

    /** Executes calls in blocks on top of a block. Source: `eth_simulateV1`. */
    async simulate(request: RpcSimulationRequest, at: BlockRef): Promise<SimulationAtBlock> {
      const blocks = await readOptional(simulatedBlocks, request, { at });
      // The blocks that the node has inserted, which only the result shows.
      operation.budget?.addCost(SIMULATED_BLOCK_COST * (blocks.length - request.blockStateCalls.length));
      return toSimulation(blocks, request, at);
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
