import { bloomShowsLogs } from '../../ethereum/bloom.ts';
import { BLOCK_LOGS_COST, WHOLE_BLOCK_COST } from '../../ethereum/call-costs.ts';
import { hexQuantity, listOrNull } from '../../ethereum/decoders.ts';
import { type Quantity, quantityOf, toBigInt } from '../../ethereum/hex.ts';
import type { RpcBlock } from '../../ethereum/rpc-types.ts';
import { GraphError } from '../../lib/errors.ts';
import { memoizePerObject } from '../../lib/memoize.ts';
import { createEntityLoader } from '../../operation/entity-loader.ts';
import type { HistoryResource } from '../../upstream/rpc/endpoint-capabilities.ts';
import { createOperationCalls, type OperationCalls } from '../../upstream/rpc/operation-calls.ts';
import type { RpcMethod, RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeEndpoint } from '../../upstream/rpc/session.ts';
import type { Snapshot } from '../index.ts';
import { hasCode, nullFor } from '../node-capabilities.ts';
import { blockBy, latestBlockNumber, rpcMethod } from '../state-methods.ts';
import { recordReportedHistory } from './pruned-blocks.ts';

/** The number of items of a list, without nulls; null for null. The items of a probe are not read. */
const countOrNull = (result: unknown): number | null => listOrNull(result)?.filter((item) => item !== null).length ?? null;

const logsAt = {
  ...rpcMethod('eth_getLogs', countOrNull, (height: Quantity) => [{ fromBlock: height, toBlock: height }]),
  cost: () => BLOCK_LOGS_COST,
};
const receiptsAt = {
  ...rpcMethod('eth_getBlockReceipts', countOrNull, (height: Quantity) => [height]),
  cost: () => WHOLE_BLOCK_COST,
};
const balanceAt = rpcMethod('eth_getBalance', hexQuantity, (height: Quantity) => [`0x${'0'.repeat(40)}`, height]);

/**
 * Whether the node serves a height; undefined if the response does not show whether it does, such as an empty list for
 * an empty block.
 */
type ProbeResult = boolean | undefined;

/** Whether a block contains no data of a resource. */
const isEmptyOf = (resource: HistoryResource, { gasUsed, logsBloom }: RpcBlock): boolean =>
  resource === 'LOGS' ? !bloomShowsLogs(logsBloom) : toBigInt(gasUsed) === 0n;

type Probe = (calls: OperationCalls, height: Quantity) => Promise<ProbeResult>;

/** Reads a list, which must be complete: some nodes return an empty list for pruned blocks. */
const listProbe =
  (resource: HistoryResource, method: RpcMethod<[Quantity], number | null>): Probe =>
  async (calls, height) => {
    const [count, block] = await Promise.all([calls.call(method, height), calls.call(blockBy, height, false)]);
    if (count === 0) return block && isEmptyOf(resource, block) ? undefined : false;
    return count !== null;
  };

/** One read of each resource at a height. */
const PROBES: Readonly<Record<HistoryResource, Probe>> = {
  BLOCKS: async (calls, height) => (await calls.call(blockBy, height, false)) !== null,
  RECEIPTS: listProbe('RECEIPTS', receiptsAt),
  LOGS: listProbe('LOGS', logsAt),
  STATE: async (calls, height) => (await calls.call(balanceAt, height)) !== null,
};

/**
 * Returns null for an error of a node that does not serve a height below its head; rethrows any other error. UPSTREAM_ERROR stands for
 * an error in an unknown dialect.
 */
const nullIfUnavailable = nullFor('HISTORY_PRUNED', 'BLOCK_NOT_AVAILABLE', 'UPSTREAM_ERROR');

/** Returns null for an endpoint without the method of a probe, or with a pruned head; rethrows any other error. */
const nullIfNotServed = nullFor('METHOD_NOT_SUPPORTED', 'HISTORY_PRUNED');

/** Reads a resource at a height. Rejects with the error of the node. */
const readResource = (resource: HistoryResource, calls: OperationCalls, height: number): Promise<ProbeResult> =>
  PROBES[resource](calls, quantityOf(height)).catch((error) => {
    // The node has found more results than it returns.
    if (hasCode(error, 'RESULT_TOO_LARGE')) return true;
    throw error;
  });

/** Reads a resource at a height; false for an error of an unavailable height. */
const probe = (resource: HistoryResource, calls: OperationCalls, height: number): Promise<ProbeResult> =>
  readResource(resource, calls, height).catch((error) => nullIfUnavailable(error) ?? false);

/**
 * Distances of the blocks that are considered instead of an empty block: the next blocks, and blocks after a possible
 * empty start of the chain.
 */
const DISTANCES = [...Array.from({ length: 16 }, (_, i) => i + 1), ...Array.from({ length: 12 }, (_, i) => 3 ** (i + 3))];
/** Number of blocks, evenly distributed up to the end, that are considered if all blocks at `DISTANCES` are empty. */
const SPREAD = 64;

