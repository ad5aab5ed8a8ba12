import { GraphError } from '../../../errors.ts';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { effectiveGasPrice } from '../../../ethereum/fees.ts';
import { type Data, sameData } from '../../../ethereum/hex.ts';
import type { RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { BlockAvailability } from '../../../snapshot/block-availability.ts';
import type { PinnedBlock } from '../../../snapshot/pinned-block.ts';
import type { Head } from '../../../sync/head/follower.ts';
import type { OperationCalls } from '../../../upstream/rpc/operation-calls.ts';
import type { RpcMethod } from '../../../upstream/rpc/rpc-method.ts';
import { type BlockLocation, isFullTransaction, type PartialTransaction, transactionFromReceipt } from '../model.ts';
import type { TransactionPlan } from '../plan.ts';
import { receiptBy, transactionAt, transactionBy } from '../rpc-methods.ts';
import type { BlockContents } from './block-contents.ts';

/** What is known of the block that something lies in; undefined when the operation has not read it. */
export type FindBlockContents = (blockHash: Data | null | undefined) => BlockContents | undefined;

/** What is known of blocks that a reorg has removed and that the operation's event is about. */
export interface AbandonedBlocks {
  isAbandoned(hash: Data | null | undefined): boolean;
  headerOf(hash: Data): Head | undefined;
}

/** Transactions and receipts of one operation. What their block brought along is there without a call, and without waiting. */
export function transactionLoader(
  calls: OperationCalls,
  contentsOf: FindBlockContents,
  pin: PinnedBlock,
  presence: BlockAvailability,
  { isAbandoned, headerOf }: AbandonedBlocks,
) {
  /** What was found by a transaction's hash, unless it lies in a block that the chain of this operation does not have. */
  const ofThisChain = <T extends BlockLocation>(found: T | null): T | null => {
    const { blockNumber, blockHash } = found ?? {};
    if (blockNumber && blockHash && !isAbandoned(blockHash) && pin.isCanonical(blockNumber, blockHash) === false) {
      throw new GraphError(
        'BLOCK_NOT_AVAILABLE',
        'The node answered from another branch of the chain than this is answered from; ask again.',
      );
    }
    return found;
  };
  /** What a node does not know, or takes for pending, counts only when the node has come as far as this operation's head. */
  const ofHash = async <T extends BlockLocation>(method: RpcMethod<[Data], T | null>, hash: Data): Promise<T | null> => {
    const found = await calls.call(method, hash);
    if (found?.blockHash || !pin.knownHead) return ofThisChain(found);
    return ofThisChain(await presence.readWithBlock(pin.knownHead.hash, method, hash));
  };
  const transactionOfHash = (hash: Data) => ofHash(transactionBy, hash);
  const receiptOfHash = (hash: Data) => ofHash(receiptBy, hash);

  /** The receipt that a transaction has in its own block. */
  const ownReceipt = async (hash: Data, blockHash: Data | null | undefined): Promise<RpcReceipt | null> => {
    const found = await receiptOfHash(hash);
    if (found ? !blockHash || sameData(found.blockHash, blockHash) : !isAbandoned(blockHash)) return found;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has the receipt of this transaction in its block.');
  };

  const receipt = (transaction: PartialTransaction): RpcReceipt | null | Promise<RpcReceipt | null> => {
    if (transaction.blockHash === null) return null;
    return contentsOf(transaction.blockHash)?.receiptOf(transaction) ?? ownReceipt(transaction.hash, transaction.blockHash);
  };

  /** A transaction out of an abandoned block that the node has; many nodes find such a block by its hash, and not what lies in it. */
  const inAbandonedBlock = async ({
    hash,
    blockHash,
    transactionIndex,
  }: PartialTransaction): Promise<PartialTransaction | undefined> => {
    const found = await calls.call(transactionAt, blockHash!, transactionIndex!, hash).catch(() => null);
    return found ?? undefined;
  };

  /** A transaction that the node shows as pending or in another block, as it was in the abandoned block of `part`. */
  const asInAbandonedBlock = (found: RpcTransaction, part: PartialTransaction): PartialTransaction | undefined => {
    const header = headerOf(part.blockHash!)?.header;
    const gasPrice = header && effectiveGasPrice(found, header.baseFeePerGas);
    return gasPrice ? { ...found, ...part, gasPrice } : undefined;
  };

  return {
    receipt,

    /** Logs of a transaction; null while it is pending. */
    logs(transaction: PartialTransaction): readonly RpcLog[] | null | Promise<readonly RpcLog[] | null> {
      const known = contentsOf(transaction.blockHash)?.logsOf(transaction);
      if (known) return known;
      const found = receipt(transaction);
      const logsIn = (one: RpcReceipt | null) => one && listOrNull<RpcLog>(one.logs);
      return found instanceof Promise ? found.then(logsIn) : logsIn(found);
    },

    /**
     * A receipt by the hash of its transaction, which is asked for as well when it is wanted. `blockHash`: the block that it must lie in,
     * where that is known. Source: `eth_getTransactionReceipt`.
     */
    findReceipt(hash: Data, withTransaction: boolean, blockHash?: Data): Promise<RpcReceipt | null> {
      if (withTransaction) calls.call(transactionBy, hash).catch(() => {});
      return ownReceipt(hash, blockHash);
    },

    /** A transaction by hash, null when unknown. Its receipt alone is asked for when that tells all that is wanted. */
    async find(hash: Data, plan: TransactionPlan): Promise<PartialTransaction | null> {
      const asked = plan.receipt ? receiptOfHash(hash) : undefined;
      if (asked && !plan.full) {
        const found = await asked;
        if (found) return transactionFromReceipt(found);
      }
      // A receipt that fails shows on the fields that need it.
      asked?.catch(() => {});
      return transactionOfHash(hash);
    },

    /** The whole of a transaction that is known to exist, or the part that is known already when no more is wanted. */
    async complete(part: PartialTransaction, plan: TransactionPlan): Promise<PartialTransaction> {
      if (!plan.full) return part;
      const contents = contentsOf(part.blockHash);
      const inBlock = contents?.transaction(part);
      if (inBlock && isFullTransaction(inBlock)) return inBlock;
      if (plan.receipt && !contents?.receiptOf(part)) calls.call(receiptBy, part.hash).catch(() => {});
      const found = await transactionOfHash(part.hash);
      const isOwn = !part.blockHash || found?.blockHash === undefined || sameData(found.blockHash, part.blockHash);
      if (found && isOwn) return found;
      const own = isAbandoned(part.blockHash) && ((await inAbandonedBlock(part)) ?? (found && asInAbandonedBlock(found, part)));
      if (own) return own;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has this transaction; its block may have been abandoned.');
    },
  };
}
