import type { Data } from '../../ethereum/hex.ts';
import type { ChainQuery, ChainQueryResult } from './ancestors.ts';
import { type CanonicalChain, type ChainChange, WINDOW_BLOCKS } from './canonical-chain.ts';
import type { AnnouncedHead } from './rpc-header.ts';

/** State of the fork choice. Immutable: each result contains a new one. */
export interface ForkChoiceState {
  readonly canonical: CanonicalChain | undefined;
  /** Hashes of blocks that reorgs removed, newest last. A node that still reports one of them is lagging. */
  readonly abandoned: readonly Data[];
  /**
   * A branch that is not higher than the current head: the hash of its lowest block, and how many times in a row it was reported.
   */
  readonly rivalBranch: { readonly root: Data; readonly sightings: number } | undefined;
  /** The header form for which the node has confirmed a hash that was computed from an announcement without one. */
  readonly confirmedHashForm: string | undefined;
  /** The header form for which a block of the node had exactly the hash computed from its header. */
  readonly verifiedHashForm: string | undefined;
  /** Identifiers of announced heads that the node did not prove, newest last. They are not evaluated again. */
  readonly unprovenIds: readonly string[];
}

export const INITIAL_FORK_CHOICE_STATE: ForkChoiceState = {
  canonical: undefined,
  abandoned: [],
  rivalBranch: undefined,
  confirmedHashForm: undefined,
  verifiedHashForm: undefined,
  unprovenIds: [],
};

/**
 * The origin of an observation: the connection that last reported the current head, another connection, or any backend behind a
 * poll.
 */
export type HeadReporter = 'headSource' | 'connection' | 'poll';

/** The input of the fork choice: a header that a subscription announced, or a request for the node's latest block. */
export type HeadObservation =
  | {
      readonly kind: 'announced';
      readonly head: AnnouncedHead;
      readonly reporter: HeadReporter;
      /** A read of the latest block is already scheduled. It also decides about an announced head beyond the window. */
      readonly isHeadCheckDue?: boolean;
    }
  | {
      readonly kind: 'latest';
      readonly reporter: HeadReporter;
      /** The current head has been unconfirmed for three silence timeouts, so the node's latest block replaces it. */
      readonly isOverdue: boolean;
    };

/**
 * The decision about one observation.
 * - `moved`: the head has changed.
 * - `confirmed`: the observed block is the current head.
 * - `stale`: the announced block is an ancestor of the current head.
 * - `behind`: the node lags behind the current head.
 * - `doubtful`: the source of the current head reports an older block, or any source reports one below the window, so the current
 *   head is in doubt.
 * - `rival`: a branch that is not higher than the current head; it must be reported again to count.
 * - `unproven`: the node did not return the blocks that would prove the head; read the latest block again. `unconfirmedHead` is
 *   set when the node contradicts or cannot confirm its own head.
 * - `deferred`: the next read of the latest block decides about this announcement.
 */
export type ForkChoiceResult = { readonly state: ForkChoiceState } & (
  | { readonly outcome: 'confirmed' | 'stale' | 'behind' | 'doubtful' | 'rival' | 'deferred' }
  | { readonly outcome: 'unproven'; readonly unconfirmedHead?: AnnouncedHead }
  | { readonly outcome: 'moved'; readonly change: ChainChange }
);

/** A fork choice in progress: yields the queries that it needs and receives their results. */
export type ForkChoiceSteps = Generator<ChainQuery, ForkChoiceResult, ChainQueryResult>;

const MAX_UNPROVEN_IDS = 64;

export function headMoved(
  state: ForkChoiceState,
  { canonical, change }: { canonical: CanonicalChain; change: ChainChange },
): ForkChoiceResult {
  const { removed, added, hasGap } = change;
  const addedHashes = new Set(added.map(({ hash }) => hash));
  const abandoned = [
    ...state.abandoned.filter((hash) => !addedHashes.has(hash)),
    ...removed.map(({ hash }) => hash).reverse(),
  ].slice(-WINDOW_BLOCKS);
  // A wrongly computed hash shows up as a reorg, so the node must confirm a computed hash again.
  const confirmedHashForm = removed.length > 0 || hasGap ? undefined : state.confirmedHashForm;
  return { outcome: 'moved', change, state: { ...state, canonical, abandoned, rivalBranch: undefined, confirmedHashForm } };
}

/** Returns a key that is equal for repetitions of one announcement only, even when it has no hash or a wrong one. */
export const announcementId = ({ hash, number, parentHash, header }: AnnouncedHead): string =>
  [hash, number, parentHash, header.stateRoot, header.timestamp].join(' ');

export function addUnproven(state: ForkChoiceState, announced: AnnouncedHead): ForkChoiceState {
  const id = announcementId(announced);
  return state.unprovenIds.includes(id) ? state : { ...state, unprovenIds: [...state.unprovenIds, id].slice(-MAX_UNPROVEN_IDS) };
}

export const headUnproven = (state: ForkChoiceState, announced: AnnouncedHead): ForkChoiceResult => ({
  outcome: 'unproven',
  state: addUnproven(state, announced),
});
export const headUnconfirmed = (state: ForkChoiceState, announced: AnnouncedHead): ForkChoiceResult => ({
  ...headUnproven(state, announced),
  outcome: 'unproven',
  unconfirmedHead: announced,
});
export const headDoubtful = (state: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'doubtful',
  state: { ...state, rivalBranch: undefined },
});
export const nodeBehind = (state: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'behind',
  state: { ...state, rivalBranch: undefined },
});
export const headConfirmed = (state: ForkChoiceState): ForkChoiceResult => ({
  outcome: 'confirmed',
  state: { ...state, rivalBranch: undefined },
});
