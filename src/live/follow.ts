import type { Data } from '../evm/hex.ts';
import { adopt, atHeight, byHash, type Canonical, type ChainChange, headOf, WINDOW } from './canonical.ts';
import { type Head, named, type Told } from './head.ts';
import { agree, formOf, headerHash } from './header-hash.ts';
import { type Answer, type Branch, type Question, walk } from './walk.ts';

/** All that the follower knows of the chain; each verdict makes a new one. */
export interface Known {
  readonly canonical: Canonical | undefined;
  /** Blocks that reorgs have removed, newest last: a node that still shows them lags. */
  readonly left: readonly Data[];
  /** A branch that is not higher than our head, and how often in a row it was shown. */
  readonly rival: { readonly root: Data; readonly times: number } | undefined;
  /** The form of header whose reckoned hash the node has confirmed. */
  readonly proven: string | undefined;
}

export const NOTHING: Known = { canonical: undefined, left: [], rival: undefined, proven: undefined };

/** Who speaks: the connection that has shown us our head, another connection, or whichever backend answers a poll. */
export type Speaker = 'witness' | 'connection' | 'poll';

/** What there is to be judged: a header that a subscription announced, or whatever the node calls its head when asked. */
export type Evidence =
  | { readonly kind: 'announced'; readonly told: Told; readonly by: Speaker }
  | {
      readonly kind: 'latest';
      readonly by: Speaker;
      /** Our head has been shown by nobody for so long that the node's word goes before it. */
      readonly overdue: boolean;
    };

/**
 * What comes of it. `confirmed`: it is our head. `stale`: an announcement of what we have. `behind`: the node has not come as far
 * as we have. `lost`: the same, and so that our head is in doubt. `rival`: a lower branch that has to show itself again.
 * `unproven`: not to be had now, look again. `moved`: there is a change.
 */
export type Verdict = { readonly known: Known } & (
  | { readonly outcome: 'confirmed' | 'stale' | 'behind' | 'lost' | 'rival' | 'unproven' }
  | { readonly outcome: 'moved'; readonly change: ChainChange }
);

export type Judging = Generator<Question, Verdict, Answer>;

/** Longest branch that is walked; a head further away is a gap. */
export const FURTHEST = 1_024;
/** Ancestors read below a first head, so that a reorg just after the start can be told. */
export const BACKFILL = 32;
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
  const { head, proven } = yield* identify(known, evidence.told);
  const learnt = { ...known, proven };
  if (!head) return { outcome: 'unproven', known: learnt };
  if (!canonical) return yield* begin(learnt, head, false);
  if (head.hash === headOf(canonical).hash) return confirmed(learnt);
  if (byHash(canonical, head.hash)) return { outcome: 'stale', known: learnt };
  // Lower than our head it may be of a branch that has lost already: the node itself says where it is now.
  if (head.height <= headOf(canonical).height) return yield* judgeLatest(learnt, evidence.by, false);
  return yield* follow(learnt, canonical, head);
}

function* judgeLatest(known: Known, by: Speaker, overdue: boolean): Judging {
  const { canonical, left } = known;
  const beside = known.rival && canonical && headOf(canonical).hash;
  const [head, ours] = yield { ask: 'latest', beside };
  if (!head) return { outcome: 'unproven', known };
  if (!canonical) return yield* begin(known, head, false);
  if (head.hash === headOf(canonical).hash) return confirmed(known);
  if (byHash(canonical, head.hash)) {
    if (by !== 'witness') return behind(known);
    // Whoever has shown us our head, and for long now names an ancestor of it instead, has been set back.
    return overdue ? moved(known, adopt(canonical, head.hash, [])) : lost(known);
  }
  if (head.height < canonical[0].height) return overdue ? yield* begin(known, head, true) : lost(known);
  if (by === 'witness' || head.height > headOf(canonical).height) return yield* follow(known, canonical, head);
  if (by === 'poll' && left.includes(head.hash) && !overdue) return behind(known);
  return yield* judgeRival(known, canonical, head, by, overdue, ours !== undefined);
}

/**
 * The block that a header without a hash is about. Where the header is complete its hash is reckoned, once the node has
 * confirmed a hash reckoned from a header of this form. Else the node is asked for its block of that height: should that be
 * another one, then there was a reorg in between, and the other is the newer evidence.
 */
function* identify(
  { canonical, proven }: Known,
  told: Told,
): Generator<Question, { readonly head: Head | undefined; readonly proven: string | undefined }, Answer> {
  if (told.hash !== undefined) return { head: told as Head, proven };
  const ours = canonical && atHeight(canonical, told.height);
  if (ours && agree(ours.header, told.header)) return { head: ours, proven };
  const hash = headerHash(told.header);
  const form = formOf(told.header);
  if (hash !== undefined && proven === form) return { head: named(told, hash), proven };
  const [head] = yield { ask: 'height', height: told.height };
  return { head, proven: head && head.hash === hash ? form : proven };
}

/** A branch that is higher than our head, or that our own witness calls the chain: it counts once its parents lead back to us. */
function* follow(known: Known, canonical: Canonical, head: Head): Judging {
  const { branch, missing } = yield* back(canonical, head);
  if (missing) return { outcome: 'unproven', known };
  return isRooted(canonical, branch) ? moved(known, grow(canonical, branch)) : yield* begin(known, head, true);
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
  const times = known.rival?.root === root ? known.rival.times + 1 : 1;
  if (times < often) return { outcome: 'rival', known: { ...known, rival: { root, times } } };
  return isRooted(canonical, branch) ? moved(known, grow(canonical, branch)) : yield* begin(known, head, true);
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

/** Begins anew at a head, with what ancestors the node will tell. */
function* begin(known: Known, head: Head, gap: boolean): Judging {
  const wanted = Math.min(BACKFILL, head.height);
  const { branch } = yield* walk(head, ({ length }) => length > wanted, wanted);
  const canonical = [...branch].reverse() as [Head, ...Head[]];
  return moved(known, { canonical, change: { removed: [], added: [head], gap } });
}

function moved(known: Known, { canonical, change }: { canonical: Canonical; change: ChainChange }): Verdict {
  const { removed, added, gap } = change;
  const came = new Set(added.map(({ hash }) => hash));
  const left = [...known.left.filter((hash) => !came.has(hash)), ...removed.map(({ hash }) => hash).reverse()].slice(-WINDOW);
  // A reckoned hash that was wrong shows as a reorg, so reckoning has to prove itself again.
  const proven = removed.length > 0 || gap ? undefined : known.proven;
  return { outcome: 'moved', change, known: { canonical, left, rival: undefined, proven } };
}

const lost = (known: Known): Verdict => ({ outcome: 'lost', known: { ...known, rival: undefined } });
const behind = (known: Known): Verdict => ({ outcome: 'behind', known: { ...known, rival: undefined } });
const confirmed = (known: Known): Verdict => ({ outcome: 'confirmed', known: { ...known, rival: undefined } });
