import type { Logger } from 'pino';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import { applyBranch, type ChainChange, type ChainHistory, headOf } from '../chain/canonical-chain.ts';
import { type ForkChoiceState, headMoved } from '../chain/fork-choice-steps.ts';
import { createFollowerView, type FollowerStatus } from './follower-view.ts';
import { HeadState } from './head-state.ts';
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
  let transport: FollowerStatus['transport'] = 'polling';
  let endHold: (() => void) | undefined;

  return {
    follower: createFollowerView(headState, () => transport),
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
      headState.chainId = status.chainId;
      headState.lastError = error;
      headState.freshUntil = now + freshMs;
      headState.confirmedAt = headAgeMs === undefined ? undefined : now - headAgeMs;
      for (const name of Object.keys(headState.counts) as (keyof HeadState['counts'])[]) headState.counts[name] = counts[name];
      if (moved) {
        const history = moved.history ?? historyAfter(headState.forkChoiceState, moved.change);
        headState.forkChoiceState = { ...headState.forkChoiceState, ...history };
        headState.pendingHead = undefined;
        endHold?.();
        headState.changes.emit({ change: moved.change, source });
      }
      if (headState.isFresh) headState.freshHeads.emit();
      if (state === 'fatal') headState.fail(error!);
    },
  };
}

/** The chain after a change that does not have a gap. */
function historyAfter(state: ForkChoiceState, { removed, added }: ChainChange): ChainHistory {
  const canonical = state.canonical!;
  const ancestor = removed.at(-1)?.parentHash ?? headOf(canonical).hash;
  return headMoved(state, applyBranch(canonical, ancestor, added)).state;
}
