import {
  accountProofContradiction,
  codeContradiction,
  type RpcAccountProof,
  readAccountProof,
} from '../../../ethereum/account-proof.ts';
import { PROOF_COST, STORAGE_PROOF_COST } from '../../../ethereum/call-costs.ts';
import { asObject, data, hexQuantity, invalidShape, list, quantity, word } from '../../../ethereum/decoders.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';

/** Maximum number of storage keys of one proof. */
export const MAX_STORAGE_KEYS = 100;

/** The block of a proof. */
export type ProofHeader = Pick<RpcBlock, 'number' | 'hash' | 'stateRoot'>;

/** Merkle proof of an account and of storage slots, checked against the header of its block if it is given. Not every node has this method. */
export const proofOf = {
  ...rpcMethod(
    'eth_getProof',
    (result: unknown, address: Data, _at: BlockParameter, storageKeys: readonly Data[], _header?: ProofHeader) =>
      readAccountProof(result, address, storageKeys),
    (address: Data, at: BlockParameter, storageKeys: readonly Data[]) => [address, storageKeys, at],
  ),
  contradiction: (proof: RpcAccountProof, _address: Data, _at: BlockParameter, _keys: readonly Data[], header?: ProofHeader) =>
    header && accountProofContradiction(proof, header.stateRoot, header.number),
  ...immutableStateAtBlockHash,
  isOptional: true as const,
  cost: (_address: Data, _at: BlockParameter, storageKeys: readonly Data[]) =>
    PROOF_COST + STORAGE_PROOF_COST * storageKeys.length,
};

/** Methods by the field of `Account` whose value is their result. Amounts are in wei. */
export const accountReads = {
  balance: { name: 'eth_getBalance', read: hexQuantity, ...immutableStateAtBlockHash },
  transactionCount: { name: 'eth_getTransactionCount', read: quantity, ...immutableStateAtBlockHash },
  code: { name: 'eth_getCode', read: data, ...immutableStateAtBlockHash },
  storage: {
    ...rpcMethod('eth_getStorageAt', word, (address: Data, at: BlockParameter, slot: Data) => [address, slot, at]),
    ...immutableStateAtBlockHash,
  },
};

/** Slots of accounts, by address. */
export type StorageSlots = Readonly<Record<Data, readonly Data[]>>;

/** Words of storage slots of several accounts. Few nodes have this method. */
export const storageValues = {
  ...rpcMethod(
    'eth_getStorageValues',
    (result: unknown, _address: Data, _at: BlockParameter, slots: StorageSlots) => readStorageValues(result, slots),
    (_address: Data, at: BlockParameter, slots: StorageSlots) => [slots, at],
  ),
  ...immutableStateAtBlockHash,
  isOptional: true as const,
  cost: (_address: Data, _at: BlockParameter, slots: StorageSlots) => Object.values(slots).flat().length,
};

/** Reads the words by address and slot: one list for each requested account, with one word for each slot. */
function readStorageValues(result: unknown, slots: StorageSlots): ReadonlyMap<Data, ReadonlyMap<Data, Data>> {
  const lists = Object.entries(asObject(result, 'storage values by address'));
  const byAddress = new Map(lists.map(([address, words]) => [address.toLowerCase(), list(word)(words)]));
  const wordsOf = (address: Data, requested: readonly Data[]): ReadonlyMap<Data, Data> => {
    const words = byAddress.get(address.toLowerCase());
    if (words?.length !== requested.length) throw invalidShape('one value for each requested storage slot');
    return new Map(requested.map((slot, i) => [slot, words[i]!]));
  };
  return new Map(Object.entries(slots).map(([address, requested]) => [address, wordsOf(address, requested)]));
}

/** Code of an account whose hash is proven. */
export const provenCode = {
  ...rpcMethod('eth_getCode', data, (address: Data, at: BlockParameter, _codeHash: Data) => [address, at]),
  ...immutableStateAtBlockHash,
  contradiction: (code: Data, _address: Data, _at: BlockParameter, codeHash: Data) => codeContradiction(code, codeHash),
};
