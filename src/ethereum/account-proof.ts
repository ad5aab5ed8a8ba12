import { asObject, data, hexQuantity, invalidShape, list, quantity, word } from './decoders.ts';
import { EMPTY_TRIE_ROOT, keccakOfDigits, NO_CHILD } from './encoding/hashes.ts';
import {
  asFields,
  asQuantity,
  bytesOfItem,
  dataFields,
  quantityFields,
  type RlpDigits,
  rlpBytes,
  rlpItems,
} from './encoding/rlp.ts';
import type { Contradiction } from './header-checks.ts';
import { type Data, sameData, toData, toQuantity } from './hex.ts';

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

/** Merkle proof of an account at a block (EIP-1186), normalized. Source: `eth_getProof`. */
export type RpcAccountProof = ReturnType<typeof readAccountProof>;

/** Reads the proof of an account: it must have the requested address, and one entry for each requested storage key, in order. */
export function readAccountProof(result: unknown, address: Data, storageKeys: readonly Data[]) {
  const proof = asObject(result, 'an account proof');
  const { storageProof } = proof;
  if (!sameData(proof.address, address)) throw invalidShape('the proof of the requested account');
  if (!Array.isArray(storageProof) || storageProof.length !== storageKeys.length) {
    throw invalidShape('one proof for each requested storage key');
  }
  return {
    address,
    balance: hexQuantity(proof.balance),
    codeHash: word(proof.codeHash),
    nonce: quantity(proof.nonce),
    storageHash: word(proof.storageHash),
    accountProof: list(data)(proof.accountProof),
    storageProof: storageProof.map((entry, i) => readStorageProof(entry, storageKeys[i]!)),
  };
}

/** Reads the proof of one storage slot. Nodes return the key as 32 bytes, or as a number; Erigon returns null for the storage of an absent account. */
function readStorageProof(entry: unknown, requestedKey: Data) {
  const { key, value, proof } = asObject(entry, 'the proof of a storage key');
  const number = toQuantity(requestedKey, 256)!;
  if (toQuantity(key, 256) !== number) throw invalidShape('the proof of the requested storage key');
  return { key: number, value: quantity(value), proof: list(data)(proof ?? []) };
}

/** The value of an account in the state. */
const encodeAccount = asFields([...quantityFields('nonce', 'balance'), ...dataFields('storageHash', 'codeHash')]);

const EMPTY_CODE_HASH = keccakOfDigits('');
export const ZERO_WORD = `0x${'0'.repeat(64)}`;

/** Compares an account and its storage with the state root of the block, from which their Merkle proofs start. */
export function accountProofContradiction(proof: RpcAccountProof, stateRoot: Data, blockNumber: unknown) {
  const { address, accountProof, storageHash, storageProof } = proof;
  const account = `account ${address} at block ${Number(blockNumber)}`;
  const leaf = provenValue(stateRoot, address, accountProof);
  if (leaf === undefined || (leaf === null ? !isEmptyAccount(proof) : leaf !== encodeAccount(proof)))
    return stateContradiction(`the proof of ${account} does not have its stateRoot`);
  const storageRoot = leaf === null ? EMPTY_TRIE_ROOT : storageHash;
  const unproven = storageProof.find(({ key, value, proof: nodes }) => {
    const proven = provenValue(storageRoot, word(key), nodes);
    return proven === undefined || proven !== (value === '0x0' ? null : asQuantity(value));
  });
  return unproven && stateContradiction(`the proof of slot ${unproven.key} of ${account} does not have its storageHash`);
}

const stateContradiction = (text: string): Contradiction => ({ check: 'stateRoot', text });

/** Whether a proof has the values of an account that does not exist. Nodes return the hashes of an empty account, or zero. */
const isEmptyAccount = ({ balance, nonce, codeHash, storageHash }: RpcAccountProof): boolean =>
  balance === '0x0' &&
  nonce === '0x0' &&
  (codeHash === EMPTY_CODE_HASH || codeHash === ZERO_WORD) &&
  (storageHash === EMPTY_TRIE_ROOT || storageHash === ZERO_WORD);

/** Compares the code of an account with the proven hash of its code, which is zero for some accounts without code. */
export function codeContradiction(code: Data, codeHash: Data): Contradiction | undefined {
  const isProven = codeHash === ZERO_WORD ? code === '0x' : keccakOfDigits(code.slice(2)) === codeHash;
  return isProven ? undefined : stateContradiction(`the code of an account does not have its codeHash ${codeHash}`);
}
