import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Quantity } from '../../ethereum/hex.ts';
import { type Cancellation, untilAborted, withTimeout } from '../../lib/abort.ts';
import { parseEndpoint } from '../../lib/endpoint.ts';
import { GraphError } from '../../lib/errors.ts';
import { createEventHub } from '../../lib/event-hub.ts';
import { ExpiringValue } from '../../lib/expiring-value.ts';
import type { OperationBudget } from '../../lib/operation-budget.ts';
import { createOutageLog } from '../../lib/outage-log.ts';
import { RetryBudget, retryAfterMsOf } from '../../lib/retry.ts';
import { totalQueueStatus } from '../connection-queue.ts';
import { requestChainId } from './chain-id.ts';
import { CircuitBreaker, ENDPOINT_FAILURES, HALF_OPEN_AFTER_MS, hasEndpointFailed, isRejection } from './circuit-breaker.ts';
import { EndpointCapabilities } from './endpoint-capabilities.ts';
import { HeaderChecks, type HeaderChecksMode } from './header-check-policy.ts';
import { computeUnitsOf } from './http/batches.ts';
import { createHttpRpcTransport, type HttpRpcTransportOptions } from './http/transport.ts';
import { sendWithLogFilterDialect } from './log-filter-dialect.ts';
import { LogRangeError, recordLogRangeRejection } from './log-range-limit.ts';
import type { RpcCall, RpcOutcome } from './rpc-call.ts';
import { type NodeEndpoint, RpcSession, type RpcSessionOptions } from './session.ts';

export interface RpcNodeOptions extends Pick<HttpRpcTransportOptions, 'maxBatchSize' | 'timeoutMs' | 'observer'> {
  /** Endpoints in the order of preference. */
  readonly urls: readonly string[];
  readonly log: Logger;
  /** Value of HEADER_CHECKS. @default `on` */
  readonly headerChecks?: HeaderChecksMode;
  /** The id of the chain that the endpoints must serve. @default the first id that an endpoint returns */
  readonly chainId?: Quantity | undefined;
}

/** Timeout of a probe of a failing endpoint: it is used again within two seconds of its recovery, even if one probe is lost. */
const PROBE_TIMEOUT_MS = 1_000;

/** Minimum time for which other endpoints are preferred to an endpoint that rejects requests. */
const REJECTION_MS = 30_000;

