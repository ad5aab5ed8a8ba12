import { abortableSleep, Sleeper } from '../../lib/abort.ts';
import { parseWebSocketEndpoint } from '../../lib/endpoint.ts';
import { GraphError } from '../../lib/errors.ts';
import { connectToNode, type NodeConnection, type NodeConnectionOptions } from '../../upstream/rpc/websocket/connection.ts';
import type { ForkChoiceResult, HeadObservation } from '../chain/fork-choice-steps.ts';
import { type AnnouncedHead, readAnnouncedHead } from '../chain/rpc-header.ts';
import type { HeadPolling } from './head-polling.ts';
import type { FollowContext } from './rpc-queries.ts';
import { asTransientError, errorLogFields, runForkChoice } from './rpc-queries.ts';
import { backoffMs, type FollowerTiming, requestedRetryDelayMs } from './timing.ts';

/** Time and reason of the next read of the node's latest block over a connection. */
export interface LivenessState {
  readonly nextCheckAt: number;
  /** True when the next check is due because of silence, also if it repeats one that failed; false when it has to resolve an announcement. */
  readonly isSilenceCheck: boolean;
  /** Number of consecutive checks that proved no head. */
  readonly failedChecks: number;
}

/** An observation of a connection and the decision of the fork choice about it. */
export interface ObservationOutcome {
  readonly observation: HeadObservation;
  readonly outcome: ForkChoiceResult['outcome'];
  /** The error of the node's response, if it failed. */
  readonly failure: GraphError | undefined;
  /** Whether the node announced a head during the evaluation. */
  readonly hasAnnounced: boolean;
}

/** Number of consecutive failed checks after which the connection is closed. */
export const MAX_FAILED_CHECKS = 10;

/** The state of a new connection: the node's latest block is read immediately. */
export const INITIAL_LIVENESS: LivenessState = { nextCheckAt: 0, isSilenceCheck: false, failedChecks: 0 };

/** Returns the next check after an observation, or the error with which to close the connection. */
export function nextLivenessCheck(
  liveness: LivenessState,
  { observation, outcome, failure, hasAnnounced }: ObservationOutcome,
  now: number,
  silenceTimeoutMs: number,
  timing: FollowerTiming,
): LivenessState | GraphError {
  const { nextCheckAt, isSilenceCheck, failedChecks } = liveness;
  const isCheck = observation.kind === 'latest';
  if (isCheck) {
    if (failure?.code === 'UPSTREAM_TIMEOUT') return failure;
    if (isSilenceCheck && outcome === 'moved' && !hasAnnounced) return silentNodeError();
    if (observation.isOverdue && outcome === 'behind') return laggingNodeError();
  }
  if (outcome === 'unverified' || outcome === 'competing') {
    if (failedChecks >= MAX_FAILED_CHECKS) return failure ?? laggingNodeError();
    const recheckAt = now + backoffMs(failedChecks, timing.minRecheckMs, timing.maxRecheckMs);
    if (isCheck) return { nextCheckAt: recheckAt, isSilenceCheck, failedChecks: failedChecks + 1 };
    // Unverified announcements never delay a check that is already scheduled.
    return { nextCheckAt: Math.min(nextCheckAt, recheckAt), isSilenceCheck: false, failedChecks };
  }
  // Repetitions of an unverified announcement share one check per `maxRecheckMs`.
  if (outcome === 'deferred')
    return { nextCheckAt: Math.min(nextCheckAt, now + timing.maxRecheckMs), isSilenceCheck: false, failedChecks };
  if (isCheck || outcome === 'confirmed' || outcome === 'moved')
    return { nextCheckAt: now + silenceTimeoutMs, isSilenceCheck: true, failedChecks: 0 };
  return liveness;
}

const silentNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has new heads and does not announce them.');
const laggingNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node lags behind the head that it has reported.');

/**
 * Maximum number of queued announcements. The oldest announcements are dropped, because the ancestors of a later head
 * are read anyway.
 */
const MAX_QUEUED_ANNOUNCEMENTS = 128;

/** The end of a head subscription. It was healthy if it announced a head or lasted longer than the maximum backoff. */
interface HeadSubscriptionEnd {
  readonly reason: GraphError;
  readonly wasHealthy: boolean;
}

/**
 * Follows the chain over one connection until it ends: subscribes to `newHeads`, checks the chain id, reads the node's latest
 * block, then evaluates the queued announcements one by one. Rejects when the subscription fails, and with fatal errors.
 */
