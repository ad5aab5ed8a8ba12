import { asObject, data, hexQuantity, invalidShape, list, quantity, word } from './decoders.ts';
import { type Data, sameData, toQuantity } from './hex.ts';

/** Merkle proof of an account at a block (EIP-1186), normalized. Source: `eth_getProof`. */
export type RpcAccountProof = ReturnType<typeof readAccountProof>;

/** Reads the proof of an account: it must have the requested address, and one entry for each requested storage key, in order. */
export function readAccountProof(result: unknown, address: Data, storageKeys: readonly Data[]) {
  const proof = asObject<Record<string, unknown>>(result, 'an account proof');
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

/** Reads the proof of one storage slot. Nodes return the key as 32 bytes, or as a number. */
function readStorageProof(entry: unknown, requestedKey: Data) {
  const { key, value, proof } = asObject<Record<string, unknown>>(entry, 'the proof of a storage key');
  const number = toQuantity(requestedKey, 256)!;
  if (toQuantity(key, 256) !== number) throw invalidShape('the proof of the requested storage key');
  return { key: number, value: quantity(value), proof: list(data)(proof) };
}
