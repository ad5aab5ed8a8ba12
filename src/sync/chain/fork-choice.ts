import type { Data } from '../../ethereum/hex.ts';
import { type Branch, readAncestors } from './ancestors.ts';
import { evaluateKnownBlock, findAnnouncedBlock, hasHashMismatch, identifyAnnouncedHead } from './announced-heads.ts';
import { applyBranch, blockByHash, type CanonicalChain, headOf } from './canonical-chain.ts';
import {
  addUnproven,
  announcementId,
  type ForkChoiceResult,
  type ForkChoiceState,
  type ForkChoiceSteps,
  type HeadObservation,
  type HeadReporter,
  headConfirmed,
  headLost,
  headMoved,
  headUnproven,
  nodeBehind,
  refused,
} from './fork-choice-result.ts';
import { confirmHead, hasNextHeight, restartAtHead, startAtFirstHead } from './restart.ts';
import { type Head, hasLaterTimestamp } from './rpc-header.ts';

export {
  type ForkChoiceResult,
  type ForkChoiceState,
  type ForkChoiceSteps,
  type HeadObservation,
  type HeadReporter,
  INITIAL_FORK_CHOICE_STATE,
} from './fork-choice-result.ts';
export { BACKFILL_BLOCKS } from './restart.ts';

/** Longest branch that is walked; a head further away is a gap. */
export const MAX_BRANCH_LENGTH = 1_024;
/**
 * How often in a row a branch that is not higher than our head must be shown until it counts: by one who has our head and knows
 * better, and by one who has never had it and may just as well lag. Polls meet any backend, a connection always the same.
 */
export const REQUIRED_SIGHTINGS = {
  poll: { knowing: 3, blind: 24 },
  connection: { knowing: 2, blind: 8 },
} as const satisfies Record<Exclude<HeadReporter, 'witness'>, { readonly knowing: number; readonly blind: number }>;

/** Judges one piece of evidence: yields what it has to ask the node, is given the answers, returns what comes of it. */
export function* chooseFork(state: ForkChoiceState, evidence: HeadObservation): ForkChoiceSteps {
  if (evidence.kind === 'latest') return yield* evaluateLatestHead(state, evidence.reporter, evidence.isOverdue);
  const { canonical } = state;
  const { head: told, reporter } = evidence;
  const isBeyond = canonical && told.height - headOf(canonical).height > MAX_BRANCH_LENGTH;
  const ours = canonical && findAnnouncedBlock(canonical, told);
  if (ours?.height === told.height) return evaluateKnownBlock(state, ours, told);
  if (state.unprovenIds.includes(announcementId(told)) || (isBeyond && evidence.isHeadCheckDue))
    return { outcome: 'deferred', state };
  if (ours) return refused(state, told);
  const { head, proven } = yield* identifyAnnouncedHead(state, told);
  const learnt = { ...state, proven };
  if (!head) return isBeyond ? refused(learnt, told) : headUnproven(learnt, told);
  if (!canonical) return yield* startAtFirstHead(learnt, head);
  const same = blockByHash(canonical, head.hash);
  if (same) return evaluateKnownBlock(learnt, same, head);
  if (hasHashMismatch(learnt, head)) {
    const own = yield* confirmHead(head);
    // Confirmed all the same, this node announces headers that are not what is hashed.
    return own
      ? yield* evaluateNewHead({ ...learnt, verifiedHashForm: undefined }, canonical, own, reporter)
      : refused(learnt, told);
  }
  const verdict = yield* evaluateNewHead(learnt, canonical, head, reporter);
  const isOver = verdict.outcome === 'unproven' || verdict.outcome === 'confirmed';
  return isOver ? { ...verdict, state: addUnproven(verdict.state, told) } : verdict;
}

/** A head that is not in the window. */
function* evaluateNewHead(known: ForkChoiceState, canonical: CanonicalChain, head: Head, by: HeadReporter): ForkChoiceSteps {
  // Lower than our head it may be of a branch that has lost already: the node itself says where it is now.
  if (head.height <= headOf(canonical).height) return yield* evaluateLatestHead(known, by, false);
  return yield* followBranch(known, canonical, head);
}

function* evaluateLatestHead(state: ForkChoiceState, by: HeadReporter, overdue: boolean): ForkChoiceSteps {
  const { canonical, abandoned } = state;
  const batchedHash = state.rivalBranch && canonical && headOf(canonical).hash;
  const [head, ours] = yield { kind: 'latest', batchedHash };
  if (!head) return { outcome: 'unproven', state };
  if (!canonical) return yield* startAtFirstHead(state, head);
  const same = blockByHash(canonical, head.hash);
  if (same && same.height !== head.height) return refused(state, head);
  if (same === headOf(canonical)) return headConfirmed(state);
  if (same) {
    if (by !== 'witness') return nodeBehind(state);
    // Whoever has shown us our head, and for long now names an ancestor of it instead, has been set back.
    return overdue ? headMoved(state, applyBranch(canonical, head.hash, [])) : headLost(state);
  }
  if (head.height < canonical[0].height) return yield* evaluateHeadBelowWindow(state, canonical, head, by, overdue);
  if (by === 'witness' || head.height > headOf(canonical).height) return yield* followBranch(state, canonical, head);
  if (by === 'poll' && abandoned.includes(head.hash) && !overdue) return nodeBehind(state);
  return yield* evaluateRivalBranch(state, canonical, head, by, overdue, ours !== undefined);
}

