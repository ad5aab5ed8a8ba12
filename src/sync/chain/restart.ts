import { type Answer, type Branch, type Question, walk } from './ancestors.ts';
import { type Judging, type Known, moved, refused, type Verdict } from './fork-choice-result.ts';
import { formOf, headerHash } from './header-hash.ts';
import type { Head } from './rpc-header.ts';

/** Ancestors read below a first head, so that a reorg just after the start can be told. */
export const BACKFILL = 32;

/** Whether the number of a block is the one after its parent's. Some chains leave out numbers; an absurd head does as well. */
export const followsDirectly = (head: Head, parent: Head | undefined): boolean => parent?.height === head.height - 1;

/**
 * Asks the node to confirm a head: it has a block of that hash with the same number and parent, and the parent, by hash, is lower. Gives the
 * node's own block; undefined when the head is not confirmed. With `hasParent` false the parent is not asked for, for nodes without any history.
 */
export function* confirm(head: Head, hasParent = head.height > 0): Generator<Question, Head | undefined, Answer> {
  const [own, parent] = yield { ask: 'blocks', hashes: hasParent ? [head.hash, head.parentHash] : [head.hash] };
  if (own?.height !== head.height || own.parentHash !== head.parentHash) return undefined;
  return !hasParent || (parent && parent.height < head.height) ? own : undefined;
}

/** Takes the first head of all, with its ancestors. Without its parent, or with a number that does not follow the parent's, it must be confirmed. */
export function* begin(known: Known, head: Head): Judging {
  const { branch } = yield* ancestorsOf(head);
  const isPlain = head.height === 0 || (branch[1] && followsDirectly(head, branch[1]));
  if (!isPlain && !(yield* confirm(head, branch[1] !== undefined))) return refused(known, head);
  return startAt(known, branch, false);
}

/** Starts again at a head that the parents do not link to the window, once the node has confirmed it. */
export function* restart(known: Known, head: Head): Judging {
  const own = yield* confirm(head);
  if (!own) return refused(known, head);
  const { branch } = yield* ancestorsOf(own);
  return startAt(known, branch, true);
}

function* ancestorsOf(head: Head) {
  const wanted = Math.min(BACKFILL, head.height);
  return yield* walk(head, ({ length }) => length > wanted, wanted);
}

function startAt(known: Known, branch: Branch, gap: boolean): Verdict {
  const [{ hash, header }] = branch;
  const sealed = headerHash(header) === hash ? formOf(header) : undefined;
  const canonical = [...branch].reverse() as [Head, ...Head[]];
  return moved({ ...known, sealed }, { canonical, change: { removed: [], added: [branch[0]], gap } });
}
