import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../evm/hex.ts';
import type { RpcLog, RpcReceipt } from '../../../evm/rpc.ts';
import { listIn } from '../../../evm/shapes.ts';
import type { Calls, Method } from '../../../upstream/calls.ts';
import type { Pin } from '../../../view/pin.ts';
import type { Presence } from '../../../view/present.ts';
import { receiptBy, transactionBy } from '../methods.ts';
import { type InBlock, isWhole, type TransactionPart, transactionOf } from '../model.ts';
import type { TransactionPlan } from '../plan.ts';
import type { Contents } from './contents.ts';

/** What is known of the block that something lies in; undefined when the operation has not read it. */
export type ContentsOf = (blockHash: Data | null | undefined) => Contents | undefined;

/** Transactions and receipts of one operation. What their block brought along is there without a call, and without waiting. */
export function transactionLoader(calls: Calls, contentsOf: ContentsOf, pin: Pin, presence: Presence) {
  /** What was found by a transaction's hash, unless it lies in a block that the chain of this operation does not have. */
  const ofThisChain = <T extends InBlock>(found: T | null): T | null => {
    const { blockNumber, blockHash } = found ?? {};
    if (blockNumber && blockHash && pin.isCanonical(blockNumber, blockHash) === false) {
      throw new GraphError(
        'BLOCK_NOT_AVAILABLE',
        'The node answered from another branch of the chain than this is answered from; ask again.',
      );
    }
    return found;
  };
  /** What a node does not know, or takes for pending, counts only when the node has come as far as this operation's head. */
  const ofHash = async <T extends InBlock>(method: Method<[Data], T | null>, hash: Data): Promise<T | null> => {
    const found = await calls.call(method, hash);
    if (found?.blockHash || !pin.known) return ofThisChain(found);
    return ofThisChain(await presence.above(pin.known.hash, method, hash));
  };
  const transactionOfHash = (hash: Data) => ofHash(transactionBy, hash);
  const receiptOfHash = (hash: Data) => ofHash(receiptBy, hash);

  const receipt = (transaction: TransactionPart): RpcReceipt | null | Promise<RpcReceipt | null> => {
    if (transaction.blockHash === null) return null;
    return contentsOf(transaction.blockHash)?.receiptOf(transaction) ?? receiptOfHash(transaction.hash);
  };

  return {
    receipt,

    /** Logs of a transaction; null while it is pending. */
    logs(transaction: TransactionPart): readonly RpcLog[] | null | Promise<readonly RpcLog[] | null> {
      const known = contentsOf(transaction.blockHash)?.logsOf(transaction);
      if (known) return known;
      const found = receipt(transaction);
      const logsIn = (one: RpcReceipt | null) => one && listIn<RpcLog>(one.logs);
      return found instanceof Promise ? found.then(logsIn) : logsIn(found);
    },

    /** A receipt by the hash of its transaction, which is asked for as well when it is wanted. Source: `eth_getTransactionReceipt`. */
    findReceipt(hash: Data, withTransaction: boolean): Promise<RpcReceipt | null> {
      if (withTransaction) calls.call(transactionBy, hash).catch(() => {});
      return receiptOfHash(hash);
    },

    /** A transaction by hash, null when unknown. Its receipt alone is asked for when that tells all that is wanted. */
    async find(hash: Data, plan: TransactionPlan): Promise<TransactionPart | null> {
      const asked = plan.receipt ? receiptOfHash(hash) : undefined;
      if (asked && !plan.whole) {
        const found = await asked;
        if (found) return transactionOf(found);
      }
      // A receipt that fails shows on the fields that need it.
      asked?.catch(() => {});
      return transactionOfHash(hash);
    },

    /** The whole of a transaction that is known to exist, or the part that is known already when no more is wanted. */
    async complete(part: TransactionPart, plan: TransactionPlan): Promise<TransactionPart> {
      if (!plan.whole) return part;
      const contents = contentsOf(part.blockHash);
      const own = contents?.transaction(part);
      if (own && isWhole(own)) return own;
      if (plan.receipt && !contents?.receiptOf(part)) calls.call(receiptBy, part.hash).catch(() => {});
      const found = await transactionOfHash(part.hash);
      if (found) return found;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has this transaction; its block may have been abandoned.');
    },
  };
}
