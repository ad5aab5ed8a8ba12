import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, type Quantity, sameData } from '../../../ethereum/hex.ts';
import type { RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { effectiveGasPrice } from '../../../ethereum/transaction-values.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import { otherBranchError } from '../../../snapshot/block-availability.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { receiptBy, transactionBy } from '../../../snapshot/state-methods.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-call.ts';
import type { BlockContents } from '../block/contents.ts';
import { transactionAt } from '../block/methods.ts';
import { type BlockLocation, isFullTransaction, type PartialTransaction, transactionFromReceipt } from '../model.ts';
import { verifyTransaction } from '../verification.ts';
import type { TransactionPlan } from './plan.ts';

/** The blocks that the operation has loaded, or whose headers it knows. */
export interface KnownBlocks {
  /** The contents of a block; undefined when the operation has not loaded the block. */
  contentsOf(blockHash: Data | null | undefined): BlockContents | undefined;
  headerOf(hash: Data): Head | undefined;
}

interface TransactionPosition {
  readonly blockHash: Data;
  readonly index: Quantity;
  /** The hash that the block lists at the position. */
  readonly hash: Data;
}

export type TransactionLoader = ReturnType<typeof transactionLoader>;

/**
 * Creates the loaders of transactions and receipts, keyed by transaction hash, or by block and index. Values that a loaded block contains are
 * returned without a call and without a promise.
 */
export function transactionLoader(snapshot: Snapshot, { contentsOf, headerOf }: KnownBlocks) {
  const { calls, pin, availability, operation } = snapshot;
  /** Whether a reorg has removed a block that the operation's event is about. */
  const isAbandoned = (hash: Data | null | undefined): boolean =>
    !!hash && !!operation.event?.abandoned?.includes(hash.toLowerCase());

  /** Rejects a transaction or receipt whose block is not on this operation's chain. */
  const assertCanonical = <T extends BlockLocation>(found: T | null): T | null => {
    const { blockNumber, blockHash } = found ?? {};
    if (blockNumber && blockHash && !isAbandoned(blockHash) && pin.isCanonical(blockNumber, blockHash) === false) {
      throw otherBranchError();
    }
    return found;
  };
  /** Reads by hash. Accepts a null or pending result only from a node that has this operation's head. */
  const readByHash = async <T extends BlockLocation>(method: RpcMethod<[Data], T | null>, hash: Data): Promise<T | null> => {
    const found = await calls.call(method, hash);
    if (found?.blockHash || !pin.knownHead) return assertCanonical(found);
    return assertCanonical(await availability.readWithBlock(pin.knownHead.hash, method, hash));
  };

  const identity = (hash: Data): string => hash;
  const { trust } = operation;
  const verified = <T extends RpcTransaction | null>(read: Promise<T>) =>
    trust ? read.then((transaction) => verifyTransaction(snapshot, trust, transaction)) : read;
  const transactions = createEntityLoader((hash: Data) => verified(readByHash(transactionBy, hash)), identity);
  const receipts = createEntityLoader((hash: Data) => {
    trust?.addUnproven('receipts', 'position');
    return readByHash(receiptBy, hash);
  }, identity);
  const transactionsByPosition = createEntityLoader(
    ({ blockHash, index, hash }: TransactionPosition) =>
      verified(availability.readAt(blockHash, transactionAt, blockHash, index, hash)),
    ({ blockHash, index }) => `${blockHash} ${index}`,
  );

  /** The receipt of a transaction in its own block. */
  const receiptInBlock = async (hash: Data, blockHash: Data | null | undefined): Promise<RpcReceipt | null> => {
    const found = await receipts.load(hash);
    if (found ? !blockHash || sameData(found.blockHash, blockHash) : !isAbandoned(blockHash)) return found;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has the receipt of this transaction in its block.');
  };

  const receiptOf = (transaction: PartialTransaction): RpcReceipt | null | Promise<RpcReceipt | null> => {
    if (transaction.blockHash === null) return null;
    return contentsOf(transaction.blockHash)?.receiptOf(transaction) ?? receiptInBlock(transaction.hash, transaction.blockHash);
  };

  /** A transaction of an abandoned block that the node still has; many nodes keep the block and drop its transactions by hash. */
  const inAbandonedBlock = async ({ hash, blockHash, transactionIndex }: PartialTransaction) => {
    const position = { blockHash: blockHash!, index: transactionIndex!, hash };
    return (await transactionsByPosition.load(position).catch(() => null)) ?? undefined;
  };

  /** Restores a transaction that is now pending or in another block: returns it as it was in the abandoned block of `partial`. */
  const asInAbandonedBlock = (found: RpcTransaction, partial: PartialTransaction): PartialTransaction | undefined => {
    const header = headerOf(partial.blockHash!)?.header;
    const gasPrice = header && effectiveGasPrice(found, header.baseFeePerGas);
    return gasPrice ? { ...found, ...partial, gasPrice } : undefined;
  };

  return {
    receiptOf,

    /** Releases a transaction and its receipt, so that they can be freed. */
    release(hash: Data): void {
      transactions.clear(hash);
      receipts.clear(hash);
      calls.release(transactionBy, hash);
      calls.release(receiptBy, hash);
    },

    /** Logs of a transaction; null while it is pending. */
    logsOf(transaction: PartialTransaction): readonly RpcLog[] | null | Promise<readonly RpcLog[] | null> {
      const logs = contentsOf(transaction.blockHash)?.logsOf(transaction);
      if (logs) return logs;
      const receipt = receiptOf(transaction);
      const logsIn = (found: RpcReceipt | null) => found && listOrNull<RpcLog>(found.logs);
      return receipt instanceof Promise ? receipt.then(logsIn) : logsIn(receipt);
    },

    /**
     * Loads a receipt by transaction hash, and prefetches the transaction if `withTransaction`. If `blockHash` is
     * given, rejects when the receipt belongs to another block. Source: `eth_getTransactionReceipt`.
     */
    findReceipt(hash: Data, withTransaction: boolean, blockHash?: Data): Promise<RpcReceipt | null> {
      if (withTransaction) calls.call(transactionBy, hash).catch(() => {});
      return receiptInBlock(hash, blockHash);
    },

    /** Loads a transaction by hash, null when unknown. If the receipt has all selected fields, reads only the receipt. */
    async findTransaction(hash: Data, plan: TransactionPlan): Promise<PartialTransaction | null> {
      const receipt = plan.receipt ? receipts.load(hash) : undefined;
      // A receipt proves no recipient.
      if (receipt && !plan.full && !operation.trust) {
        const found = await receipt;
        if (found) return transactionFromReceipt(found);
      }
      // The fields that need the receipt report a failure.
      receipt?.catch(() => {});
      return transactions.load(hash);
    },

    /** Loads a transaction at a position of a block. Source: `eth_getTransactionByBlockHashAndIndex`. */
    transactionAt: (position: TransactionPosition): Promise<RpcTransaction | null> => transactionsByPosition.load(position),

    /**
     * Loads the full transaction of a partial transaction. Returns `partial` itself if the plan needs no further
     * fields.
     */
    async completeTransaction(partial: PartialTransaction, plan: TransactionPlan): Promise<PartialTransaction> {
      if (!plan.full && !operation.trust) return partial;
      const contents = contentsOf(partial.blockHash);
      const inBlock = contents?.transaction(partial);
      if (inBlock && isFullTransaction(inBlock)) return inBlock;
      if (!plan.full) return partial;
      if (plan.receipt && !contents?.receiptOf(partial)) calls.call(receiptBy, partial.hash).catch(() => {});
      const found = await transactions.load(partial.hash);
      const isOwn = !partial.blockHash || found?.blockHash === undefined || sameData(found.blockHash, partial.blockHash);
      if (found && isOwn) return found;
      const abandoned =
        isAbandoned(partial.blockHash) && ((await inAbandonedBlock(partial)) ?? (found && asInAbandonedBlock(found, partial)));
      if (abandoned) return abandoned;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has this transaction; a reorg may have removed its block.');
    },
  };
}
