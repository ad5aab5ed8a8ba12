import type { RpcCallObject } from '../../../ethereum/call-object.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod } from '../../../snapshot/node-capabilities.ts';
import type { StateMethod } from '../../../snapshot/state-methods.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import type { AccessListAtBlock, CallAtBlock, SimulatedCallTo } from '../model.ts';
import { type RevertReason, rethrowCallError, withRevertReason } from './load.ts';
import { accessListOf, simulatedCalls } from './simulation-methods.ts';

/** The results of a simulation, and the block on whose state it was executed: a height, or the head. */
export interface SimulationAtBlock {
  readonly base: BlockRef;
  readonly calls: readonly SimulatedCallTo[];
}

interface SimulationRead {
  readonly calls: readonly RpcCallObject[];
  readonly at: BlockRef;
}

/** The calls contain their addresses; the state reader needs one of its own. */
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
