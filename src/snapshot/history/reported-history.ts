import { asObject } from '../../ethereum/decoders.ts';
import { toQuantity } from '../../ethereum/hex.ts';
import type { Operation } from '../../operation/operation.ts';
import { untilAborted } from '../../upstream/abort.ts';
import { isRetryable } from '../../upstream/retry.ts';
import type { HistoryResource } from '../../upstream/rpc/oldest-blocks.ts';
import type { ResultReader } from '../../upstream/rpc/rpc-call.ts';
import type { NodeEndpoint } from '../../upstream/rpc/session.ts';
import { parameterlessMethod } from '../state-methods.ts';

/** Properties of `eth_capabilities` by resource. Source: execution APIs. */
const REPORTED_RESOURCES: readonly (readonly [HistoryResource, string])[] = [
  ['BLOCKS', 'blocks'],
  ['RECEIPTS', 'receipts'],
  ['LOGS', 'logs'],
  ['STATE', 'state'],
];

/** The reported heights: null for a resource that the node does not serve. A node omits a height that it does not know. */
type ReportedHeights = readonly (readonly [HistoryResource, number | null])[];

/** Reads the result of `eth_capabilities`. Throws UPSTREAM_BAD_RESPONSE for a result without resources. */
export function readReportedHeights(result: unknown): ReportedHeights {
  const report = asObject<Record<string, unknown>>(result, 'the capabilities of the node');
  return REPORTED_RESOURCES.flatMap(([resource, name]): ReportedHeights => {
    const { disabled, oldestBlock } = asObject<{ disabled?: unknown; oldestBlock?: unknown }>(
      report[name],
      `the range of ${name}`,
    );
    const height = toQuantity(oldestBlock, 64);
    if (disabled === true) return [[resource, null]];
    return height === undefined ? [] : [[resource, Number(height)]];
  });
}

const capabilities = parameterlessMethod('eth_capabilities', readReportedHeights);

/** Timeout of a report. It is no longer than that of a read, because a report only adds details to an error. */
const REPORT_TIMEOUT_MS = 2_000;

/**
 * Records the oldest blocks that an endpoint reports. A node without reports, or one that fails, records nothing. All operations share a report, so
 * none of them cancels it; each stops waiting when its own signal aborts. Source: `eth_capabilities`.
 */
export const recordReportedHistory = (
  endpoint: NodeEndpoint,
  { signal, budget }: Pick<Operation, 'signal' | 'budget'>,
): Promise<void> => {
  const { oldestBlocks } = endpoint.rpc.capabilities;
  const received = oldestBlocks.report(async () => {
    budget?.addCost(1);
    const call = { method: capabilities.name, params: [], reader: capabilities as ResultReader };
    const [outcome] = await endpoint.send([call], AbortSignal.timeout(REPORT_TIMEOUT_MS), undefined);
    if (!outcome || 'error' in outcome) return !outcome || !isRetryable(outcome.error, 2);
    // The reader of the call returned this result.
    for (const [resource, height] of outcome.result as ReportedHeights) oldestBlocks.set(resource, height);
    return true;
  });
  return untilAborted(received, signal);
};
