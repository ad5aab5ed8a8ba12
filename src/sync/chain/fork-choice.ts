import type { Data } from '../../ethereum/hex.ts';
import { type Branch, walk } from './ancestors.ts';
import { contradictsItself, identify, judgeKnown, knownBlock } from './announced-heads.ts';
import { adopt, byHash, type Canonical, headOf } from './canonical-chain.ts';
import {
  behind,
  confirmed,
  type Evidence,
  idOf,
  type Judging,
  type Known,
  lost,
  moved,
  refused,
  type Speaker,
  unproven,
  type Verdict,
  withUnproven,
} from './fork-choice-result.ts';
import { begin, confirm, followsDirectly, restart } from './restart.ts';
import { type Head, isNewer } from './rpc-header.ts';

export { type Evidence, type Judging, type Known, NOTHING, type Speaker, type Verdict } from './fork-choice-result.ts';
export { BACKFILL } from './restart.ts';

/** Longest branch that is walked; a head further away is a gap. */
export const FURTHEST = 1_024;
/**
 * How often in a row a branch that is not higher than our head must be shown until it counts: by one who has our head and knows
 * better, and by one who has never had it and may just as well lag. Polls meet any backend, a connection always the same.
 */
export const OFTEN = {
  poll: { knowing: 3, blind: 24 },
  connection: { knowing: 2, blind: 8 },
} as const satisfies Record<Exclude<Speaker, 'witness'>, { readonly knowing: number; readonly blind: number }>;

/** Judges one piece of evidence: yields what it has to ask the node, is given the answers, returns what comes of it. */
export function* judge(known: Known, evidence: Evidence): Judging {
  if (evidence.kind === 'latest') return yield* judgeLatest(known, evidence.by, evidence.overdue);
  const { canonical } = known;
  const { told, by } = evidence;
  const isBeyond = canonical && told.height - headOf(canonical).height > FURTHEST;
  const ours = canonical && knownBlock(canonical, told);
  if (ours?.height === told.height) return judgeKnown(known, ours, told);
  if (known.unproven.includes(idOf(told)) || (isBeyond && evidence.isLookDue)) return { outcome: 'deferred', known };
  if (ours) return refused(known, told);
  const { head, proven } = yield* identify(known, told);
  const learnt = { ...known, proven };
  if (!head) return isBeyond ? refused(learnt, told) : unproven(learnt, told);
  if (!canonical) return yield* begin(learnt, head);
  const same = byHash(canonical, head.hash);
  if (same) return judgeKnown(learnt, same, head);
  if (contradictsItself(learnt, head)) {
    const own = yield* confirm(head);
    // Confirmed all the same, this node announces headers that are not what is hashed.
    return own ? yield* judgeNew({ ...learnt, sealed: undefined }, canonical, own, by) : refused(learnt, told);
  }
  const verdict = yield* judgeNew(learnt, canonical, head, by);
  const isOver = verdict.outcome === 'unproven' || verdict.outcome === 'confirmed';
  return isOver ? { ...verdict, known: withUnproven(verdict.known, told) } : verdict;
}

/** A head that is not in the window. */
function* judgeNew(known: Known, canonical: Canonical, head: Head, by: Speaker): Judging {
  // Lower than our head it may be of a branch that has lost already: the node itself says where it is now.
  if (head.height <= headOf(canonical).height) return yield* judgeLatest(known, by, false);
  return yield* follow(known, canonical, head);
}

function* judgeLatest(known: Known, by: Speaker, overdue: boolean): Judging {
  const { canonical, left } = known;
  const beside = known.rival && canonical && headOf(canonical).hash;
  const [head, ours] = yield { ask: 'latest', beside };
  if (!head) return { outcome: 'unproven', known };
  if (!canonical) return yield* begin(known, head);
  const same = byHash(canonical, head.hash);
  if (same && same.height !== head.height) return refused(known, head);
  if (same === headOf(canonical)) return confirmed(known);
  if (same) {
    if (by !== 'witness') return behind(known);
    // Whoever has shown us our head, and for long now names an ancestor of it instead, has been set back.
    return overdue ? moved(known, adopt(canonical, head.hash, [])) : lost(known);
  }
  if (head.height < canonical[0].height) return yield* judgeBelow(known, canonical, head, by, overdue);
  if (by === 'witness' || head.height > headOf(canonical).height) return yield* follow(known, canonical, head);
  if (by === 'poll' && left.includes(head.hash) && !overdue) return behind(known);
  return yield* judgeRival(known, canonical, head, by, overdue, ours !== undefined);
}

