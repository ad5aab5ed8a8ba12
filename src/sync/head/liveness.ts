import { GraphError } from '../../errors.ts';
import type { ForkChoiceResult, HeadObservation } from '../chain/fork-choice.ts';
import { type FollowerTiming, recheckDelayMs } from './timing.ts';

/** When a connection is asked for the node's head next, and why. */
export interface LivenessState {
  readonly nextCheckAt: number;
  /** Whether that will be because nothing was heard for long, and not because something has to be cleared up. */
  readonly isSilenceCheck: boolean;
  /** Looks in a row that cleared up nothing. */
  readonly failedChecks: number;
}

/** What a connection has shown last. */
export interface ObservationOutcome {
  readonly observation: HeadObservation;
  readonly outcome: ForkChoiceResult['outcome'];
  /** Why the node told nothing, where that was a failure. */
  readonly failure: GraphError | undefined;
  /** Whether something was announced while it was looked into. */
  readonly hasAnnounced: boolean;
}

/** A node that so often in a row cannot prove what it says is left for another. */
export const MAX_FAILED_CHECKS = 10;

/** Before anything is shown: the node is asked at once. */
export const initialLiveness = (now: number): LivenessState => ({ nextCheckAt: now, isSilenceCheck: false, failedChecks: 0 });

/** What is to be done next: a look at some time, or the end of the connection for some reason. `silence` is how long it may be silent. */
export function nextLivenessCheck(
  vigil: LivenessState,
  shown: ObservationOutcome,
  now: number,
  silence: number,
  timing: FollowerTiming,
): LivenessState | GraphError {
  const { observation, outcome, failure, hasAnnounced } = shown;
  const { nextCheckAt, isSilenceCheck, failedChecks } = vigil;
  const isLook = observation.kind === 'latest';
  if (isLook) {
    if (failure?.code === 'UPSTREAM_TIMEOUT') return failure;
    if (isSilenceCheck && outcome === 'moved' && !hasAnnounced) return silentNodeError();
    if (observation.isOverdue && outcome === 'behind') return laggingNodeError();
  }
  if (outcome === 'unproven' || outcome === 'rival') {
    if (failedChecks >= MAX_FAILED_CHECKS) return failure ?? laggingNodeError();
    const soon = now + recheckDelayMs(failedChecks, timing);
    if (isLook) return { nextCheckAt: soon, isSilenceCheck: false, failedChecks: failedChecks + 1 };
    // Announcements that come to nothing, however many, do not put off the look that clears them up.
    return { nextCheckAt: Math.min(nextCheckAt, soon), isSilenceCheck: false, failedChecks };
  }
  // Announced time and again, it is examined by one look in so long.
  if (outcome === 'deferred')
    return { nextCheckAt: Math.min(nextCheckAt, now + timing.maxRecheckMs), isSilenceCheck: false, failedChecks };
  if (isLook || outcome === 'confirmed' || outcome === 'moved')
    return { nextCheckAt: now + silence, isSilenceCheck: true, failedChecks: 0 };
  return vigil;
}

const silentNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has new heads and does not announce them.');
const laggingNodeError = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has not come as far as it was before.');
