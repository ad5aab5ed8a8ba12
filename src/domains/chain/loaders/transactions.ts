import { GraphError } from '../../../errors.ts';
import type { Data } from '../../../evm/hex.ts';
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../evm/rpc.ts';
import type { Calls } from '../../../upstream/calls.ts';
import { receiptBy, transactionBy } from '../methods.ts';
import { type TransactionPart, transactionOf } from '../model.ts';
import type { TransactionPlan } from '../plan.ts';

/** What a block brought along about its transactions; a failure stays to be reported on the fields that need it. */
export interface Brought {
  readonly receipts: Promise<readonly RpcReceipt[]> | undefined;
  readonly logs: Promise<readonly RpcLog[]> | undefined;
}

/** Transactions and receipts of one operation. What a block brought along is found again here without a call. */
export function transactionLoader(calls: Calls) {
  const whole = new Map<Data, RpcTransaction>();
  const receiptOf = new WeakMap<TransactionPart, RpcReceipt>();
  const logsOf = new WeakMap<TransactionPart, readonly RpcLog[]>();
  const broughtWith = new WeakMap<TransactionPart, Brought>();
  const receiptByHash = new Map<Data, RpcReceipt>();

  const receipt = (transaction: TransactionPart): RpcReceipt | null | Promise<RpcReceipt | null> => {
    if (transaction.blockHash === null) return null;
    const known = receiptOf.get(transaction) ?? receiptByHash.get(transaction.hash);
    if (known) return known;
    const brought = broughtWith.get(transaction)?.receipts;
    if (!brought) return calls.call(receiptBy, transaction.hash);
    return brought.then((all) => all.find(({ transactionHash }) => transactionHash === transaction.hash) ?? null);
  };

  return {
    receipt,

    /** Logs of a transaction, null while it is pending: at once when its block brought them. */
    logs(transaction: TransactionPart): readonly RpcLog[] | null | Promise<readonly RpcLog[] | null> {
      const known = logsOf.get(transaction);
      if (known) return known;
      const brought = broughtWith.get(transaction)?.logs;
      if (brought) return brought.then((all) => all.filter(({ transactionHash }) => transactionHash === transaction.hash));
      const found = receipt(transaction);
      return found instanceof Promise ? found.then((one) => one?.logs ?? null) : (found?.logs ?? null);
    },

    /** The transactions of a block, whole or as positions, tied to what the block brought along; null for an ommer. */
    async ofBlock(block: RpcBlock, brought: Brought): Promise<readonly TransactionPart[] | null> {
      const [receipts, logs] = await Promise.all([settled(brought.receipts), settled(brought.logs)]);
      const byTransaction = logs && grouped(logs);
      return (
        (block.transactions ?? null)?.map((one, i) => {
          const transaction: TransactionPart =
            typeof one === 'string'
              ? { hash: one, blockHash: block.hash, blockNumber: block.number, transactionIndex: `0x${i.toString(16)}` }
              : one;
          if (typeof one === 'object') whole.set(one.hash, one);
          const own = receipts?.[i];
          if (own) {
            receiptOf.set(transaction, own);
            receiptByHash.set(own.transactionHash, own);
          }
          if (byTransaction) logsOf.set(transaction, byTransaction.get(transaction.hash) ?? []);
          broughtWith.set(transaction, brought);
          return transaction;
        }) ?? null
      );
    },

    /** A transaction by hash, null when unknown. Its receipt alone is asked for when that tells all that is wanted. */
    async find(hash: Data, { whole: wholeWanted, receipt: receiptWanted }: TransactionPlan): Promise<TransactionPart | null> {
      const asked = receiptWanted ? calls.call(receiptBy, hash) : undefined;
      if (asked && !wholeWanted) {
        const found = await asked;
        if (found) return transactionOf(found);
      }
      // A receipt that fails shows on the fields that need it.
      asked?.catch(() => {});
      return whole.get(hash) ?? calls.call(transactionBy, hash);
    },

    /** The whole of a transaction that is known to exist, or the part that is known already when no more is wanted. */
    async complete(
      part: TransactionPart,
      { whole: wholeWanted, receipt: receiptWanted }: TransactionPlan,
    ): Promise<TransactionPart> {
      if (!wholeWanted) return part;
      if (receiptWanted && !receiptByHash.has(part.hash)) calls.call(receiptBy, part.hash).catch(() => {});
      const found = whole.get(part.hash) ?? (await calls.call(transactionBy, part.hash));
      if (found) return found;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has this transaction; its block may have been abandoned.');
    },
  };
}

const settled = <T>(promise: Promise<T> | undefined): Promise<T | undefined> =>
  promise ? promise.catch(() => undefined) : Promise.resolve(undefined);

function grouped(logs: readonly RpcLog[]): Map<Data, RpcLog[]> {
  const groups = new Map<Data, RpcLog[]>();
  for (const log of logs) {
    const group = groups.get(log.transactionHash);
    if (group) group.push(log);
    else groups.set(log.transactionHash, [log]);
  }
  return groups;
}
