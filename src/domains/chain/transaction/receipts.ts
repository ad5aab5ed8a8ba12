import { listOrNull } from '../../../ethereum/decoders.ts';
import { receiptsContradiction } from '../../../ethereum/header-checks.ts';
import { isBlockHash, sameData } from '../../../ethereum/hex.ts';
import type { BlockRef, RpcBlock, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import { receiptInBlock, receiptsOf } from './methods.ts';

interface BlockReceiptsRead {
  readonly block: RpcBlock;
  /** The reference under which the receipts were prefetched, or the block's hash. */
  readonly ref: BlockRef;
}

export type BlockReceiptsLoader = ReturnType<typeof blockReceiptsLoader>;

/** The hash of a transaction of a block. */
export const transactionHashOf = (transaction: string | RpcTransaction): string =>
  typeof transaction === 'string' ? transaction : transaction.hash;

/**
 * Creates the loader of all receipts of a block, in order, keyed by block. Receipts that were read by height are used only if they belong to
 * the block; otherwise they are read again by hash. Source: `eth_getBlockReceipts`, else one `eth_getTransactionReceipt` per transaction.
 */
export function blockReceiptsLoader({ calls, node, session, availability }: Snapshot) {
  /** The error for receipts of the block that contradict its header. Those that were prefetched were not compared when they were read. */
  const errorOf = (block: RpcBlock, receipts: readonly RpcReceipt[]) =>
    node.headerChecks.errorOf(receiptsOf.name, receipts, receiptsContradiction(receipts, block));
  const validReceipts = (block: RpcBlock, found: readonly RpcReceipt[] | null) => {
    const receipts = ownReceipts(block, found);
    return receipts && !errorOf(block, receipts) ? receipts : undefined;
  };

  const read = ({ block, ref }: BlockReceiptsRead): Promise<readonly RpcReceipt[]> => {
    const hashes = (listOrNull<string | RpcTransaction>(block.transactions) ?? []).map(transactionHashOf);
    const byHash = async () => {
      const found = await availability.readAt(block.hash, receiptsOf, block.hash, hashes, block);
      // A result that was prefetched before the block was known was not checked against it.
      return found && (validReceipts(block, found) ?? calls.refetch(receiptsOf, block.hash, hashes, block));
    };
    const byBlock = async () => {
      const prefetched = isBlockHash(ref) ? undefined : validReceipts(block, await calls.call(receiptsOf, ref));
      if (prefetched) calls.cachePermanently(receiptsOf, prefetched, block.hash.toLowerCase());
      const receipts = prefetched ?? (await byHash()) ?? throwReceiptsMissing();
      if (receipts.length === 0) calls.cachePermanently(receiptsOf, receipts, block.hash);
      return receipts;
    };
    const byTransaction = async () => {
      const read = await Promise.all(hashes.map((hash) => calls.call(receiptInBlock, hash)));
      const receipts = ownReceipts(block, read) ?? throwReceiptsMissing();
      const error = errorOf(block, receipts);
      if (error) throw error;
      return receipts;
    };
    return withFallback(session, receiptsOf.name, byBlock, byTransaction);
  };
  return createEntityLoader(read, ({ block: { hash, number } }) => `${hash} ${number}`);
}

/** Returns the receipts if they are this block's, one per transaction in order; else undefined. */
function ownReceipts({ hash, transactions }: RpcBlock, receipts: readonly (RpcReceipt | null)[] | null) {
  const isOwn =
    receipts?.length === listOrNull(transactions)?.length &&
    receipts?.every(
      (receipt, i) =>
        sameData(receipt?.blockHash, hash) && sameData(receipt?.transactionHash, transactionHashOf(transactions![i]!)),
    );
  return isOwn ? (receipts as readonly RpcReceipt[]) : undefined;
}

export function throwReceiptsMissing(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not its receipts.');
}
