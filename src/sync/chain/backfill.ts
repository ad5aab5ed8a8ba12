import { headerForm } from '../../ethereum/encoding/header.ts';
import { type Branch, type ChainQuery, type ChainQueryResult, readAncestors } from './ancestors.ts';
import {
  type ForkChoiceResult,
  type ForkChoiceState,
  type ForkChoiceSteps,
  headMoved,
  headUnconfirmed,
} from './fork-choice-result.ts';
import { type Head, headerHash } from './rpc-header.ts';

/** Number of ancestors read below a first head, so that a reorg just after the start is reported block by block. */
export const BACKFILL_BLOCKS = 32;

/** Returns whether the height of a block is its parent's plus one. False on chains that skip heights, and for an invalid head. */
export const hasNextHeight = (head: Head, parent: Head | undefined): boolean => parent?.height === head.height - 1;

/**
 * Reads a head and its parent by hash and checks that the node has both: the head with the same number and parent, the parent at
 * a lower height. Returns the node's own block, or undefined when the head is not confirmed. With `hasParent` false the parent is
 * not read, for nodes without history.
 */
export function* confirmHead(head: Head, hasParent = head.height > 0): Generator<ChainQuery, Head | undefined, ChainQueryResult> {
  const [block, parent] = yield { kind: 'blocks', hashes: hasParent ? [head.hash, head.parentHash] : [head.hash] };
  if (block?.height !== head.height || block.parentHash !== head.parentHash) return undefined;
  return !hasParent || (parent && parent.height < head.height) ? block : undefined;
}

/**
 * Starts the window at the first head and its ancestors. The node must confirm a head whose parent is missing or whose height
 * skips some.
 */
export function* startAtFirstHead(state: ForkChoiceState, head: Head): ForkChoiceSteps {
  const { branch } = yield* readBackfill(head);
  const isLinked = head.height === 0 || (branch[1] && hasNextHeight(head, branch[1]));
  if (!isLinked && !(yield* confirmHead(head, branch[1] !== undefined))) return headUnconfirmed(state, head);
  return resultAtHead(state, branch, false);
}

/** Restarts the window, with a gap, at a head that is not linked to it. The node must confirm the head. */
export function* restartAtHead(state: ForkChoiceState, head: Head): ForkChoiceSteps {
  const block = yield* confirmHead(head);
  if (!block) return headUnconfirmed(state, head);
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
