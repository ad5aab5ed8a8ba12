import { type Branch, type ChainQuery, type ChainQueryResult, readAncestors } from './ancestors.ts';
import { type ForkChoiceResult, type ForkChoiceState, type ForkChoiceSteps, headMoved, refused } from './fork-choice-result.ts';
import { headerForm, headerHash } from './header-hash.ts';
import type { Head } from './rpc-header.ts';

/** Ancestors read below a first head, so that a reorg just after the start can be told. */
export const BACKFILL_BLOCKS = 32;

/** Whether the number of a block is the one after its parent's. Some chains leave out numbers; an absurd head does as well. */
export const hasNextHeight = (head: Head, parent: Head | undefined): boolean => parent?.height === head.height - 1;

/**
 * Asks the node to confirm a head: it has a block of that hash with the same number and parent, and the parent, by hash, is lower. Gives the
 * node's own block; undefined when the head is not confirmed. With `hasParent` false the parent is not asked for, for nodes without any history.
 */
export function* confirmHead(head: Head, hasParent = head.height > 0): Generator<ChainQuery, Head | undefined, ChainQueryResult> {
  const [own, parent] = yield { kind: 'blocks', hashes: hasParent ? [head.hash, head.parentHash] : [head.hash] };
  if (own?.height !== head.height || own.parentHash !== head.parentHash) return undefined;
  return !hasParent || (parent && parent.height < head.height) ? own : undefined;
}

/** Takes the first head of all, with its ancestors. Without its parent, or with a number that does not follow the parent's, it must be confirmed. */
export function* startAtFirstHead(known: ForkChoiceState, head: Head): ForkChoiceSteps {
  const { branch } = yield* readBackfill(head);
  const isPlain = head.height === 0 || (branch[1] && hasNextHeight(head, branch[1]));
  if (!isPlain && !(yield* confirmHead(head, branch[1] !== undefined))) return refused(known, head);
  return resultAtHead(known, branch, false);
}

/** Starts again at a head that the parents do not link to the window, once the node has confirmed it. */
export function* restartAtHead(known: ForkChoiceState, head: Head): ForkChoiceSteps {
  const own = yield* confirmHead(head);
  if (!own) return refused(known, head);
  const { branch } = yield* readBackfill(own);
  return resultAtHead(known, branch, true);
}

function* readBackfill(head: Head) {
  const wanted = Math.min(BACKFILL_BLOCKS, head.height);
  return yield* readAncestors(head, ({ length }) => length > wanted, wanted);
}

function resultAtHead(known: ForkChoiceState, branch: Branch, hasGap: boolean): ForkChoiceResult {
  const [{ hash, header }] = branch;
  const verifiedHashForm = headerHash(header) === hash ? headerForm(header) : undefined;
  const canonical = [...branch].reverse() as [Head, ...Head[]];
  return headMoved({ ...known, verifiedHashForm }, { canonical, change: { removed: [], added: [branch[0]], hasGap } });
}
