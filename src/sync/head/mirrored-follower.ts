import type { Logger } from 'pino';
import { GraphError } from '../../lib/errors.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { applyBranch, type ChainChange, type ChainHistory, headOf } from '../chain/canonical-chain.ts';
import { type ForkChoiceState, headMoved } from '../chain/fork-choice-steps.ts';
import type { Follower } from './follower.ts';
import { createFollowerView, type FollowerStatus, HeadState } from './head-state.ts';
import { FOLLOWER_TIMING } from './timing.ts';

/** A change of the chain of a follower. `history` is the chain after the change if the change alone does not determine it. */
export interface MirroredChange {
  readonly change: ChainChange;
  readonly history?: ChainHistory | undefined;
}

/**
 * Creates a follower that takes over the chain and the status of the follower of another process. `source` reads
 * blocks from the node.
 */
export function createMirroredFollower(source: RpcSender, log: Logger) {
  const headState = new HeadState(log, FOLLOWER_TIMING);
  const controller = new AbortController();
  let transport: FollowerStatus['transport'] = 'polling';
  let endHold: (() => void) | undefined;
  let resolveEnded: (error: GraphError) => void;
  const ended = new Promise<GraphError>((resolve) => {
    resolveEnded = resolve;
  });

  const setHistory = (next: ChainHistory): void => {
    headState.forkChoiceState = { ...headState.forkChoiceState, ...next };
  };

  const follower: Follower = Object.assign(
    createFollowerView(headState, controller.signal, () => transport),
    {
      ended,
      stop: async () => controller.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.')),
    },
  );

  return {
    follower,
    /** Makes operations that start from now on wait for the next change. */
    hold(): void {
      headState.pendingHead ??= new Promise<void>((resolve) => {
        endHold = resolve;
      });
    },
    /** Takes over the status and, after a change of the chain, the change. */
    update(status: FollowerStatus, moved?: MirroredChange): void {
      const now = performance.now();
      const { state, error, headAgeMs, freshMs, ...counts } = status;
      transport = status.transport;
      headState.lastError = error;
      headState.freshUntil = now + freshMs;
      headState.confirmedAt = headAgeMs === undefined ? undefined : now - headAgeMs;
      for (const name of Object.keys(headState.counts) as (keyof HeadState['counts'])[]) headState.counts[name] = counts[name];
      if (moved) {
        setHistory(moved.history ?? historyAfter(headState.forkChoiceState, moved.change));
        headState.pendingHead = undefined;
        endHold?.();
        headState.changes.emit({ change: moved.change, source });
      }
      if (headState.isFresh) headState.freshHeads.emit();
      if (state !== 'fatal' || headState.fatal) return;
      headState.fatal = error;
      controller.abort(error);
      resolveEnded(error!);
    },
  };
}

/** The chain after a change that does not have a gap. */
function historyAfter(state: ForkChoiceState, { removed, added }: ChainChange): ChainHistory {
  const canonical = state.canonical!;
  const ancestor = removed.at(-1)?.parentHash ?? headOf(canonical).hash;
  return headMoved(state, applyBranch(canonical, ancestor, added)).state;
}
