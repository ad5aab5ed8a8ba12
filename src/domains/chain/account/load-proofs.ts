import type { RpcAccountProof } from '../../../ethereum/account-proof.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod } from '../../../snapshot/node-capabilities.ts';
import type { AccountAtBlock } from '../model.ts';
import { MAX_STORAGE_KEYS } from './cost.ts';
import { proofOf } from './methods.ts';

interface ProofRead {
  readonly account: AccountAtBlock;
  readonly storageKeys: readonly Data[];
}

/**
 * Creates the loader of Merkle proofs, keyed by address, block and storage keys. Rejects with METHOD_NOT_SUPPORTED on a node without the method,
 * which is requested once per endpoint. Source: `eth_getProof`.
 */
export function proofLoader({ session, stateReader }: Pick<Snapshot, 'session' | 'stateReader'>) {
  const proofs = createEntityLoader(
    ({ account, storageKeys }: ProofRead): Promise<RpcAccountProof> =>
      requireMethod(session, proofOf.name, () => stateReader.read(proofOf, account, storageKeys)),
    ({ account: { address, at }, storageKeys }) => `${address} ${at} ${storageKeys.join(' ')}`,
  );

  return {
    /** Loads the proof of an account and of storage slots. Rejects with BAD_USER_INPUT for more than 100 slots. */
    async load(account: AccountAtBlock, storageKeys: readonly Data[]): Promise<RpcAccountProof> {
      if (storageKeys.length > MAX_STORAGE_KEYS) {
        const message = `\`storageKeys\` has ${storageKeys.length} keys. Pass at most ${MAX_STORAGE_KEYS}.`;
        throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_STORAGE_KEYS, actual: storageKeys.length });
      }
      return proofs.load({ account, storageKeys });
    },
  };
}
