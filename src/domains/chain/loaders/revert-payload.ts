import type { Data } from '../../../ethereum/hex.ts';
import type { RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { createEntityLoader } from '../../../graphql/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported } from '../../../snapshot/node-capabilities.ts';
import { failedCallOf } from '../rpc-methods/traces.ts';

/**
 * Creates the loader of the payload of a transaction's revert, keyed by transaction and block. Null for a transaction that did not revert, and
 * for one before Byzantium, which introduced reverts. Source: `revertReason` of the receipt, else `debug_traceTransaction`.
 */
export function revertPayloadLoader(snapshot: Snapshot) {
  const payloads = createEntityLoader(
    async (receipt: RpcReceipt): Promise<Data | null> => {
      const failed = await nullIfUnsupported(snapshot, failedCallOf.name, () => snapshot.calls.call(failedCallOf, receipt));
      return failed?.revertPayload ?? null;
    },
    ({ transactionHash, blockHash }) => `${transactionHash} ${blockHash}`,
  );

  return (receipt: RpcReceipt): Data | null | Promise<Data | null> => {
    if (!receipt.status || Number(receipt.status) !== 0) return null;
    return receipt.revertReason ?? payloads.load(receipt);
  };
}
