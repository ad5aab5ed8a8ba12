import { type Data, sameData, toData } from '../hex.ts';
import { keccakOfDigits } from './keccak.ts';
import { EMPTY_TRIE_ROOT, NO_CHILD } from './list-root.ts';
import { bytesOfItem, type RlpDigits, rlpBytes, rlpItems } from './rlp.ts';

/** The first byte of an encoded hash. */
const HASH_PREFIX = rlpBytes('0'.repeat(64)).slice(0, 2);

/** The number of items of a branch: a child for each hex digit, and a value, which a trie whose keys have one length does not use. */
const BRANCH_ITEMS = 17;

/** The path of a leaf or an extension follows one digit if it has an odd number of digits, else two. */
const PACKED_PATH = /^(?:[02]0|[13])(.*)$/;

/**
 * Returns the RLP value of a key in a trie of hashed keys: the state, or the storage of an account. `proof` lists the nodes from the root along
 * the hash of the key; Reth, anvil, Hardhat and Ganache also list nodes that their parents contain, geth does not. Null if the proof shows that
 * the trie does not have the key; undefined if it shows nothing. For an empty trie, nodes return no proof or the empty root.
 */
export function provenValue(root: Data, key: Data, proof: readonly Data[]): RlpDigits | null | undefined {
  const rootHash = toData(root, 32);
  if (rootHash === undefined) return undefined;
  if (rootHash === EMPTY_TRIE_ROOT) return proof.length === 0 || proof.join() === `0x${NO_CHILD}` ? null : undefined;
  let found: Found = { reference: rlpBytes(rootHash.slice(2)), path: keccakOfDigits(key.slice(2)).slice(2) };
  let read = 0;
  // Ends, because each node consumes at least one of the 64 digits of the path.
  while (typeof found === 'object' && found !== null) {
    const { reference, path }: NextNode = found;
    const isHash = reference.startsWith(HASH_PREFIX);
    if (!isHash && sameData(proof[read], `0x${reference}`)) read += 1;
    found = findInNode(isHash ? nodeWithHash(reference.slice(2), proof[read++]) : reference, path);
  }
  return read === proof.length ? found : undefined;
}

/** A reference of a node to another: an encoded hash, or the other node itself. */
interface NextNode {
  readonly reference: RlpDigits;
  /** The digits of the key that are left. */
  readonly path: string;
}

/** What a node has for a key: its value, null if the trie does not have the key, the next node, or undefined for a malformed node. */
type Found = RlpDigits | null | NextNode | undefined;

/** Returns the digits of a node, unless it has another hash. */
function nodeWithHash(hash: string, node: Data | undefined): RlpDigits | undefined {
  const digits = toData(node)?.slice(2);
  return digits !== undefined && keccakOfDigits(digits) === `0x${hash}` ? digits : undefined;
}

function findInNode(node: RlpDigits | undefined, path: string): Found {
  const items = node === undefined ? undefined : rlpItems(node);
  if (items?.length === BRANCH_ITEMS && items[BRANCH_ITEMS - 1] === NO_CHILD) {
    if (path === '') return undefined;
    const reference = items[Number.parseInt(path[0]!, 16)]!;
    return reference === NO_CHILD ? null : { reference, path: path.slice(1) };
  }
  if (items?.length !== 2) return undefined;
  const packed = bytesOfItem(items[0]!) ?? '';
  const part = PACKED_PATH.exec(packed)?.[1];
  const isLeaf = packed >= '2';
  // Only a leaf ends at the length of the keys.
  if (part === undefined || (isLeaf ? part.length !== path.length : part === '' || part.length >= path.length)) return undefined;
  if (!path.startsWith(part)) return null;
  return isLeaf ? bytesOfItem(items[1]!) : { reference: items[1]!, path: path.slice(part.length) };
}
