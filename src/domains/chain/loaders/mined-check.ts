import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { sendRaw, transactionBy } from '../rpc-methods/transactions.ts';
import { decodeSignedTransaction } from './submit-transaction.ts';

/**
 * Creates the check of drop-in mode before a submission. Rejects with NONCE_TOO_LOW when this transaction is mined: nodes disagree on how they
 * respond to it. Ignores a failed lookup, because the node checks the nonce, too. Source: `eth_getTransactionByHash`.
 */
export const minedTransactionCheck =
  ({ calls }: Pick<Snapshot, 'calls'>) =>
  async (bytes: Data): Promise<void> => {
    const { hash } = decodeSignedTransaction(bytes);
    const found = await calls.refetch(transactionBy, hash).catch(() => null);
    if (!found?.blockHash) return;
    throw new GraphError(
      'NONCE_TOO_LOW',
      'The transaction is mined, so its nonce has been used. Send a transaction with the next nonce of the account.',
      {
        hash,
        method: sendRaw.name,
      },
    );
  };