/** Creates a node. It sends nothing before the first call or verification. */
export function createRpcNode(options: RpcNodeOptions) {
  const { urls, log } = options;
  const headerChecks = new HeaderChecks(options.headerChecks ?? 'on', log);
  let servedChainId = options.chainId;
  let fatal: GraphError | undefined;
  const quotaErrors = createEventHub<void>({ log });

  const counts = { retries: 0, unmatchedResponses: 0 };
  let isClosed = false;
  const createEndpoint = (url: string) => {
    const { label } = parseEndpoint(url);
    const checks = headerChecks.ofEndpoint(label);
    const transport = createHttpRpcTransport({ ...options, url, counts, headerChecks: checks });
    const breaker = new CircuitBreaker();
    const capabilities = new EndpointCapabilities();
    const isRejecting = new ExpiringValue(false);
    // The follower logs the outage of a node with one endpoint.
    const outageLog = urls.length > 1 ? log : undefined;
    const outage = createOutageLog(outageLog, 'an endpoint of the node fails', 'the endpoint of the node works again');
    let isVerified = false;
    let hasNoChainId = false;
    let isProbing = false;
    const isUsable = () => !breaker.isOpen && !isRejecting.current;

    /** `hasFailed` is undefined for a request that proves nothing about the endpoint. `isFree`: the request needs no quota. */
    const record = (hasFailed: boolean | undefined, error: GraphError | undefined, isFree: boolean): void => {
      breaker.record(hasFailed, error);
      if (breaker.isOpen && !isProbing) void probeUntilRecovered();
      if (error && isRejection(error)) isRejecting.set(true, Math.max(REJECTION_MS, retryAfterMsOf(error)));
      else if (hasFailed === false && !(isFree && outage.failure?.code === 'UPSTREAM_QUOTA_EXCEEDED')) {
        isRejecting.set(false, 0);
        outage.record(undefined);
      }
      if (error && !isUsable()) outage.record(error);
    };

    /** Returns the error of an endpoint of another chain than the others. The error is fatal if it served their chain before. */
    const wrongChain = (chainId: Quantity): GraphError => {
      const [served, reported] = [Number(servedChainId), Number(chainId)];
      const message = isVerified
        ? `The node served chain ${served} and now serves chain ${reported}.`
        : `The node has an endpoint of chain ${reported} instead of chain ${served}.`;
      const error = new GraphError(isVerified ? 'UPSTREAM_CHAIN_CHANGED' : 'UPSTREAM_UNAVAILABLE', message, { endpoint: label });
      outage.record(error);
      if (!isVerified || fatal) return fatal ?? error;
      fatal = error;
      log.fatal({ endpoint: label, served, reported }, 'the node changed its chain; correct the endpoint and restart the server');
      return error;
    };

    /** Resolves when the endpoint serves the chain of the other endpoints, or has no chain id; rejects otherwise. */
    const verifyChain = async (signal: Cancellation): Promise<void> => {
      try {
        const chainId = await requestChainId((calls) => transport.send(calls, signal), servedChainId !== undefined);
        hasNoChainId = chainId === null;
        servedChainId ??= chainId ?? undefined;
        if (chainId !== null && chainId !== servedChainId) throw wrongChain(chainId);
        isVerified ||= !hasNoChainId;
        record(false, undefined, true);
      } catch (reason) {
        const error = reason as GraphError;
        error.endpoint ??= label;
        const hasFailed = error === fatal ? undefined : ENDPOINT_FAILURES.has(error.code);
        // The timeout of a probe, which is short, is not the cause of the outage.
        if (!signal.aborted) record(hasFailed, error, true);
        throw error;
      }
    };
    const probeUntilRecovered = async () => {
      isProbing = true;
      while (breaker.isOpen && !isClosed) {
        await sleep(HALF_OPEN_AFTER_MS, undefined, { ref: false });
        await withTimeout(PROBE_TIMEOUT_MS, verifyChain).catch(() => {});
      }
      isProbing = false;
    };
    return {
      transport,
      /** Scheme, host and port; contains no secret. */
      label,
      capabilities,
      verifyChain,
      get isOpen() {
        return breaker.isOpen;
      },
      get isUsable() {
        return isUsable();
      },
      get failsHeaderChecks() {
        return checks.repeatedFailure !== undefined;
      },
      /** The outage of the endpoint, if it does not work. */
      outage,
      /** Its checks, which may have failed so often that the endpoint is used last. */
      checks,
      async send(calls: readonly RpcCall[], signal: Cancellation, budget: OperationBudget | undefined): Promise<RpcOutcome[]> {
        if (breaker.isOpen) {
          return calls.map(({ method }) => ({ error: breaker.openError('The node', { method, endpoint: label }), unsent: true }));
        }
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
        let error: GraphError | undefined;
        for (const [i, outcome] of outcomes.entries()) {
          if (!('error' in outcome)) continue;
          outcome.error.endpoint ??= label;
          if (!outcome.unsent && (!error || isRejection(outcome.error))) error = outcome.error;
          if (outcome.error instanceof LogRangeError) recordLogRangeRejection(calls[i]!, outcome.error, logRangeLimit);
          if (outcome.error.code === 'UPSTREAM_QUOTA_EXCEEDED') quotaErrors.emit();
        }
        // An abort by the operation is not a failure of the endpoint. An open breaker waits for its own probe.
        if (!signal.aborted && !breaker.isOpen) {
          record(hasEndpointFailed(outcomes), error, outage.failure !== undefined && computeUnitsOf(calls) === 0);
        }
        return outcomes;
      },
    };
  };
  const endpoints = urls.map(createEndpoint);

  const sessionContext = { endpoints, retryBudget: new RetryBudget(), fatalError: () => fatal, counts };

  const verifyChain = async (signal: Cancellation): Promise<NodeEndpoint> => {
    if (fatal) throw fatal;
    const usable = endpoints.filter(({ isUsable }) => isUsable);
    const [first, ...others] = usable.length > 0 ? usable : endpoints;
    const verify = (endpoint: (typeof endpoints)[number]) => endpoint.verifyChain(signal).then(() => endpoint);
    const checks = [verify(first!)];
    // The first endpoint determines the chain, unless it does not respond.
    if (servedChainId === undefined) await untilAborted(Promise.allSettled(checks), AbortSignal.timeout(PROBE_TIMEOUT_MS));
    checks.push(...others.map(verify));
    return Promise.any(checks).catch(({ errors }: AggregateError) => {
      throw fatal ?? errors[0];
    });
  };

  return {
    /** Scheme, host and port of each endpoint; contains no secret. */
    label: endpoints.map(({ label }) => label).join(', '),
    /** In the order of preference. */
    endpoints,
    createSession: (options: RpcSessionOptions = {}) => new RpcSession(sessionContext, options),
    /** Returns the id of the served chain, and requests it only once; null on a node without a chain id. */
    async chainId(signal: Cancellation): Promise<Quantity | null> {
      if (servedChainId === undefined) await verifyChain(signal);
      return servedChainId ?? null;
    },
    /**
     * Requests the chain id of every usable endpoint. Resolves with the first endpoint that serves the chain of the node, or has no
     * chain id. Rejects if there is none; once an endpoint has changed its chain, every call rejects.
     */
    verifyChain,
    /** Why endpoints do not work, or are used last. */
    get failures(): readonly GraphError[] {
      return endpoints.flatMap(({ outage, checks }) => outage.failure ?? checks.repeatedFailure ?? []);
    },
    /** Subscribes to responses over HTTP that state that the quota of this server is used up. Returns a function that unsubscribes. */
    onQuotaExceeded: (listener: () => void): (() => void) => quotaErrors.subscribe({ next: listener }),
    /** The checks of the node's results against block headers. */
    headerChecks,
    /** Numbers of retried requests, where a batch counts once, of unmatched response entries and of endpoints that do not work; queues of POSTs. */
    get status() {
      const unavailableEndpoints = endpoints.filter(({ outage }) => outage.failure).length;
      const queues = endpoints.map(({ transport }) => transport.queueStatus);
      return { ...counts, unavailableEndpoints, ...totalQueueStatus(queues) };
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
