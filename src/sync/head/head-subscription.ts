import { GraphError } from '../../lib/errors.ts';
import type { NodeConnection } from '../../upstream/rpc/websocket/connection.ts';
import type { ForkChoiceResult, HeadObservation } from '../chain/fork-choice-steps.ts';
import { type AnnouncedHead, readAnnouncedHead } from '../chain/rpc-header.ts';
import type { FollowContext } from './head-state.ts';
import { runForkChoice } from './rpc-queries.ts';
import { type FollowerTiming, recheckDelayMs } from './timing.ts';

/** Time and reason of the next read of the node's latest block over a connection. */
export interface LivenessState {
  readonly nextCheckAt: number;
  /** True when the next check is due because of silence; false when it has to resolve an unverified observation. */
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
export const initialLiveness = (now: number): LivenessState => ({ nextCheckAt: now, isSilenceCheck: false, failedChecks: 0 });

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
    const recheckAt = now + recheckDelayMs(failedChecks, timing);
    if (isCheck) return { nextCheckAt: recheckAt, isSilenceCheck: false, failedChecks: failedChecks + 1 };
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

/** FIFO queue for one consumer. On overflow it drops all items: reading the node's latest block replaces them. */
export class BoundedQueue<T> {
  /** Number of overflows so far. */
  overflows = 0;
  readonly #maxSize: number;
  #items: T[] = [];
  #hasOverflowed = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  put(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    if (this.#items.length > this.#maxSize) {
      this.#items = [];
      this.#hasOverflowed = true;
      this.overflows += 1;
    }
    this.#wake?.();
  }

  /** Resolves with the next item, or with undefined after `timeoutMs`, once after an overflow, and always after `close`. */
  async take(timeoutMs: number): Promise<T | undefined> {
    if (this.#items.length === 0 && !this.#hasOverflowed && !this.#closed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    if (this.#hasOverflowed) {
      this.#hasOverflowed = false;
      return undefined;
    }
    return this.#items.shift();
  }

  /** Drops all items and ignores later ones. */
  close(): void {
    this.#closed = true;
    this.#items = [];
    this.#wake?.();
  }
}

/** Maximum number of queued announcements. When it is exceeded, reading the latest block is the faster way to the same head. */
const MAX_QUEUED_ANNOUNCEMENTS = 128;

interface HeadSubscriptionOptions extends Pick<FollowContext, 'headState' | 'timing' | 'signal'> {
  readonly connection: NodeConnection;
  /** Called when the node has accepted the subscription, before any of its announcements is evaluated. */
  readonly onSubscribed: () => Promise<unknown>;
}

/** The end of a head subscription. It was healthy if it announced a head or lasted longer than the maximum backoff. */
export interface HeadSubscriptionEnd {
  readonly reason: GraphError;
  readonly wasHealthy: boolean;
}

/**
 * Follows the chain over one connection until it ends: subscribes to `newHeads`, reads the node's latest block, then evaluates
 * the queued announcements one by one. Rejects when the subscription fails, and with fatal errors.
 */
export async function followHeadSubscription(options: HeadSubscriptionOptions): Promise<HeadSubscriptionEnd> {
  const { connection, headState, timing, signal, onSubscribed } = options;
  const queue = new BoundedQueue<AnnouncedHead>(MAX_QUEUED_ANNOUNCEMENTS);
  const startedAt = performance.now();
  let endReason: GraphError | undefined;
  let announcementCount = 0;
  let handledOverflows = 0;
  connection.ended.then((reason) => {
    endReason = reason;
    queue.close();
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
    queue.put(announced);
  });
  await onSubscribed();

  let liveness = initialLiveness(performance.now());
  const observationOf = (head: AnnouncedHead | undefined): HeadObservation => {
    const reporter = headState.source === connection ? 'headSource' : 'connection';
    return head
      ? { kind: 'announced', head, reporter, isHeadCheckDue: !liveness.isSilenceCheck }
      : { kind: 'latest', reporter, isOverdue: headState.isOverdue(startedAt) };
  };

  while (!endReason) {
    const waitMs = liveness.nextCheckAt - performance.now();
    const announced = waitMs > 0 ? await queue.take(waitMs) : undefined;
    if (endReason) break;
    const observation = observationOf(announced);
    // After a queue overflow the latest block is read although the node has announced heads: that counts as an announcement.
    const countBefore = queue.overflows > handledOverflows ? -1 : announcementCount;
    handledOverflows = queue.overflows;
    const { result, failure } = await runForkChoice(headState, observation, connection, signal);
    // Drop results of a connection that ended meanwhile: they may be caused by its end.
    if (endReason) break;
    headState.applyResult(result, connection, Number.POSITIVE_INFINITY);
    const observed: ObservationOutcome = {
      observation,
      outcome: result.outcome,
      failure,
      hasAnnounced: announcementCount > countBefore,
    };
    const next = nextLivenessCheck(liveness, observed, performance.now(), headState.silenceTimeoutMs, timing);
    if (next instanceof GraphError) return end(next);
    liveness = next;
  }
  return end(endReason);
}
