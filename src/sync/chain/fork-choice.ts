import type { Data } from '../../ethereum/hex.ts';
import { type Branch, readAncestors } from './ancestors.ts';
import { applyBranch, blockByHash, type CanonicalChain, headOf, isOnSideBranch } from './canonical-chain.ts';
import {
  addUnverified,
  announcementId,
  confirmHead,
  evaluateKnownBlock,
  type ForkChoiceResult,
  type ForkChoiceState,
  type ForkChoiceSteps,
  type HeadObservation,
  type HeadReporter,
  hasHashMismatch,
  hasNextHeight,
  headMoved,
  headUnverified,
  restartAtHead,
  startAtFirstHead,
  withoutCompetitor,
} from './fork-choice-steps.ts';
import type { Head } from './rpc-header.ts';

/** Maximum number of ancestors of a head that are read. A head further from the window is reported as a gap. */
export const MAX_BRANCH_LENGTH = 1_024;
/**
 * Number of consecutive reports after which a competing branch, which is not higher than the current head, is accepted.
 * A node that also has the current head has chosen between the two branches; a node without the current head may simply
 * lag, so its branch needs more reports. Each poll may reach another backend, but a connection always reaches one
 * backend.
 */
export const REQUIRED_SIGHTINGS = {
  poll: { withCurrentHead: 3, withoutCurrentHead: 24 },
  connection: { withCurrentHead: 2, withoutCurrentHead: 8 },
} as const;

/**
 * Decides about one observation of the node's head. Pure: yields the queries to send, receives their results, returns the
 * decision.
 */
export function* chooseFork(state: ForkChoiceState, observation: HeadObservation): ForkChoiceSteps {
  if (observation.kind === 'latest') return yield* evaluateLatestHead(state, observation.reporter, observation.isOverdue);
  const { canonical } = state;
  const { head: announced, reporter } = observation;
  const isBeyondWindow = canonical && announced.height - headOf(canonical).height > MAX_BRANCH_LENGTH;
  const known = canonical && announced.hash && blockByHash(canonical, announced.hash);
  if (known && known.height === announced.height) return evaluateKnownBlock(state, known, announced);
  if (state.unverifiedIds.includes(announcementId(announced)) || (isBeyondWindow && observation.isHeadCheckDue))
    return { outcome: 'deferred', state };
  // Some nodes announce headers without a hash. After a reorg, the node's block at that height is newer than the
  // announcement.
  const [head] = announced.hash ? [announced as Head] : yield [announced.number];
  if (!head) return isBeyondWindow ? headUnverified(state, announced, true) : headUnverified(state, announced);
  if (!canonical) return yield* startAtFirstHead(state, head);
  const identified = blockByHash(canonical, head.hash);
  if (identified) return evaluateKnownBlock(state, identified, head);
  if (hasHashMismatch(state, head)) {
    const confirmed = yield* confirmHead(head);
    // A confirmed head shows that this node computes hashes from other fields than it announces. If hashes must match, the read has compared
    // the hash of the confirmed head.
    return confirmed
      ? yield* evaluateNewHead({ ...state, verifiedHashForm: undefined }, canonical, confirmed, reporter)
      : headUnverified(state, announced, true);
  }
  const result = yield* evaluateNewHead(state, canonical, head, reporter);
  return result.outcome === 'unverified' || result.outcome === 'confirmed'
    ? { ...result, state: addUnverified(result.state, announced) }
    : result;
}

/** Evaluates an announced head that is not in the window. */
function* evaluateNewHead(state: ForkChoiceState, canonical: CanonicalChain, head: Head, reporter: HeadReporter) {
  // A head that is not higher than the current head may already belong to a side branch: read the node's latest block
  // instead.
  if (head.height <= headOf(canonical).height) return yield* evaluateLatestHead(state, reporter, false);
  return yield* followBranch(state, canonical, head);
}

function* evaluateLatestHead(state: ForkChoiceState, reporter: HeadReporter, isOverdue: boolean): ForkChoiceSteps {
  const { canonical } = state;
  const [head, currentHead] = yield ['latest', ...(state.competingBranch && canonical ? [headOf(canonical).hash] : [])];
  if (!head) return { outcome: 'unverified', state };
  if (!canonical) return yield* startAtFirstHead(state, head);
  const known = blockByHash(canonical, head.hash);
  if (known && known.height !== head.height) return headUnverified(state, head, true);
  if (known === headOf(canonical)) return withoutCompetitor(state, 'confirmed');
  if (known) {
    if (reporter !== 'headSource') return withoutCompetitor(state, 'behind');
    // The node that reported the current head has since reported an ancestor of it for three silence timeouts: it was rolled back.
    return isOverdue ? headMoved(state, applyBranch(canonical, head.hash, [])) : withoutCompetitor(state, 'doubtful');
  }
  if (head.height < canonical[0].height) return yield* evaluateHeadBelowWindow(state, canonical, head, reporter, isOverdue);
  if (reporter === 'headSource' || head.height > headOf(canonical).height) return yield* followBranch(state, canonical, head);
  if (reporter === 'poll' && isOnSideBranch(state, head.hash) && !isOverdue) return withoutCompetitor(state, 'behind');
  return yield* evaluateCompetingBranch(state, canonical, head, reporter, isOverdue, currentHead !== undefined);
}

