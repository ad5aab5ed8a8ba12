import { asObject } from '../../ethereum/decoders.ts';
import { quantityOf, toQuantity } from '../../ethereum/hex.ts';
import { untilAborted } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { isRetryable } from '../../lib/retry.ts';
import type { Operation } from '../../operation/operation.ts';
import type { HistoryResource } from '../../upstream/rpc/endpoint-capabilities.ts';
import { type RpcCall, type RpcOutcome, toRpcCall } from '../../upstream/rpc/rpc-call.ts';
import type { NodeEndpoint } from '../../upstream/rpc/session.ts';
import { cachedBlock } from '../chain-facts.ts';
import type { PinnedBlock } from '../pinned-block.ts';
import type { RpcResultCache } from '../rpc-result-cache.ts';
import { parameterlessMethod } from '../state-methods.ts';

const RESOURCES: readonly HistoryResource[] = ['BLOCKS', 'RECEIPTS', 'LOGS', 'STATE'];

/** The reported heights: null for a resource that the node does not serve. A node omits a height that it does not know. */
type ReportedHeights = readonly (readonly [HistoryResource, number | null])[];

/**
 * Reads the result of `eth_capabilities`, which has a property for each resource. Throws UPSTREAM_BAD_RESPONSE for a
 * result without resources. Source: execution APIs.
 */
function readReportedHeights(result: unknown): ReportedHeights {
  const report = asObject(result, 'the capabilities of the node');
  return RESOURCES.flatMap((resource): ReportedHeights => {
    const name = resource.toLowerCase();
    const { disabled, oldestBlock } = asObject(report[name], `the range of ${name}`);
    const height = toQuantity(oldestBlock, 64);
    if (disabled === true) return [[resource, null]];
    return height === undefined ? [] : [[resource, Number(height)]];
  });
}

const capabilities = parameterlessMethod('eth_capabilities', readReportedHeights);

/**
 * Timeout of a report. It is short, because without a report errors lack details, and probes find the oldest blocks.
 */
const REPORT_TIMEOUT_MS = 2_000;

/**
 * Records the oldest blocks that an endpoint reports. Records nothing for a node without reports, or for a failed
 * report. All operations share a report, so no operation cancels it; each operation stops waiting when its signal
 * aborts. Source: `eth_capabilities`.
 */
export const recordReportedHistory = (endpoint: NodeEndpoint, { signal, budget }: Pick<Operation, 'signal' | 'budget'>) => {
  const { oldestBlocks } = endpoint.capabilities;
  const received = oldestBlocks.report(async () => {
    budget?.addCost(1);
    const [outcome] = await endpoint.send([toRpcCall(capabilities)], AbortSignal.timeout(REPORT_TIMEOUT_MS), undefined);
    if (!outcome || 'error' in outcome) return !outcome || !isRetryable(outcome.error, 2);
    // The reader of the call returned this result.
    for (const [resource, height] of outcome.result as ReportedHeights) oldestBlocks.set(resource, height);
    return true;
  });
  return untilAborted(received, signal);
};

const PRUNED_PARTS: Readonly<Record<HistoryResource, string>> = {
  BLOCKS: 'that block',
  RECEIPTS: 'the receipts of that block',
  LOGS: 'the logs of that block',
  STATE: 'the state of that block',
};

interface PrunedBlockSources {
  readonly node: { readonly endpoints: readonly NodeEndpoint[] };
  readonly pin: PinnedBlock;
  readonly cache: RpcResultCache | undefined;
  readonly operation: Pick<Operation, 'signal' | 'budget'>;
}

/** Adds the requested and the earliest block to the errors for pruned history. */
export async function describePrunedBlocks(
  calls: readonly RpcCall[],
  outcomes: readonly RpcOutcome[],
  { node, pin, cache, operation }: PrunedBlockSources,
): Promise<RpcOutcome[]> {
  const endpoints = node.endpoints.filter(({ isOpen }) => !isOpen);
  await Promise.all(endpoints.map((endpoint) => recordReportedHistory(endpoint, operation)));
  return outcomes.map((outcome, i) => {
    if (!('error' in outcome) || outcome.error.code !== 'HISTORY_PRUNED') return outcome;
    const { extensions, cause } = outcome.error;
    const resource = resourceOf(calls[i]!.method);
    const requested = requestedBlock(calls[i]!);
    const known = endpoints.map(({ capabilities }) => capabilities.oldestBlocks.get(resource));
    const heights = [...known, earliestInText(outcome.rpcError?.message)].filter((height) => typeof height === 'number');
    const detail = {
      ...(requested !== undefined && {
        requested: pin.header(requested)?.number ?? cachedBlock(cache, requested)?.number ?? requested,
      }),
      ...(heights.length > 0 && { earliest: quantityOf(Math.min(...heights)) }),
    };
    const message = `The node has pruned ${PRUNED_PARTS[resource]}.`;
    return { ...outcome, error: new GraphError('HISTORY_PRUNED', message, { ...extensions, ...detail, cause }) };
  });
}

/** Position of the block in the parameters, by the first letters of the method. */
const BLOCK_POSITIONS: readonly (readonly [RegExp, number])[] = [
  [/^(?:eth_get(?:Block|Uncle|TransactionByBlock)|debug_traceBlock|trace_block)/, 0],
  [/^eth_(?:getStorageAt|getProof)/, 2],
  [/^eth_(?:getBalance|getCode|getTransactionCount|call|estimateGas|createAccessList|feeHistory|simulate)|^debug_traceCall$/, 1],
];

/** The height or hash of the first block that a call requests; undefined for a tag and for a call without a block. */
function requestedBlock({ method, params }: RpcCall): string | undefined {
  const position = BLOCK_POSITIONS.find(([pattern]) => pattern.test(method))?.[1];
  const block = method === 'eth_getLogs' ? params[0] : position === undefined ? undefined : params[position];
  if (typeof block === 'string') return block.startsWith('0x') ? block : undefined;
  const { blockHash, blockNumber, fromBlock } = (block ?? {}) as Readonly<Record<string, unknown>>;
  const named = blockHash ?? blockNumber ?? fromBlock;
  return typeof named === 'string' && named.startsWith('0x') ? named : undefined;
}

const resourceOf = (method: string): HistoryResource => {
  if (/Receipt/.test(method)) return 'RECEIPTS';
  if (method === 'eth_getLogs') return 'LOGS';
  return /^eth_(?:feeHistory|get(?:Block|Uncle|RawTransaction|Transaction(?:By|$)))/.test(method) ? 'BLOCKS' : 'STATE';
};

/** Texts that name the earliest block. Source: Erigon, Reth. */
const EARLIEST_BLOCK = /(?:available from block|earliest available) #?(\d{1,15})\b/;

const earliestInText = (message: unknown): number | undefined => {
  const [, height] = (typeof message === 'string' && EARLIEST_BLOCK.exec(message)) || [];
  return height === undefined ? undefined : Number(height);
};
