import { type Input, RLP } from '@ethereumjs/rlp';
import { keccak256 } from 'ethers/crypto';

/** A trie that inserts one key after another, as the specification describes it. */
type TrieNode = { children: Map<number, TrieNode>; value?: Uint8Array };

/** The root of the trie of a list, by a plain implementation that shares no code with the server. */
export function naiveRoot(items: readonly Uint8Array[]): string {
  const root: TrieNode = { children: new Map() };
  items.forEach((value, i) => {
    let node = root;
    for (const byte of RLP.encode(i)) {
      for (const nibble of [byte >> 4, byte & 15]) {
        const child = node.children.get(nibble) ?? { children: new Map() };
        node.children.set(nibble, child);
        node = child;
      }
    }
    node.value = value;
  });
  return keccak256(RLP.encode(encodeNode(root)));
}

const pack = (path: readonly number[], isLeaf: boolean): Buffer => {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2);
  const nibbles = path.length % 2 ? [flag, ...path] : [flag, 0, ...path];
  return Buffer.from(nibbles.map((nibble) => nibble.toString(16)).join(''), 'hex');
};

function encodeNode(node: TrieNode): Input {
  const path: number[] = [];
  let end = node;
  while (end.value === undefined && end.children.size === 1) {
    const [[nibble, child]] = [...end.children] as [[number, TrieNode]];
    path.push(nibble);
    end = child;
  }
  if (end.value !== undefined) return [pack(path, true), end.value];
  if (path.length > 0) return [pack(path, false), reference(end)];
  return [
    ...Array.from({ length: 16 }, (_, i) => (end.children.has(i) ? reference(end.children.get(i)!) : new Uint8Array())),
    new Uint8Array(),
  ];
}

function reference(node: TrieNode): Input {
  const encoded = encodeNode(node);
  const bytes = RLP.encode(encoded);
  return bytes.length < 32 ? encoded : Buffer.from(keccak256(bytes).slice(2), 'hex');
}