/**
 * Accepts a branch that is higher than the current head, or that the source of the head reports, once its ancestors
 * link it to the window.
 */
function* followBranch(state: ForkChoiceState, canonical: CanonicalChain, head: Head): ForkChoiceSteps {
  const { branch, isParentMissing } = yield* readBranch(canonical, head);
  if (isParentMissing) return { outcome: 'unverified', state };
  return yield* acceptBranch(state, canonical, branch);
}

/**
 * Accepts a branch whose ancestors were read. The node must first confirm two kinds of heads: a head whose number does
 * not follow the number of its parent, and a head that is not linked to the window. The follower then restarts at a
 * head that is not linked.
 */
function* acceptBranch(state: ForkChoiceState, canonical: CanonicalChain, branch: Branch): ForkChoiceSteps {
  const [head, parent = blockByHash(canonical, head.parentHash)] = branch;
  if (!hasParentInWindow(canonical, branch)) return yield* restartAtHead(state, head);
  if (!hasNextHeight(head, parent) && !(yield* confirmHead(head))) return headUnverified(state, head, true);
  return headMoved(state, applyBranch(canonical, branch.at(-1)!.parentHash, [...branch].reverse()));
}

/**
 * Evaluates a head below the window. An older block is an ancestor of the current head, reported by a lagging node: it
 * is accepted only when the current head is overdue. A block with a later timestamp belongs to another chain, for
 * example a restarted devnet: it is accepted after the number of reports that a competing branch needs.
 */
function* evaluateHeadBelowWindow(
  state: ForkChoiceState,
  canonical: CanonicalChain,
  head: Head,
  reporter: HeadReporter,
  isOverdue: boolean,
): ForkChoiceSteps {
  const isLater = Number(head.header.timestamp) > Number(headOf(canonical).header.timestamp);
  if (!isOverdue && !isLater) return withoutCompetitor(state, 'doubtful');
  const required =
    reporter === 'headSource' ? REQUIRED_SIGHTINGS.connection.withCurrentHead : REQUIRED_SIGHTINGS[reporter].withoutCurrentHead;
  return countSighting(state, canonical[0].hash, isOverdue ? 0 : required) ?? (yield* restartAtHead(state, head));
}

/**
 * Evaluates a branch that is not higher than the current head, from a node that may lag. A node that reports a side
 * branch is taken to lag, unless it also has the current head: then the node has switched back to that branch.
 */
function* evaluateCompetingBranch(
  state: ForkChoiceState,
  canonical: CanonicalChain,
  head: Head,
  reporter: Exclude<HeadReporter, 'headSource'>,
  isOverdue: boolean,
  nodeHasCurrentHead: boolean,
): ForkChoiceSteps {
  const { branch, isParentMissing } = yield* readBranch(canonical, head);
  if (isParentMissing) return { outcome: 'unverified', state };
  const root = branch.at(-1)!.hash;
  if (isOnSideBranch(state, root) && !isOverdue) {
    // A second request of a poll may reach another backend, so it would prove nothing.
    const hasReturned = reporter !== 'poll' && (nodeHasCurrentHead || (yield [headOf(canonical).hash])[0] !== undefined);
    if (!hasReturned) return withoutCompetitor(state, 'behind');
  }
  const required = REQUIRED_SIGHTINGS[reporter][nodeHasCurrentHead ? 'withCurrentHead' : 'withoutCurrentHead'];
  return countSighting(state, root, isOverdue ? 0 : required) ?? (yield* acceptBranch(state, canonical, branch));
}

/** Counts consecutive reports of a branch; undefined when the required number is reached. */
function countSighting(state: ForkChoiceState, root: Data, required: number): ForkChoiceResult | undefined {
  const sightings = state.competingBranch?.root === root ? state.competingBranch.sightings + 1 : 1;
  return sightings < required ? { outcome: 'competing', state: { ...state, competingBranch: { root, sightings } } } : undefined;
}

/**
 * Reads ancestors down to a child of a block of the window, to the lowest height of the window, or up to MAX_BRANCH_LENGTH
 * blocks.
 */
function* readBranch(canonical: CanonicalChain, head: Head) {
  const distance = head.height - headOf(canonical).height;
  const isTooLong = (branch: Branch) =>
    distance > MAX_BRANCH_LENGTH || branch.length >= MAX_BRANCH_LENGTH || branch.at(-1)!.height <= canonical[0].height;
  return yield* readAncestors(head, (branch) => hasParentInWindow(canonical, branch) || isTooLong(branch), distance - 1);
}

const hasParentInWindow = (canonical: CanonicalChain, branch: Branch): boolean =>
  blockByHash(canonical, branch.at(-1)!.parentHash) !== undefined;
