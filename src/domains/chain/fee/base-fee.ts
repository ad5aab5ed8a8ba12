import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Quantity, quantityOf, sameData, toBigInt } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported } from '../../../snapshot/node-capabilities.ts';
import type { BlockLoader } from '../block/load.ts';
import { baseFees } from '../node/methods.ts';

/**
 * Creates the loader of the base fee after a block, in wei, keyed by block. For the head it is the node's calculation, since the formula
 * differs between chains; for any other block it is the base fee of its child. Null before London, for a block that is not canonical, and
 * for the head of a node that does not calculate it. Source: `eth_getBlockByNumber`, `eth_feeHistory`.
 */
export function nextBaseFeeLoader(snapshot: Snapshot, blocks: BlockLoader) {
  const { calls, pin } = snapshot;
  return createEntityLoader(
    async ({ hash, number, baseFeePerGas }: RpcBlock): Promise<Quantity | null> => {
      const isHead = sameData(pin.knownHead?.hash, hash);
      const child = isHead ? null : await blocks.load(quantityOf(toBigInt(number) + 1n), false);
      if (child) return sameData(child.parentHash, hash) ? (child.baseFeePerGas ?? null) : null;
      const fees = await nullIfUnsupported(snapshot, baseFees.name, () => calls.call(baseFees, number));
      if (!fees) return null;
      const [own, next] = listOrNull<Quantity | null>(fees.baseFeePerGas) ?? [];
      if ((own ?? '0x0') !== (baseFeePerGas ?? '0x0')) {
        // The fees are of another block of this height: this block was removed by a reorg, or the node lags.
        if (!isHead) return null;
        throw new GraphError(
          'BLOCK_NOT_AVAILABLE',
          'The node returned the fees of another block at that height. Send the operation again.',
        );
      }
      return next === undefined || (next === '0x0' && !baseFeePerGas) ? null : next;
    },
    ({ hash, number }) => `${hash} ${number}`,
  );
}
