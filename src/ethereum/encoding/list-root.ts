import type { Data } from '../hex.ts';
import { keccakOfDigits } from './keccak.ts';
import { type RlpDigits, rlpBytes, rlpInteger, rlpList } from './rlp.ts';

/** An item of a list. */
interface Entry {
  /** The RLP-encoded index in hex digits: each digit is one step in the trie. */
  readonly key: string;
  readonly value: RlpDigits;
}

/** The item of a branch without a child, and the encoding of an empty trie. */
export const NO_CHILD = rlpBytes('');

/** The root of a trie without entries: of a block without transactions, and therefore without logs, or of an account without storage. */
export const EMPTY_TRIE_ROOT = keccakOfDigits(NO_CHILD);

/** Adds the prefix that states the kind of node and the parity of the key (hex-prefix encoding). */
const packKey = (key: string, isLeaf: boolean): RlpDigits => {
  const isOdd = key.length % 2;
  return rlpBytes(`${(isLeaf ? 2 : 0) + isOdd}${isOdd ? '' : '0'}${key}`);
};

/** The length of the part that all keys share after `depth`. */
function sharedLength([first, ...others]: readonly Entry[], depth: number): number {
  let length = 0;
  while (others.every(({ key }) => key[depth + length] === first!.key[depth + length])) length += 1;
  return length;
}

/** Encodes the trie node of entries whose keys agree up to `depth`. Pauses at each leaf. */
function* encodeNode(entries: readonly Entry[], depth: number): Generator<void, RlpDigits> {
  const [first] = entries;
  if (entries.length === 1) {
    yield;
    return rlpList([packKey(first!.key.slice(depth), true), rlpBytes(first!.value)]);
  }
  const shared = sharedLength(entries, depth);
  if (shared > 0) {
    const child = yield* encodeNode(entries, depth + shared);
    return rlpList([packKey(first!.key.slice(depth, depth + shared), false), referenceTo(child)]);
  }
  const below: Entry[][] = Array.from({ length: 16 }, () => []);
  for (const entry of entries) below[Number.parseInt(entry.key[depth]!, 16)]!.push(entry);
  const children: RlpDigits[] = [];
  for (const child of below) {
    children.push(child.length === 0 ? NO_CHILD : referenceTo(yield* encodeNode(child, depth + 1)));
  }
  // This branch has no value: a branch has a value only if a key ends at it, and no encoded index is a prefix of
  // another.
  return rlpList([...children, NO_CHILD]);
}

/** A node in its parent: its hash, or the node itself when its encoding is shorter than a hash. */
const referenceTo = (node: RlpDigits): RlpDigits => (node.length < 64 ? node : rlpBytes(keccakOfDigits(node).slice(2)));

/**
 * Computes the root of the trie of a list, as a header commits to transactions, receipts and withdrawals: the keys are the RLP-encoded indices.
 * A generator that pauses at each item, because hashing a large list takes long.
 */
export function* listRoot(items: readonly RlpDigits[]): Generator<void, Data> {
  const entries = items.map((value, i) => ({ key: rlpInteger(i), value }));
  return entries.length === 0 ? EMPTY_TRIE_ROOT : keccakOfDigits(yield* encodeNode(entries, 0));
}

/** Maps a list, with a pause after each item. */
export function* mapSteps<T, R>(items: readonly T[], map: (item: T) => R): Generator<void, R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}

/** Runs the steps of a computation at once. */
export function finishSteps<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
