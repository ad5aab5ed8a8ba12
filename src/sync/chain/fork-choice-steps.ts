import { headerForm } from '../../ethereum/encoding/block.ts';
import type { Data } from '../../ethereum/hex.ts';
import { type Branch, type ChainQuery, type ChainQueryResult, readAncestors } from './ancestors.ts';
import { type CanonicalChain, type ChainChange, type ChainHistory, headOf, WINDOW_BLOCKS } from './canonical-chain.ts';
import { type AnnouncedHead, type Head, headerHash } from './rpc-header.ts';

/**
 * Returns whether the hash of a header contradicts its fields. Unless hashes must match, false on a chain whose hashes are not
 * known to be computed from the header.
 */
export function hasHashMismatch({ requiresHashes, verifiedHashForm }: ForkChoiceState, { hash, header }: Head): boolean {
  if (requiresHashes) return headerHash(header) !== hash;
  return headerForm(header) === verifiedHashForm && (headerHash(header) ?? hash) !== hash;
}

/**
 * Evaluates a header that has the hash of a block of the window. Rejects the header as unconfirmed when its number
 * differs from the number of that block.
 */
export function evaluateKnownBlock(state: ForkChoiceState, block: Head, announced: AnnouncedHead): ForkChoiceResult {
  if (announced.height !== block.height) return headUnverified(state, announced, true);
  return block === headOf(state.canonical!) ? withoutCompetitor(state, 'confirmed') : { outcome: 'stale', state };
}

/**
 * Number of ancestors that are read below a first head, so that a reorg just after the start is reported block by
 * block.
 */
export const BACKFILL_BLOCKS = 32;
/**
 * Number of reads that may lack ancestors of a first head before the head is accepted without them: a failing node lacks
 * them for a moment, a node without history forever.
 */
export const MAX_FAILED_STARTS = 4;

/**
 * Returns whether the height of a block is the height of its parent plus one. False on chains that skip heights, and
 * for an invalid head.
 */
export const hasNextHeight = (head: Head, parent: Head | undefined): boolean => parent?.height === head.height - 1;

/**
 * Reads a head and its parent by hash and checks that the node has both: the head with an equal number and parent hash,
 * the parent at a lower height. Returns the node's own block, or undefined when the head is not confirmed. With
 * `hasParent` false the parent is not read, for nodes without history.
 */
export function* confirmHead(head: Head, hasParent = head.height > 0): Generator<ChainQuery, Head | undefined, ChainQueryResult> {
  const [block, parent] = yield hasParent ? [head.hash, head.parentHash] : [head.hash];
  if (block?.height !== head.height || block.parentHash !== head.parentHash) return undefined;
  return !hasParent || (parent && parent.height < head.height) ? block : undefined;
}

/**
 * Starts the window at the first head and its ancestors. The node must confirm a head whose parent is missing or whose
 * height is not the height of its parent plus one.
 */
export function* startAtFirstHead(state: ForkChoiceState, head: Head): ForkChoiceSteps {
  const { branch, isParentMissing } = yield* readBackfill(head);
  const isLinked = head.height === 0 || (branch[1] && hasNextHeight(head, branch[1]));
  if (!isLinked && !(yield* confirmHead(head, branch[1] !== undefined))) return headUnverified(state, head, true);
  if (isParentMissing && state.failedStarts < MAX_FAILED_STARTS)
    return { outcome: 'unverified', state: { ...state, failedStarts: state.failedStarts + 1 } };
  return resultAtHead(state, branch, false);
}

/** Restarts the window, with a gap, at a head that is not linked to it. The node must confirm the head. */
export function* restartAtHead(state: ForkChoiceState, head: Head): ForkChoiceSteps {
  const block = yield* confirmHead(head);
  if (!block) return headUnverified(state, head, true);
  const { branch } = yield* readBackfill(block);
  return resultAtHead(state, branch, true);
}

function* readBackfill(head: Head) {
  const count = Math.min(BACKFILL_BLOCKS, head.height);
  return yield* readAncestors(head, ({ length }) => length > count, count);
}

function resultAtHead(state: ForkChoiceState, branch: Branch, hasGap: boolean): ForkChoiceResult {
  const [{ hash, header }] = branch;
  const verifiedHashForm = headerHash(header) === hash ? headerForm(header) : undefined;
  const canonical = [...branch].reverse() as [Head, ...Head[]];
  return headMoved({ ...state, verifiedHashForm }, { canonical, change: { removed: [], added: [branch[0]], hasGap } });
}

