import { GraphError } from '../../errors.ts';
import type { Evidence, Verdict } from '../chain/fork-choice.ts';
import { recheckAfter, type Timing } from './timing.ts';

/** When a connection is asked for the node's head next, and why. */
export interface Vigil {
  readonly lookAt: number;
  /** Whether that will be because nothing was heard for long, and not because something has to be cleared up. */
  readonly isSilent: boolean;
  /** Looks in a row that cleared up nothing. */
  readonly misses: number;
}

/** What a connection has shown last. */
export interface Shown {
  readonly evidence: Evidence;
  readonly outcome: Verdict['outcome'];
  /** Why the node told nothing, where that was a failure. */
  readonly failure: GraphError | undefined;
  /** Whether something was announced while it was looked into. */
  readonly heard: boolean;
}

/** A node that so often in a row cannot prove what it says is left for another. */
export const MOST_MISSES = 10;

/** Before anything is shown: the node is asked at once. */
export const beginVigil = (now: number): Vigil => ({ lookAt: now, isSilent: false, misses: 0 });

/** What is to be done next: a look at some time, or the end of the connection for some reason. `silence` is how long it may be silent. */
export function keepVigil(vigil: Vigil, shown: Shown, now: number, silence: number, timing: Timing): Vigil | GraphError {
  const { evidence, outcome, failure, heard } = shown;
  const { lookAt, isSilent, misses } = vigil;
  const isLook = evidence.kind === 'latest';
  if (isLook) {
    if (failure?.code === 'UPSTREAM_TIMEOUT') return failure;
    if (isSilent && outcome === 'moved' && !heard) return mute();
    if (evidence.overdue && outcome === 'behind') return laggard();
  }
  if (outcome === 'unproven' || outcome === 'rival') {
    if (misses >= MOST_MISSES) return failure ?? laggard();
    const soon = now + recheckAfter(misses, timing);
    if (isLook) return { lookAt: soon, isSilent: false, misses: misses + 1 };
    // Announcements that come to nothing, however many, do not put off the look that clears them up.
    return { lookAt: Math.min(lookAt, soon), isSilent: false, misses };
  }
  // Announced time and again, it is examined by one look in so long.
  if (outcome === 'deferred') return { lookAt: Math.min(lookAt, now + timing.recheckMost), isSilent: false, misses };
  if (isLook || outcome === 'confirmed' || outcome === 'moved') return { lookAt: now + silence, isSilent: true, misses: 0 };
  return vigil;
}

const mute = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has new heads and does not announce them.');
const laggard = () => new GraphError('UPSTREAM_UNAVAILABLE', 'The node has not come as far as it was before.');
