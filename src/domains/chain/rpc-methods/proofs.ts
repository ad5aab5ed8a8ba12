import { readAccountProof } from '../../../ethereum/account-proof.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type BlockParameter, immutableStateAtBlockHash, rpcMethod } from '../../../snapshot/state-methods.ts';
import { PROOF_COST, STORAGE_PROOF_COST } from '../costs/proofs.ts';

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