/** State of the fork choice. Immutable: each result contains a new state. */
export interface ForkChoiceState extends ChainHistory {
  /**
   * A competing branch, which is not higher than the current head: the hash of its lowest block, and the number of
   * consecutive reports of it.
   */
  readonly competingBranch: { readonly root: Data; readonly sightings: number } | undefined;
  /** Whether each head must have the hash of its header, as with HEADER_CHECKS=on. */
  readonly requiresHashes: boolean;
  /** The header form for which a block of the node had exactly the hash computed from its header. */
  readonly verifiedHashForm: string | undefined;
  /** Identifiers of announced heads that the node did not prove, newest last. They are not evaluated again. */
  readonly unverifiedIds: readonly string[];
  /** Number of reads of a first head that lacked ancestors. */
  readonly failedStarts: number;
}

export const INITIAL_FORK_CHOICE_STATE: ForkChoiceState = {
  canonical: undefined,
  sideBranches: [],
  competingBranch: undefined,
  requiresHashes: false,
  verifiedHashForm: undefined,
  unverifiedIds: [],
  failedStarts: 0,
};

/**
 * The origin of an observation: the connection that last reported the current head, another connection, or a backend
 * that responded to a poll.
 */
export type HeadReporter = 'headSource' | 'connection' | 'poll';

/** The input of the fork choice: a header that a subscription announced, or a request for the node's latest block. */
export type HeadObservation =
  | {
      readonly kind: 'announced';
      readonly head: AnnouncedHead;
      readonly reporter: HeadReporter;
      /**
       * A read of the latest block is already scheduled. That read also decides about an announced head beyond the
       * window.
       */
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
 * - `competing`: a branch that is not higher than the current head; it must be reported again to count.
 * - `unverified`: the node did not return the blocks that would prove the head; read the latest block again. `isUnconfirmed` is
 *   set when the node contradicts or cannot confirm its own head.
 * - `deferred`: the next read of the latest block decides about this announcement.
 */
export type ForkChoiceResult = { readonly state: ForkChoiceState } & (
  | { readonly outcome: 'confirmed' | 'stale' | 'behind' | 'doubtful' | 'competing' | 'deferred' }
  | { readonly outcome: 'unverified'; readonly isUnconfirmed?: boolean }
  | { readonly outcome: 'moved'; readonly change: ChainChange }
);

/** A fork choice in progress: yields the queries that it needs and receives their results. */
export type ForkChoiceSteps = Generator<ChainQuery, ForkChoiceResult, ChainQueryResult>;

const MAX_UNVERIFIED_IDS = 64;

export function headMoved(state: ForkChoiceState, { canonical, change }: { canonical: CanonicalChain; change: ChainChange }) {
  const hashes = new Set(canonical.map(({ hash }) => hash));
  const former = [...state.sideBranches, ...[...change.removed].reverse()];
  const sideBranches = former.filter(({ hash }) => !hashes.has(hash)).slice(-WINDOW_BLOCKS);
  return { outcome: 'moved' as const, change, state: { ...state, canonical, sideBranches, competingBranch: undefined } };
}

/**
 * Returns a key that is equal only for repetitions of one announcement, even when the announcement has no hash or a
 * wrong hash.
 */
export const announcementId = ({ hash, number, parentHash, header }: AnnouncedHead): string =>
  [hash, number, parentHash, header.stateRoot, header.timestamp].join(' ');

export const addUnverified = (state: ForkChoiceState, announced: AnnouncedHead): ForkChoiceState => ({
  ...state,
  unverifiedIds: [...new Set([...state.unverifiedIds, announcementId(announced)])].slice(-MAX_UNVERIFIED_IDS),
});

/** `isUnconfirmed`: the node contradicts or cannot confirm its own head. */
export const headUnverified = (state: ForkChoiceState, announced: AnnouncedHead, isUnconfirmed?: true): ForkChoiceResult => ({
  outcome: 'unverified',
  state: addUnverified(state, announced),
  ...(isUnconfirmed && { isUnconfirmed }),
});
/** A result that restarts the count of reports of a competing branch. */
export const withoutCompetitor = (state: ForkChoiceState, outcome: 'doubtful' | 'behind' | 'confirmed'): ForkChoiceResult => ({
  outcome,
  state: { ...state, competingBranch: undefined },
});
