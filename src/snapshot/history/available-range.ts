import { type Quantity, quantityOf } from '../../ethereum/hex.ts';
import { createEntityLoader } from '../../operation/entity-loader.ts';
import type { HistoryResource } from '../../upstream/rpc/oldest-blocks.ts';
import { createOperationCalls, type OperationCalls } from '../../upstream/rpc/operation-calls.ts';
import type { NodeEndpoint } from '../../upstream/rpc/session.ts';
import type { Snapshot } from '../index.ts';
import { hasCode } from '../node-capabilities.ts';
import { latestBlockNumber } from '../state-methods.ts';
import { findOldestBlock } from './probes.ts';
import { recordReportedHistory } from './reported-history.ts';

/** Heights of blocks, both included. */
export interface AvailableRange {
  readonly first: Quantity;
  readonly last: Quantity;
}

/**
 * Creates the loader of the heights that the node serves, by resource: those of its endpoint that serves most, because calls for pruned
 * history are sent to each endpoint. Null when no endpoint serves the resource. Source: `eth_capabilities`; probes on a node without it.
 */
export function availableRangeLoader({ node, pin, calls, operation }: Snapshot) {
  const callsByEndpoint = new Map<NodeEndpoint, OperationCalls>();

  /** Calls to one endpoint. Those of a tick share one POST. */
  const callsTo = (endpoint: NodeEndpoint): OperationCalls => {
    const { signal, budget } = operation;
    const existing = callsByEndpoint.get(endpoint);
    const own = existing ?? createOperationCalls(endpointSender(endpoint, budget), signal, undefined, undefined, budget);
    callsByEndpoint.set(endpoint, own);
    return own;
  };

  const oldestBlockOf = async (endpoint: NodeEndpoint, resource: HistoryResource, head: number): Promise<number | null> => {
    const { oldestBlocks } = endpoint.rpc.capabilities;
    if (oldestBlocks.get(resource) === undefined) await recordReportedHistory(endpoint, operation);
    const reported = oldestBlocks.get(resource);
    if (reported !== undefined) return reported;
    const found = await findOldestBlock(resource, callsTo(endpoint), head).catch(nullIfMethodUnsupported);
    oldestBlocks.set(resource, found);
    return found;
  };

  const ranges = createEntityLoader(async (resource: HistoryResource): Promise<AvailableRange | null> => {
    operation.dependencies.addVolatile();
    // A request for an older block does not change what the node serves.
    const last = pin.isPinnedByRequest ? await calls.call(latestBlockNumber) : (await pin.head()).number;
    const usable = node.endpoints.filter(({ rpc }) => !rpc.isOpen);
    const endpoints = usable.length > 0 ? usable : node.endpoints;
    const results = await Promise.allSettled(endpoints.map((endpoint) => oldestBlockOf(endpoint, resource, Number(last))));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure && results.every(({ status }) => status === 'rejected')) throw failure.reason;
    const heights = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value ?? []].flat() : []));
    const first = Math.min(...heights);
    return first <= Number(last) ? { first: quantityOf(first), last } : null;
  }, String);

  return (resource: HistoryResource) => ranges.load(resource);
}

const endpointSender = (endpoint: NodeEndpoint, budget: Snapshot['operation']['budget']): Pick<Snapshot['session'], 'send'> => ({
  send: (calls, signal) => endpoint.send(calls, signal, budget),
});

/** Returns null for an endpoint without the method of a probe; rethrows any other error. */
function nullIfMethodUnsupported(error: unknown): null {
  if (hasCode(error, 'METHOD_NOT_SUPPORTED')) return null;
  throw error;
}