/** A branch that is higher than our head, or that our own witness calls the chain: it counts once its parents lead back to us. */
function* follow(known: Known, canonical: Canonical, head: Head): Judging {
  const { branch, missing } = yield* back(canonical, head);
  if (missing) return { outcome: 'unproven', known };
  return yield* take(known, canonical, branch);
}

/**
 * Takes a branch whose parents were read. A head whose number does not follow its parent's, and a head from which the follower restarts
 * because its parents lead past the window, must be confirmed by the node first.
 */
function* take(known: Known, canonical: Canonical, branch: Branch): Judging {
  const [head, parent = byHash(canonical, head.parentHash)] = branch;
  const isLinked = isRooted(canonical, branch);
  if (!isLinked) return yield* restart(known, head);
  if (!followsDirectly(head, parent) && !(yield* confirm(head))) return refused(known, head);
  return moved(known, grow(canonical, branch));
}

/**
 * A head below the window. A node that lags shows an ancestor of our head, which is older: that is believed after very long. A newer
 * block is of another chain, as of a devnet that was started again, and counts as a branch that is not higher than our head does.
 */
function* judgeBelow(known: Known, canonical: Canonical, head: Head, by: Speaker, overdue: boolean): Judging {
  if (!overdue && !isNewer(head, headOf(canonical))) return lost(known);
  const often = overdue ? 0 : by === 'witness' ? OFTEN.connection.knowing : OFTEN[by].blind;
  return shown(known, canonical[0].hash, often) ?? (yield* restart(known, head));
}

/**
 * A branch that is not higher than our head, from a node that may lag: on a branch that we have left, it does. But one that has our head as
 * well has gone back there itself.
 */
function* judgeRival(
  known: Known,
  canonical: Canonical,
  head: Head,
  by: Exclude<Speaker, 'witness'>,
  overdue: boolean,
  ours: boolean,
): Judging {
  const { branch, missing } = yield* back(canonical, head);
  if (missing) return { outcome: 'unproven', known };
  const root = branch.at(-1)!.hash;
  if (known.left.includes(root) && !overdue) {
    // Behind the address of a poll another backend may be the one that has it.
    const holds =
      by !== 'poll' && (ours || (yield { ask: 'ancestors', hash: headOf(canonical).hash, heights: [] })[0] !== undefined);
    if (!holds) return behind(known);
  }
  const often = overdue ? 0 : OFTEN[by][ours ? 'knowing' : 'blind'];
  return shown(known, root, often) ?? (yield* take(known, canonical, branch));
}

/** Counts how often in a row a branch was shown; undefined once that is often enough. */
function shown(known: Known, root: Data, often: number): Verdict | undefined {
  const times = known.rival?.root === root ? known.rival.times + 1 : 1;
  return times < often ? { outcome: 'rival', known: { ...known, rival: { root, times } } } : undefined;
}

/** Walks to a child of the window, or down to where there can be none. */
function* back(canonical: Canonical, head: Head) {
  const distance = head.height - headOf(canonical).height;
  const isTooFar = (branch: Branch) =>
    distance > FURTHEST || branch.length >= FURTHEST || branch.at(-1)!.height <= canonical[0].height;
  return yield* walk(head, (branch) => isRooted(canonical, branch) || isTooFar(branch), distance - 1);
}

const isRooted = (canonical: Canonical, branch: Branch): boolean => byHash(canonical, branch.at(-1)!.parentHash) !== undefined;

const grow = (canonical: Canonical, branch: Branch) => adopt(canonical, branch.at(-1)!.parentHash, [...branch].reverse());
