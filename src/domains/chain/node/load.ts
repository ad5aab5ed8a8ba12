import { quantityOf, toBigInt } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported, withFallback } from '../../../snapshot/node-capabilities.ts';
import { priorityFee, queryReads, syncState } from './methods.ts';

/** Creates the reads of values that belong to the node and not to an entity, for methods that a node may lack. */
export const nodeReads = (snapshot: Snapshot, latestHeader: () => Promise<RpcBlock | null>) => ({
  /** Sends a call that reads no entity, such as the gas price. */
  call: snapshot.calls.call,

  /** Null while the node is in sync, and for a node without this method. Source: `eth_syncing`. */
  syncing: () => nullIfUnsupported(snapshot, syncState.name, () => snapshot.calls.call(syncState)),

  /** In wei. Source: `eth_maxPriorityFeePerGas`, else the gas price minus the base fee of the head. */
  maxPriorityFeePerGas: () =>
    withFallback(
      snapshot.session,
      priorityFee.name,
      () => snapshot.calls.call(priorityFee),
      async () => {
        const [price, head] = await Promise.all([snapshot.calls.call(queryReads.gasPrice), latestHeader()]);
        const tip = toBigInt(price) - toBigInt(head?.baseFeePerGas ?? '0x0');
        return quantityOf(tip > 0n ? tip : 0n);
      },
    ),
});
