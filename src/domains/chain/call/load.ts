import type { RpcCallObject } from '../../../ethereum/call-object.ts';
import type { Data, Quantity } from '../../../ethereum/hex.ts';
import { RevertError } from '../../../ethereum/revert-error.ts';
import type { BlockRef, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { type ErrorDetail, GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode, nullIfUnsupported, requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import type { StateMethod } from '../../../snapshot/state-methods.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import type { AccessListAtBlock, CallAtBlock, ExecutedCall, SimulatedCallTo } from '../model.ts';
import {
  accessListOf,
  type CallMethod,
  estimatedGas,
  executedCall,
  failedCallOf,
  simulatedCalls,
  simulatedGas,
  tracedGas,
} from './methods.ts';

/** The results of a simulation, and the block on whose state it was executed: a height, or the head. */
export interface SimulationAtBlock {
  readonly base: BlockRef;
  readonly calls: readonly SimulatedCallTo[];
}

interface SimulationRead {
  readonly calls: readonly RpcCallObject[];
  readonly at: BlockRef;
}

/** The calls contain their addresses; the state reader needs a separate address. */
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Creates the loaders of simulations and access lists, keyed by block and calls. */
export function simulationLoader({ stateReader, session }: Snapshot, revertReason: RevertReason) {
  /** Reads at a block. Rejects with METHOD_NOT_SUPPORTED; without a call once the node is known to lack the method. */
  const read = <A, R>(name: string, method: StateMethod<[A], R>, at: BlockRef, argument: A): Promise<R> =>
    requireMethod(session, name, () => stateReader.read(method, { address: NO_ADDRESS, at }, argument)).catch(rethrowCallError);

  const simulations = createEntityLoader(
    async ({ calls, at }: SimulationRead): Promise<SimulationAtBlock> => {
      const results = await read(simulatedCalls.name, simulatedCalls, at, calls);
      return { base: at, calls: results.map((result, i) => ({ ...result, target: calls[i]!.to ?? null })) };
    },
    ({ calls, at }) => `${at} ${serializeParam(calls)}`,
  );
  const accessLists = createEntityLoader(
    async (key: CallAtBlock): Promise<AccessListAtBlock> => ({
      ...key,
      ...(await withRevertReason(key, revertReason, () => read(accessListOf.name, accessListOf, key.block.at, key.call))),
    }),
    ({ call, block }) => `${block.at} ${serializeParam(call)}`,
  );

  return {
    /** Executes calls in one block on top of a block, by default the head. Source: `eth_simulateV1`. */
    async simulate(calls: readonly RpcCallObject[], block: Quantity | null): Promise<SimulationAtBlock> {
      if (calls.length === 0) throw new GraphError('BAD_USER_INPUT', 'The list of calls is empty. Pass at least one call.');
      return simulations.load({ calls, at: block ?? 'latest' });
    },

    /** Creates the access list of a call. Source: `eth_createAccessList`. */
    createAccessList: (key: CallAtBlock): Promise<AccessListAtBlock> => accessLists.load(key),
  };
}

/**
 * Creates the loader of the payload of a transaction's revert, keyed by transaction and block. Null for a transaction that did not revert, and
 * for one before Byzantium, which introduced reverts. Source: `revertReason` of the receipt, else `debug_traceTransaction`.
 */
export function revertPayloadLoader(snapshot: Snapshot) {
  const payloads = createEntityLoader(
    async (receipt: RpcReceipt): Promise<Data | null> => {
      const failed = await nullIfUnsupported(snapshot, failedCallOf.name, () => snapshot.calls.call(failedCallOf, receipt));
      return failed?.revertPayload ?? null;
    },
    ({ transactionHash, blockHash }) => `${transactionHash} ${blockHash}`,
  );

  return (receipt: RpcReceipt): Data | null | Promise<Data | null> => {
    if (!receipt.status || Number(receipt.status) !== 0) return null;
    return receipt.revertReason ?? payloads.load(receipt);
  };
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const INVALID_PARAMS_CODE = -32602;

const keyOf = ({ call, block: { at } }: CallAtBlock): string => `${at} ${serializeParam(call)}`;

/** Rethrows an error of a call. The block is not the cause of invalid parameters, because the state reader has tried its hash and its height. */
export function rethrowCallError(error: unknown): never {
  if (!hasCode(error, 'UPSTREAM_PROTOCOL_ERROR') || error.extensions.rpcCode !== INVALID_PARAMS_CODE) throw error;
  const message =
    'The node rejected the fields of the call. Pass the fields of a transaction that the block accepts, `to` included.';
  const { method } = error.extensions as ErrorDetail;
  const detail = { ...(method !== undefined && { method }), rpcCode: INVALID_PARAMS_CODE };
  throw new GraphError('BAD_USER_INPUT', message, { source: 'node', ...detail, cause: error });
}

/** Describes the payload of a revert by the ABI of the called contract; null if no ABI fits. */
export type RevertReason = (payload: Data, target: Data | null | undefined) => string | null | Promise<string | null>;

/** Sends a call; its EXECUTION_REVERTED has the reason that the ABI of the called contract gives. */
export async function withRevertReason<R>({ call }: CallAtBlock, revertReason: RevertReason, send: () => Promise<R>): Promise<R> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RevertError) || error.payload === undefined) throw error;
    throw error.withReason(await revertReason(error.payload, call.to));
  }
}

/** Creates the loaders of executed calls, keyed by block and call. */
export function callLoader({ stateReader, session }: Snapshot, revertReason: RevertReason) {
  const read = <R>(method: CallMethod<R>, { call, block }: CallAtBlock): Promise<R> =>
    stateReader.read(method, { address: call.to ?? ZERO_ADDRESS, ...block }, call);

  const executions = createEntityLoader(async (key: CallAtBlock): Promise<ExecutedCall> => {
    try {
      return { ...key, data: await read(executedCall, key), status: '0x1' };
    } catch (error) {
      if (!(error instanceof RevertError)) return rethrowCallError(error);
      return { ...key, data: error.payload ?? '0x', status: '0x0' };
    }
  }, keyOf);

  const estimates = createEntityLoader(
    (key: CallAtBlock) => withRevertReason(key, revertReason, () => read(estimatedGas, key)).catch(rethrowCallError),
    keyOf,
  );

  const usedGas = createEntityLoader(
    (key: CallAtBlock): Promise<Quantity> =>
      withFallback(
        session,
        simulatedGas.name as string,
        () => read(simulatedGas, key),
        () => withFallback(session, tracedGas.name as string, () => read(tracedGas, key), rejectGasUsed),
      ),
    keyOf,
  );

  return {
    /** Executes a call. A failed execution is a result with status 0. Source: `eth_call`. */
    execute: (key: CallAtBlock): Promise<ExecutedCall> => executions.load(key),

    /** Estimates the gas of a call. Rejects with EXECUTION_REVERTED when it fails. Source: `eth_estimateGas`. */
    estimateGas: (key: CallAtBlock): Promise<Quantity> => estimates.load(key),

    /** Loads the gas that a call uses. Source: `eth_simulateV1`, else `debug_traceCall`; METHOD_NOT_SUPPORTED without either. */
    gasUsed: (key: CallAtBlock): Promise<Quantity> => usedGas.load(key),
  };
}

const rejectGasUsed = async (): Promise<never> => {
  throw new GraphError('METHOD_NOT_SUPPORTED', 'The node supports neither eth_simulateV1 nor debug_traceCall. Omit gasUsed.');
};
