import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { nullable, quantity } from '../../ethereum/decoders.ts';
import type { Quantity } from '../../ethereum/hex.ts';
import { type Cancellation, withTimeout } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { type Metric, metricTable } from '../../lib/metrics.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { RetryBudget } from '../../lib/retry.ts';
import type { ConnectionQueue } from '../connection-queue.ts';
import type { UpstreamObserver } from '../http-request.ts';
import { CircuitBreaker, HALF_OPEN_AFTER_MS, hasEndpointFailed } from './circuit-breaker.ts';
import { EndpointCapabilities } from './endpoint-capabilities.ts';
import { HeaderChecks, type HeaderChecksMode } from './header-check-policy.ts';
import { createHttpRpcTransport } from './http/transport.ts';
import { sendWithLogFilterDialect } from './log-filter-dialect.ts';
import { LogRangeError, recordLogRangeRejection } from './log-range-limit.ts';
import type { RpcCall, RpcFailure, RpcOutcome } from './rpc-call.ts';
import { isUnavailable } from './rpc-errors.ts';
import { RpcSession, type RpcSessionOptions } from './session.ts';

export const nodeMetrics = (node: Pick<RpcNode, 'status' | 'headerChecks'>): readonly Metric[] =>
  metricTable({
    node_retries_total: ['Requests to the node that were retried after a transient failure.', () => node.status.retries],
    node_unmatched_responses_total: [
      'Entries of node responses that matched no call and were dropped.',
      () => node.status.unmatchedResponses,
    ],
    node_header_check_failures_total: ['Results of the node that contradict a block header.', () => node.headerChecks.failures],
    node_endpoints_unavailable: [
      'Endpoints of the node that are unavailable because their circuit breaker is open.',
      () => node.status.unavailableEndpoints,
    ],
    node_queued_requests: ['Requests to the node that wait for a connection.', () => node.status.queuedRequests],
    node_queue_waits_total: ['Requests to the node that have waited for a connection.', () => node.status.queueWaits],
    node_queue_wait_seconds_total: [
      'Time that requests to the node have waited for a connection.',
      () => node.status.queueWaitMs / 1_000,
    ],
    node_overloaded_total: ['Requests to the node that were not sent because the queue was full.', () => node.status.overloads],
  });

const CHAIN_ID_CALL: RpcCall = { method: 'eth_chainId', params: [], reader: { read: nullable(quantity) } };

/**
 * Requests the chain id of a node. Null for a node without a chain id, which responds with null or with an error: no
 * other call needs the chain id. Rejects while the node is unavailable. Source: `eth_chainId`.
 */
