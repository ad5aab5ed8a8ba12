import { readAccountProof } from '../../../ethereum/account-proof.ts';
import { PROOF_COST, STORAGE_PROOF_COST } from '../../../ethereum/call-costs.ts';
import { data, hexQuantity, quantity, word } from '../../../ethereum/decoders.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';

/** Maximum number of storage keys of one proof. */
export const MAX_STORAGE_KEYS = 100;

/** Merkle proof of an account and of storage slots. Not every node has this method. */
export const proofOf = {
  ...rpcMethod(
    'eth_getProof',
    (result: unknown, address: Data, _at: BlockParameter, storageKeys: readonly Data[]) =>
      readAccountProof(result, address, storageKeys),
    (address: Data, at: BlockParameter, storageKeys: readonly Data[]) => [address, storageKeys, at],
  ),
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