/** A branch that is higher than our head, or that our own witness calls the chain: it counts once its parents lead back to us. */
function* followBranch(state: ForkChoiceState, canonical: CanonicalChain, head: Head): ForkChoiceSteps {
  const { branch, isParentMissing } = yield* readBranch(canonical, head);
  if (isParentMissing) return { outcome: 'unproven', state };
  return yield* acceptBranch(state, canonical, branch);
}

/**
 * Takes a branch whose parents were read. A head whose number does not follow its parent's, and a head from which the follower restarts
 * because its parents lead past the window, must be confirmed by the node first.
 */
function* acceptBranch(known: ForkChoiceState, canonical: CanonicalChain, branch: Branch): ForkChoiceSteps {
  const [head, parent = blockByHash(canonical, head.parentHash)] = branch;
  const isLinked = hasParentInWindow(canonical, branch);
  if (!isLinked) return yield* restartAtHead(known, head);
  if (!hasNextHeight(head, parent) && !(yield* confirmHead(head))) return refused(known, head);
  return headMoved(known, appendBranch(canonical, branch));
}

/**
 * A head below the window. A node that lags shows an ancestor of our head, which is older: that is believed after very long. A newer
 * block is of another chain, as of a devnet that was started again, and counts as a branch that is not higher than our head does.
 */
function* evaluateHeadBelowWindow(
  known: ForkChoiceState,
  canonical: CanonicalChain,
  head: Head,
  by: HeadReporter,
  overdue: boolean,
): ForkChoiceSteps {
  if (!overdue && !hasLaterTimestamp(head, headOf(canonical))) return headLost(known);
  const often = overdue ? 0 : by === 'witness' ? REQUIRED_SIGHTINGS.connection.knowing : REQUIRED_SIGHTINGS[by].blind;
  return countSighting(known, canonical[0].hash, often) ?? (yield* restartAtHead(known, head));
}

/**
 * A branch that is not higher than our head, from a node that may lag: on a branch that we have left, it does. But one that has our head as
 * well has gone back there itself.
 */
function* evaluateRivalBranch(
  state: ForkChoiceState,
  canonical: CanonicalChain,
  head: Head,
  by: Exclude<HeadReporter, 'witness'>,
  overdue: boolean,
  ours: boolean,
): ForkChoiceSteps {
  const { branch, isParentMissing } = yield* readBranch(canonical, head);
  if (isParentMissing) return { outcome: 'unproven', state };
  const root = branch.at(-1)!.hash;
  if (state.abandoned.includes(root) && !overdue) {
    // Behind the address of a poll another backend may be the one that has it.
    const holds =
      by !== 'poll' && (ours || (yield { kind: 'ancestors', hash: headOf(canonical).hash, heights: [] })[0] !== undefined);
    if (!holds) return nodeBehind(state);
  }
  const often = overdue ? 0 : REQUIRED_SIGHTINGS[by][ours ? 'knowing' : 'blind'];
  return countSighting(state, root, often) ?? (yield* acceptBranch(state, canonical, branch));
}

/** Counts how often in a row a branch was shown; undefined once that is often enough. */
function countSighting(known: ForkChoiceState, root: Data, often: number): ForkChoiceResult | undefined {
  const times = known.rivalBranch?.root === root ? known.rivalBranch.times + 1 : 1;
  return times < often ? { outcome: 'rival', state: { ...known, rivalBranch: { root, times } } } : undefined;
}

/** Walks to a child of the window, or down to where there can be none. */
function* readBranch(canonical: CanonicalChain, head: Head) {
  const distance = head.height - headOf(canonical).height;
  const isTooFar = (branch: Branch) =>
    distance > MAX_BRANCH_LENGTH || branch.length >= MAX_BRANCH_LENGTH || branch.at(-1)!.height <= canonical[0].height;
  return yield* readAncestors(head, (branch) => hasParentInWindow(canonical, branch) || isTooFar(branch), distance - 1);
}

const hasParentInWindow = (canonical: CanonicalChain, branch: Branch): boolean =>
  blockByHash(canonical, branch.at(-1)!.parentHash) !== undefined;

const appendBranch = (canonical: CanonicalChain, branch: Branch) =>
  applyBranch(canonical, branch.at(-1)!.parentHash, [...branch].reverse());
