import { GraphError } from '../../lib/errors.ts';
import type { ForkChoiceResult, HeadObservation } from '../chain/fork-choice.ts';
import { type FollowerTiming, recheckDelayMs } from './timing.ts';

/** Time and reason of the next read of the node's latest block over a connection. */
export interface LivenessState {
  readonly nextCheckAt: number;
  /** True when the next check is due because of silence; false when it has to resolve an unproven observation. */
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
  if (outcome === 'unproven' || outcome === 'rival') {
    if (failedChecks >= MAX_FAILED_CHECKS) return failure ?? laggingNodeError();
    const recheckAt = now + recheckDelayMs(failedChecks, timing);
    if (isCheck) return { nextCheckAt: recheckAt, isSilenceCheck: false, failedChecks: failedChecks + 1 };
    // Unproven announcements never delay a check that is already scheduled.
    return { nextCheckAt: Math.min(nextCheckAt, recheckAt), isSilenceCheck: false, failedChecks };
  }
  // Repetitions of an unproven announcement share one check per `maxRecheckMs`.
  if (outcome === 'deferred')
    return { nextCheckAt: Math.min(nextCheckAt, now + timing.maxRecheckMs), isSilenceCheck: false, failedChecks };
  if (isCheck || outcome === 'confirmed' || outcome === 'moved')
    return { nextCheckAt: now + silenceTimeoutMs, isSilenceCheck: true, failedChecks: 0 };
  return liveness;
}

const silentNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has new heads and does not announce them.');
const laggingNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node lags behind the head that it has reported.');
