import { type Input, RLP } from '@ethereumjs/rlp';
import { keccak256 } from 'ethers/crypto';

/** A trie that inserts one key after another, as the specification describes it. */
type TrieNode = { children: Map<number, TrieNode>; value?: Uint8Array };

/** The part of a path that is left below a node, and the nodes of its proof from there. */
type Trail = { left: string; proof: string[] } | undefined;

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The root of the trie of a list, by a plain implementation that shares no code with the server. */
export const naiveRoot = (items: readonly Uint8Array[]): string =>
  naiveTrie(items.map((value, i) => [hexOf(RLP.encode(i)), value])).root;

/** The root of the trie of values by path in hex digits, none of which is the start of another, and the proof of any path. */
export function naiveTrie(entries: Iterable<readonly [path: string, value: Uint8Array]>) {
  const root: TrieNode = { children: new Map() };
  for (const [path, value] of entries) {
    let node = root;
    for (const digit of path) {
      const nibble = Number.parseInt(digit, 16);
      const child = node.children.get(nibble) ?? { children: new Map() };
      node.children.set(nibble, child);
      node = child;
    }
    node.value = value;
  }
  const prove = (path: string): string[] => {
    const proof: string[] = [];
    return [`0x${hexOf(RLP.encode(encodeNode(root, { left: path, proof })))}`, ...proof];
  };
  return { root: keccak256(prove('')[0]!), prove };
}

/** Continues a trail along these nibbles, unless its path takes others. */
function follow(trail: Trail, nibbles: readonly number[]): Trail {
  const digits = nibbles.map((nibble) => nibble.toString(16)).join('');
  return trail?.left.startsWith(digits) ? { ...trail, left: trail.left.slice(digits.length) } : undefined;
}

const pack = (path: readonly number[], isLeaf: boolean): Buffer => {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2);
  const nibbles = path.length % 2 ? [flag, ...path] : [flag, 0, ...path];
  return Buffer.from(nibbles.map((nibble) => nibble.toString(16)).join(''), 'hex');
};

function encodeNode(node: TrieNode, trail?: Trail): Input {
  const path: number[] = [];
  let end = node;
  while (end.value === undefined && end.children.size === 1) {
    const [[nibble, child]] = [...end.children] as [[number, TrieNode]];
    path.push(nibble);
    end = child;
  }
  if (end.value !== undefined) return [pack(path, true), end.value];
  if (path.length > 0) return [pack(path, false), reference(end, follow(trail, path))];
  return [
    ...Array.from({ length: 16 }, (_, i) =>
      end.children.has(i) ? reference(end.children.get(i)!, follow(trail, [i])) : new Uint8Array(),
    ),
    new Uint8Array(),
  ];
}

function reference(node: TrieNode, trail: Trail): Input {
  const encoded = encodeNode(node, trail);
  const bytes = RLP.encode(encoded);
  if (bytes.length < 32) return encoded;
  trail?.proof.unshift(`0x${hexOf(bytes)}`);
  return Buffer.from(keccak256(bytes).slice(2), 'hex');
}