/**
 * Returns a height that the node does not serve, at least `height` and below `end`; undefined if the node serves
 * `height`. If the block at `height` is empty, reads a later block with contents instead. If none is found, assumes
 * that the node serves `height`: its lists of all blocks that were read are right.
 */
async function findPruned(resource: HistoryResource, calls: OperationCalls, height: number, end: number) {
  const isServed = await probe(resource, calls, height);
  if (isServed !== undefined) return isServed ? undefined : height;
  const spread = Array.from({ length: SPREAD }, (_, i) => Math.ceil(((end - height) * (i + 1)) / (SPREAD + 1)));
  const findFilled = async (distances: readonly number[]): Promise<number | undefined> => {
    const heights = distances.map((distance) => height + distance).filter((other) => other < end);
    const reads = heights.map((other) => calls.call(blockBy, quantityOf(other), false).catch(nullIfUnavailable));
    const blocks = await Promise.all(reads);
    return heights.find((_height, i) => blocks[i] && !isEmptyOf(resource, blocks[i]));
  };
  const filled = (await findFilled(DISTANCES)) ?? (await findFilled(spread));
  return filled !== undefined && (await probe(resource, calls, filled)) === false ? filled : undefined;
}

/**
 * Whether the node serves a resource at its head. Rejects if the endpoint lags behind the head, has pruned the resource,
 * or rejects the probe itself.
 */
async function isServedAtHead(resource: HistoryResource, calls: OperationCalls, head: number): Promise<boolean> {
  const [isServed, block] = await Promise.all([
    readResource(resource, calls, head).catch((error) => {
      if (hasCode(error, 'BLOCK_NOT_AVAILABLE')) return false;
      throw error;
    }),
    calls.call(blockBy, quantityOf(head), false),
  ]);
  if (block === null) throw new GraphError('STALE_UPSTREAM', 'The node lags behind the head of this operation.');
  return isServed ?? true;
}

/**
 * Finds the oldest height from which on the node serves a resource without a gap, by bisection; undefined when the node
 * lacks the resource at `head`, maybe because one of its backends lags. Block 0 counts only if block 1 is served, because pruned nodes retain the genesis
 * block. Needs at most 3 + log2(head) reads if blocks have contents. Rejects with the error of a read that proves
 * nothing, such as a timeout or a lagging node, with METHOD_NOT_SUPPORTED, and with HISTORY_PRUNED at `head`.
 */
async function findOldestBlock(resource: HistoryResource, calls: OperationCalls, head: number): Promise<number | undefined> {
  const [isServed, firstPruned, hasGenesis] = await Promise.all([
    isServedAtHead(resource, calls, head),
    findPruned(resource, calls, Math.min(1, head), head),
    probe(resource, calls, 0),
  ]);
  if (!isServed) return undefined;
  if (firstPruned === undefined) return hasGenesis === false ? 1 : 0;
  let [pruned, available] = [firstPruned, head];
  while (available - pruned > 1) {
    const middle = Math.floor((pruned + available) / 2);
    const found = await findPruned(resource, calls, middle, available);
    if (found === undefined) available = middle;
    else pruned = found;
  }
  return available;
}

/**
 * Creates the loader of the first and the last height that the node serves, by resource: the heights of the endpoint that serves most of
 * them, because calls for pruned history are sent to each endpoint. Null when no endpoint serves the resource. Source:
 * `eth_capabilities`; probes on a node without it.
 */
export function availableRangeLoader({ node, pin, calls, operation }: Snapshot) {
  const { signal, budget } = operation;

  /** Calls to one endpoint. Calls of one tick share one POST. */
  const callsTo = memoizePerObject((endpoint: NodeEndpoint): OperationCalls => {
    const sender: RpcSender = { send: (batch, callSignal) => endpoint.send(batch, callSignal, budget) };
    return createOperationCalls(sender, signal, undefined, undefined, budget);
  });

  const oldestBlockOf = async (endpoint: NodeEndpoint, resource: HistoryResource, head: number): Promise<number | null> => {
    const { oldestBlocks } = endpoint.capabilities;
    if (oldestBlocks.get(resource) === undefined) await recordReportedHistory(endpoint, operation);
    const reported = oldestBlocks.get(resource);
    if (reported !== undefined) return reported;
    const found = await findOldestBlock(resource, callsTo(endpoint), head).catch(nullIfNotServed);
    if (found !== undefined) oldestBlocks.set(resource, found);
    return found ?? null;
  };

  const ranges = createEntityLoader(async (resource: HistoryResource) => {
    operation.dependencies.addVolatile();
    // A request for an older block does not change the heights that the node serves.
    const last = pin.isPinnedByRequest ? await calls.call(latestBlockNumber) : (await pin.head()).number;
    const usable = node.endpoints.filter(({ isOpen }) => !isOpen);
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