export async function requestChainId(send: (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>): Promise<Quantity | null> {
  const [outcome] = await send([CHAIN_ID_CALL]);
  if ('result' in outcome!) return outcome.result as Quantity | null;
  const { error, rpcError } = outcome!;
  if (!rpcError || isUnavailable(error)) throw error;
  return null;
}

export interface RpcNodeOptions {
  /** Endpoints in the order of preference. */
  readonly urls: readonly string[];
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly observer?: UpstreamObserver | undefined;
  /** Value of HEADER_CHECKS. @default `on` */
  readonly headerChecks?: HeaderChecksMode;
}

/**
 * Timeout of a probe of a failing endpoint. The endpoint is used again within two seconds of its recovery, even if one
 * probe is lost.
 */
const PROBE_TIMEOUT_MS = 1_000;

/** Creates a node. It sends nothing before the first call or verification. */
export function createRpcNode(options: RpcNodeOptions) {
  const { urls, maxBatchSize, timeoutMs, log, observer } = options;
  const headerChecks = new HeaderChecks(options.headerChecks ?? 'on', log);
  let servedChainId: Quantity | undefined;
  let fatal: GraphError | undefined;
  const quotaListeners = new Set<() => void>();

  const counts = { retries: 0, unmatchedResponses: 0 };
  const onUnmatchedResponse = () => {
    counts.unmatchedResponses += 1;
  };

  let isClosed = false;
  const createEndpoint = (url: string) => {
    const transport = createHttpRpcTransport({ url, maxBatchSize, timeoutMs, onUnmatchedResponse, observer, headerChecks });
    const breaker = new CircuitBreaker();
    const capabilities = new EndpointCapabilities();
    let isVerified = false;
    let hasNoChainId = false;
    /** Resolves when the endpoint serves the chain of the other endpoints, or has no chain id; rejects otherwise. */
    const verifyChain = async (signal: Cancellation) => {
      const chainId = await requestChainId((calls) => transport.send(calls, signal));
      hasNoChainId = chainId === null;
      if (chainId === null) return;
      servedChainId ??= chainId;
      if (chainId === servedChainId) {
        isVerified = true;
        return;
      }
      const detail = { node: transport.label, served: servedChainId, reported: chainId };
      if (isVerified) {
        const message = `The node served chain ${Number(servedChainId)} and now serves chain ${Number(chainId)}.`;
        fatal = new GraphError('UPSTREAM_CHAIN_CHANGED', message);
        log.fatal(detail, 'the node changed its chain; every further call fails');
      }
      log.error(detail, 'the endpoint serves another chain and is not used');
      const message = `The node has an endpoint of chain ${Number(chainId)} instead of chain ${Number(servedChainId)}.`;
      throw fatal ?? new GraphError('UPSTREAM_UNAVAILABLE', message);
    };
    const probeUntilRecovered = async () => {
      while (breaker.isOpen && !isClosed) {
        await sleep(HALF_OPEN_AFTER_MS, undefined, { ref: false });
        await withTimeout(PROBE_TIMEOUT_MS, verifyChain).then(
          () => breaker.record(false),
          // The timeout of the probe, which is short, is not the cause of the outage.
          (error) => error.code === 'UPSTREAM_TIMEOUT' || breaker.record(true, error),
        );
      }
    };
    return {
      transport,
      capabilities,
      verifyChain,
      get isOpen() {
        return breaker.isOpen;
      },
      async send(calls: readonly RpcCall[], signal: Cancellation, budget: OperationBudget | undefined): Promise<RpcOutcome[]> {
        if (breaker.isOpen)
          return calls.map(({ method }) => ({ error: breaker.openError('The node', { method }), unsent: true }));
        if (!isVerified && !hasNoChainId && urls.length > 1) {
          try {
            await verifyChain(signal);
          } catch (error) {
            return calls.map(() => ({ error: error as GraphError, unsent: true }));
          }
        }
        const { logFilterDialect, logRangeLimit } = capabilities;
        const outcomes = calls.some(({ method }) => method === 'eth_getLogs')
          ? await sendWithLogFilterDialect((batch) => transport.send(batch, signal, budget), calls, logFilterDialect)
          : await transport.send(calls, signal, budget);
        // An abort by the operation is not a failure of the endpoint. An open breaker waits for its own probe.
        if (!signal.aborted && !breaker.isOpen) {
          const hasFailed = hasEndpointFailed(outcomes);
          breaker.record(hasFailed, hasFailed ? firstErrorIn(outcomes) : undefined);
          if (breaker.isOpen) void probeUntilRecovered();
        }
        for (const [i, outcome] of outcomes.entries()) {
          if (!('error' in outcome)) continue;
          if (outcome.error instanceof LogRangeError) recordLogRangeRejection(calls[i]!, outcome.error, logRangeLimit);
          if (outcome.error.code === 'UPSTREAM_QUOTA_EXCEEDED') quotaListeners.forEach((notify) => void notify());
        }
        return outcomes;
      },
    };
  };
  const endpoints = urls.map(createEndpoint);

  const sessionContext = {
    endpoints,
    retryBudget: new RetryBudget(),
    fatalError: () => fatal,
    onRetry: () => {
      counts.retries += 1;
    },
  };

  const verifyChain = async (signal: Cancellation): Promise<void> => {
    if (fatal) throw fatal;
    const [first, ...others] = endpoints;
    // The first available endpoint determines the chain.
    const results = await Promise.allSettled([first!.verifyChain(signal)]);
    results.push(...(await Promise.allSettled(others.map((endpoint) => endpoint.verifyChain(signal)))));
    if (fatal) throw fatal;
    const failure = results.find((result) => result.status === 'rejected');
    if (failure && !results.some((result) => result.status === 'fulfilled')) throw failure.reason;
  };

  return {
    /** Scheme, host and port of each endpoint; contains no secret. */
    label: endpoints.map(({ transport }) => transport.label).join(', '),
    /** In the order of preference. */
    endpoints,
    createSession: (options: RpcSessionOptions = {}) => new RpcSession(sessionContext, options),
    /** Returns the id of the served chain, and requests it only once; null on a node without a chain id. */
    async chainId(signal: Cancellation): Promise<Quantity | null> {
      if (servedChainId === undefined) await verifyChain(signal);
      return servedChainId ?? null;
    },
    /**
     * Requests the chain id of every endpoint. Does not check an endpoint without a chain id. Rejects if no endpoint
     * responds; once an endpoint has changed its chain, every call rejects.
     */
    verifyChain,
    /** Subscribes to responses over HTTP that state that the quota of this server is used up. Returns a function that unsubscribes. */
    onQuotaExceeded(listener: () => void): () => void {
      quotaListeners.add(listener);
      return () => quotaListeners.delete(listener);
    },
    /** The checks of the node's results against block headers. */
    headerChecks,
    /**
     * The number of retried requests, where a batch counts once; of response entries that matched no call; and of
     * unavailable endpoints. Also the state of the queues of POSTs.
     */
    get status() {
      const queues = endpoints.map(({ transport }) => transport.queueStatus);
      const total = (name: keyof ConnectionQueue['status']) => queues.reduce((sum, status) => sum + status[name], 0);
      return {
        ...counts,
        unavailableEndpoints: endpoints.filter(({ isOpen }) => isOpen).length,
        queuedRequests: total('waiting'),
        queueWaits: total('waits'),
        queueWaitMs: total('waitMs'),
        overloads: total('rejected'),
      };
    },
    /** Stops all requests: from now on every call fails with this error. */
    disable(reason: GraphError): void {
      fatal ??= reason;
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(endpoints.map(({ transport }) => transport.close()));
    },
  };
}

/** A node behind one or several endpoints, which must all serve one chain. */
export type RpcNode = ReturnType<typeof createRpcNode>;

/** The error of the first call that was sent and has failed. */
const firstErrorIn = (outcomes: readonly RpcOutcome[]): GraphError | undefined =>
  (outcomes.find((outcome) => 'error' in outcome && !outcome.unsent) as RpcFailure | undefined)?.error;
