import { GraphError } from '../../../errors.ts';
import type { RpcCallObject } from '../../../ethereum/call-object.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { RpcAccessListResult, RpcSimulatedCall } from '../../../ethereum/simulation.ts';
import { createEntityLoader } from '../../../graphql/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { StateMethod } from '../../../snapshot/state-methods.ts';
import { serializeParam } from '../../../upstream/rpc/rpc-call.ts';
import { accessListOf, simulatedCalls } from '../rpc-methods/simulation.ts';

/** The results of a simulation, and the block on whose state it was executed: a height, or the head. */
export interface SimulationAtBlock {
  readonly base: BlockRef;
  readonly calls: readonly RpcSimulatedCall[];
}

interface SimulationRead<A> {
  readonly argument: A;
  readonly at: BlockRef;
}

/** The calls contain their addresses; the state reader needs one of its own. */
const NO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Creates the loaders of simulations and access lists, keyed by block and calls. */
export function simulationLoader({ stateReader, session }: Snapshot) {
  /** Reads at a block. Rejects with METHOD_NOT_SUPPORTED; without a call once the node is known to lack the method. */
  const read = async <A, R>(name: string, method: StateMethod<[A], R>, { argument, at }: SimulationRead<A>): Promise<R> => {
    const { unsupportedMethods } = session.capabilities;
    if (unsupportedMethods.has(name)) throw notSupportedError(name);
    try {
      return await stateReader.read(method, { address: NO_ADDRESS, at }, argument);
    } catch (error) {
      if (hasCode(error, 'METHOD_NOT_SUPPORTED')) unsupportedMethods.add(name);
      throw error;
    }
  };
  const keyOf = <A>({ argument, at }: SimulationRead<A>): string => `${at} ${serializeParam(argument)}`;

  const simulations = createEntityLoader(
    async (key: SimulationRead<readonly RpcCallObject[]>): Promise<SimulationAtBlock> => ({
      base: key.at,
      calls: await read(simulatedCalls.name, simulatedCalls, key),
    }),
    keyOf,
  );
  const accessLists = createEntityLoader(
    (key: SimulationRead<RpcCallObject>): Promise<RpcAccessListResult> => read(accessListOf.name, accessListOf, key),
    keyOf,
  );

  return {
    /** Executes calls in one block on top of a block, by default the head. Source: `eth_simulateV1`. */
    async simulate(calls: readonly RpcCallObject[], block: Quantity | null): Promise<SimulationAtBlock> {
      if (calls.length === 0) throw new GraphError('BAD_USER_INPUT', 'The list of calls is empty. Pass at least one call.');
      return simulations.load({ argument: calls, at: block ?? 'latest' });
    },

    /** Creates the access list of a call at a block, by default the head. Source: `eth_createAccessList`. */
    createAccessList: (call: RpcCallObject, block: Quantity | null): Promise<RpcAccessListResult> =>
      accessLists.load({ argument: call, at: block ?? 'latest' }),
  };
}

const notSupportedError = (method: string) =>
  new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support this method.', { source: 'node', method });