async function followHeadSubscription(connection: NodeConnection, options: FollowSessionsOptions): Promise<HeadSubscriptionEnd> {
  const { headState, timing, signal, log, checkChain, polling } = options;
  const sleeper = new Sleeper();
  const startedAt = performance.now();
  let queue: AnnouncedHead[] = [];
  let endReason: GraphError | undefined;
  let announcementCount = 0;
  connection.ended.then((reason) => {
    endReason = reason;
    sleeper.wake();
  });
  const end = (reason: GraphError): HeadSubscriptionEnd => ({
    reason,
    wasHealthy: announcementCount > 0 || performance.now() - startedAt > timing.maxBackoffMs,
  });

  await connection.subscribe(['newHeads'], (wire) => {
    const announced = readAnnouncedHead(wire);
    if (!announced) {
      headState.counts.malformed += 1;
      return;
    }
    announcementCount += 1;
    queue = [...queue, announced].slice(-MAX_QUEUED_ANNOUNCEMENTS);
    sleeper.wake();
  });
  await checkChain(connection, signal);
  // The last poll must end first: only one source at a time may change the head.
  await polling?.stop();
  headState.setConnection(connection);
  log.info({ node: connection.label }, 'following the heads of the node');

  let liveness = INITIAL_LIVENESS;
  const observationOf = (head: AnnouncedHead | undefined): HeadObservation => {
    const reporter = headState.source === connection ? 'headSource' : 'connection';
    return head
      ? { kind: 'announced', head, reporter, isHeadCheckDue: !liveness.isSilenceCheck }
      : { kind: 'latest', reporter, isOverdue: headState.isOverdue(startedAt) };
  };

  while (!endReason && !signal.aborted) {
    const waitMs = liveness.nextCheckAt - performance.now();
    if (waitMs > 0 && queue.length === 0) await sleeper.sleep(waitMs, signal);
    if (endReason || signal.aborted) break;
    const observation = observationOf(waitMs > 0 ? queue.shift() : undefined);
    const countBefore = announcementCount;
    const { result, failure } = await runForkChoice(headState, observation, connection, signal);
    // Drop results of a connection that ended meanwhile: the end of the connection may have caused them.
    if (endReason) break;
    headState.applyResult(result, connection, Number.POSITIVE_INFINITY);
    const hasAnnounced = announcementCount > countBefore;
    const observed = { observation, outcome: result.outcome, failure, hasAnnounced };
    const next = nextLivenessCheck(liveness, observed, performance.now(), headState.silenceTimeoutMs, timing);
    if (next instanceof GraphError) return end(next);
    liveness = next;
  }
  return end(endReason ?? signal.reason);
}

type ConnectionOptions = Pick<NodeConnectionOptions, 'url' | 'timeoutMs' | 'maxBatchSize' | 'headerChecks'>;

interface FollowSessionsOptions extends FollowContext, ConnectionOptions {
  /** Started while there is no connection. */
  readonly polling: HeadPolling | undefined;
}

/** Follows the chain over one WebSocket after another, with backoff, until the signal aborts. Rejects with fatal errors only. */
export async function followSessions(options: FollowSessionsOptions): Promise<void> {
  const { headState, timing, signal, log, polling } = options;
  let failures = 0;
  while (!signal.aborted) {
    const { reason, wasHealthy } = await runSession(options).catch(
      (error): HeadSubscriptionEnd => ({ reason: asTransientError(error), wasHealthy: false }),
    );
    if (signal.aborted) break;
    // Throws if the reason is fatal.
    asTransientError(reason);
    headState.expireHeadSoon(reason);
    headState.counts.reconnects += 1;
    failures = wasHealthy ? 0 : failures + 1;
    const isUnsupported = reason.code === 'METHOD_NOT_SUPPORTED';
    const randomMs = Math.random() * backoffMs(failures, timing.minBackoffMs, timing.maxBackoffMs);
    const backoff = Math.max(randomMs, requestedRetryDelayMs(reason, timing));
    const waitMs = Math.round(isUnsupported ? timing.unsupportedRetryMs : backoff);
    const fields = { node: parseWebSocketEndpoint(options.url).label, ...errorLogFields(reason), failures, waitMs };
    // An outage has one line at the default level.
    log[failures > 1 ? 'debug' : 'warn'](fields, 'the WebSocket to the node is disconnected; reconnecting');
    polling?.start();
    await abortableSleep(waitMs, signal);
  }
}

/** Follows one connection from its opening to its end. */
async function runSession(options: FollowSessionsOptions): Promise<HeadSubscriptionEnd> {
  const { headState, timing, signal } = options;
  const connection = await connectToNode({ ...options, pingIntervalMs: timing.pingIntervalMs });
  const close = () => connection.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    return await followHeadSubscription(connection, options);
  } finally {
    signal.removeEventListener('abort', close);
    close();
    headState.removeSource(connection);
  }
}
