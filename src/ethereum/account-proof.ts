import { asObject, data, hexQuantity, invalidShape, list, quantity, word } from './decoders.ts';
import { keccakOfDigits } from './encoding/keccak.ts';
import { EMPTY_TRIE_ROOT } from './encoding/list-root.ts';
import { asFields, asQuantity, dataFields, quantityFields } from './encoding/rlp.ts';
import { provenValue } from './encoding/trie-proof.ts';
import type { Contradiction } from './header-checks.ts';
import { type Data, sameData, toQuantity } from './hex.ts';

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
