import type { Data } from '../../ethereum/hex.ts';
import type { ChainQuery, ChainQueryResult } from './ancestors.ts';
import { type CanonicalChain, type ChainChange, WINDOW_BLOCKS } from './canonical-chain.ts';
import type { AnnouncedHead } from './rpc-header.ts';

/** All that the follower knows of the chain; each verdict makes a new one. */
export interface ForkChoiceState {
  readonly canonical: CanonicalChain | undefined;
  /** Blocks that reorgs have removed, newest last: a node that still shows them lags. */
  readonly abandoned: readonly Data[];
  /** A branch that is not higher than our head, and how often in a row it was shown. */
  readonly rivalBranch: { readonly root: Data; readonly times: number } | undefined;
  /** The form of header whose reckoned hash the node has confirmed. */
  readonly proven: string | undefined;
  /** The form of header whose hash is known to be computed from the header: a block of the node has shown it. */
  readonly verifiedHashForm: string | undefined;
  /** Announced heads that the node did not prove, newest last: they are not examined a second time. */
  readonly unprovenIds: readonly string[];
}

export const INITIAL_FORK_CHOICE_STATE: ForkChoiceState = {
  canonical: undefined,
  abandoned: [],
  rivalBranch: undefined,
  proven: undefined,
  verifiedHashForm: undefined,
  unprovenIds: [],
};

/** Who speaks: the connection that has shown us our head, another connection, or whichever backend answers a poll. */
export type HeadReporter = 'witness' | 'connection' | 'poll';

/** What there is to be judged: a header that a subscription announced, or whatever the node calls its head when asked. */
export type HeadObservation =
  | {
      readonly kind: 'announced';
      readonly head: AnnouncedHead;
      readonly reporter: HeadReporter;
      /** The node's head is about to be read anyway, which decides about a head beyond the window too. */
      readonly isHeadCheckDue?: boolean;
    }
  | {
      readonly kind: 'latest';
      readonly reporter: HeadReporter;
      /** Our head has been shown by nobody for so long that the node's word goes before it. */
      readonly isOverdue: boolean;
    };

/**
 * What comes of it. `confirmed`: it is our head. `stale`: an announcement of what we have. `behind`: the node has not come as far
 * as we have. `lost`: the same, and so that our head is in doubt. `rival`: a lower branch that has to show itself again.
 * `unproven`: not to be had now, look again; with `refused` when the node itself did not confirm its head. `deferred`: an announcement
 * that the next look decides about. `moved`: there is a change.
 */
export type ForkChoiceResult = { readonly state: ForkChoiceState } & (
  | { readonly outcome: 'confirmed' | 'stale' | 'behind' | 'lost' | 'rival' | 'deferred' }
  | { readonly outcome: 'unproven'; readonly headRefused?: AnnouncedHead }
  | { readonly outcome: 'moved'; readonly change: ChainChange }
);

export type ForkChoiceSteps = Generator<ChainQuery, ForkChoiceResult, ChainQueryResult>;

/** Maximum number of unproven announcements that are remembered. */
const MAX_UNPROVEN_IDS = 64;
export function headMoved(
  known: ForkChoiceState,
  { canonical, change }: { canonical: CanonicalChain; change: ChainChange },
): ForkChoiceResult {
  const { removed, added, hasGap } = change;
  const came = new Set(added.map(({ hash }) => hash));
  const abandoned = [...known.abandoned.filter((hash) => !came.has(hash)), ...removed.map(({ hash }) => hash).reverse()].slice(
    -WINDOW_BLOCKS,
  );
  // A reckoned hash that was wrong shows as a reorg, so reckoning has to prove itself again.
  const proven = removed.length > 0 || hasGap ? undefined : known.proven;
  return { outcome: 'moved', change, state: { ...known, canonical, abandoned, rivalBranch: undefined, proven } };
}

/** Tells an announcement from all others, also where it has no hash or a wrong one. */
export const announcementId = ({ hash, number, parentHash, header }: AnnouncedHead): string =>
  [hash, number, parentHash, header.stateRoot, header.timestamp].join(' ');

export function addUnproven(known: ForkChoiceState, told: AnnouncedHead): ForkChoiceState {
  const id = announcementId(told);
  return known.unprovenIds.includes(id) ? known : { ...known, unprovenIds: [...known.unprovenIds, id].slice(-MAX_UNPROVEN_IDS) };
}

export const headUnproven = (known: ForkChoiceState, told: AnnouncedHead): ForkChoiceResult => ({
  outcome: 'unproven',
  state: addUnproven(known, told),
});
export const refused = (known: ForkChoiceState, told: AnnouncedHead): ForkChoiceResult => ({
  ...headUnproven(known, told),
  outcome: 'unproven',
  headRefused: told,
});
export const headLost = (known: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'lost',
  state: { ...known, rivalBranch: undefined },
});
export const nodeBehind = (known: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'behind',
  state: { ...known, rivalBranch: undefined },
});
export const headConfirmed = (known: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'confirmed',
  state: { ...known, rivalBranch: undefined },
});
