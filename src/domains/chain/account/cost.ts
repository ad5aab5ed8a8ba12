import type { ArgumentReader, FieldWeights } from '../../../graphql/cost/field-cost.ts';

/** Maximum number of storage keys in one argument. */
export const MAX_STORAGE_KEYS = 100;
/** Cost of the proof of an account: the node reads about eight trie nodes. */
export const PROOF_COST = 2;
/** Cost of the proof of a storage slot. */
export const STORAGE_PROOF_COST = 0.5;

/** Typical number of nodes of a proof, and hex digits of a node. */
const NODES_PER_PROOF = 8;
const NODE_CHARS = 800;

const storageKeysIn = (args: ArgumentReader): number => {
  const keys = args('storageKeys');
  return Array.isArray(keys) ? Math.min(MAX_STORAGE_KEYS, keys.length) : 0;
};

/** Cost weights of Merkle proofs. */
export const proofWeights: FieldWeights = {
  'Account.proof': { calls: PROOF_COST, size: { assumed: MAX_STORAGE_KEYS, of: storageKeysIn }, sizedFields: ['storageProof'] },
  'AccountProof.accountProof': { size: NODES_PER_PROOF, chars: NODE_CHARS },
  'AccountProof.storageProof': { calls: STORAGE_PROOF_COST },
  'StorageProof.proof': { size: NODES_PER_PROOF, chars: NODE_CHARS },
};
