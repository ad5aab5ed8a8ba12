import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, quantityOf, sameData } from '../../../ethereum/hex.ts';
import { type LogFilter, matchesFilter, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { filterYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { logsBy } from '../log/methods.ts';
import { type BlockLogsLoader, groupByTransaction, logRangeOfBlock } from '../log/reads.ts';
import type { PartialTransaction } from '../model.ts';
import { receiptInBlock, receiptsOf } from '../transaction/methods.ts';
import { type BlockReceiptsLoader, throwReceiptsMissing, transactionHashOf } from '../transaction/receipts.ts';
import type { BlockPlan } from './plan.ts';

export interface BlockContentLoaders {
  readonly receipts: BlockReceiptsLoader;
  readonly logs: BlockLogsLoader;
  readonly budget: OperationBudget | undefined;
}

/** A list and its promise. `loaded` is set when the promise has resolved, so that later reads are synchronous. */
interface LoadingList<T> {
  readonly promise: Promise<readonly T[]>;
  loaded: readonly T[] | undefined;
}

function loadingList<T>(promise: Promise<readonly T[]>): LoadingList<T> {
  const list: LoadingList<T> = { promise, loaded: undefined };
  // A failure is reported by the fields that need the list.
  promise.then(
    (items) => {
      list.loaded = items;
    },
    () => {},
  );
  return list;
}

/** Sends the calls of a plan together with the call for the block itself, before the block's hash is known. Resolves when they have settled. */
export const prefetchBlockContents = (
  ref: BlockRef,
  { receipts, allLogs, filters }: BlockPlan,
  { calls, session }: Snapshot,
): Promise<unknown> =>
  Promise.all([
    receipts && !session.capabilities.unsupportedMethods.has(receiptsOf.name) && calls.prefetch(receiptsOf, ref),
    ...(allLogs ? [{}] : filters).map((filter) => calls.prefetch(logsBy, toRpcLogFilter(logRangeOfBlock(ref), filter))),
  ]);

/** The height and the hash of a block. */
export type BlockKey = Pick<RpcBlock, 'number' | 'hash'>;

/**
 * Releases the results of the calls that load a block's contents with a plan, under its height and its hash. `transactions`: the transactions of the block,
 * if it is loaded.
 */
export function releaseBlockContents(
  { number, hash }: BlockKey,
  { receipts, filters }: BlockPlan,
  { calls, session }: Snapshot,
  transactions: RpcBlock['transactions'] = [],
): void {
  for (const ref of [number, hash]) {
    calls.release(receiptsOf, ref);
    for (const filter of [{}, ...filters]) calls.release(logsBy, toRpcLogFilter(logRangeOfBlock(ref), filter));
  }
  if (!receipts || !session.capabilities.unsupportedMethods.has(receiptsOf.name)) return;
  // The node chooses the type of the value.
  for (const transaction of Array.isArray(transactions) ? transactions : [])
    calls.release(receiptInBlock, transactionHashOf(transaction));
}

/** The transactions, receipts and logs of one block, as one operation has loaded them. Fields read them without a further promise. */
export class BlockContents {
  readonly block: RpcBlock;
  readonly #loaders: BlockContentLoaders;
  /** The reference under which logs were prefetched. */
  #logRef: BlockRef;
  #transactions: readonly PartialTransaction[] | null | undefined;
  #receipts: LoadingList<RpcReceipt> | undefined;
  #logs: LoadingList<RpcLog> | undefined;
  #logsByTransaction: Map<Data, RpcLog[]> | undefined;

  /** `previous`: the same block without full transactions, whose receipts and logs stay. */
  constructor(block: RpcBlock, loaders: BlockContentLoaders, previous?: BlockContents) {
    this.block = block;
    this.#loaders = loaders;
    this.#logRef = block.hash;
    if (!previous) return;
    this.#receipts = previous.#receipts;
    this.#logs = previous.#logs;
  }

  /** Loads the contents that were prefetched under `ref`; resolves when all have loaded or failed. */
  async receivePrefetched(ref: BlockRef, { receipts, allLogs, filters }: BlockPlan): Promise<void> {
    if (allLogs || filters.length > 0) this.#logRef = ref;
    if (receipts) this.#receipts ??= loadingList(this.#loaders.receipts.load({ block: this.block, ref }));
    if (allLogs) this.#logs ??= loadingList(this.#loadLogs({}));
    await Promise.allSettled([receipts && this.#receipts?.promise, allLogs && this.#logs?.promise]);
  }

  /** Whether everything that a plan needs is loaded or being loaded. */
  covers({ full, receipts, allLogs, filters }: BlockPlan): boolean {
    const logs = this.#receipts ?? this.#logs;
    const [first] = this.block.transactions ?? [];
    return (
      (!full || typeof first !== 'string') && (!receipts || !!this.#receipts) && (!!logs || (!allLogs && filters.length === 0))
    );
  }

  /** The transactions, full or as hash and position; null for an ommer, which has none. */
  get transactions(): readonly PartialTransaction[] | null {
    const { hash, number, transactions } = this.block;
    this.#transactions ??=
      (listOrNull<string | RpcTransaction>(transactions) ?? null)?.map((transaction, i) =>
        typeof transaction === 'string'
          ? { hash: transaction, blockHash: hash, blockNumber: number, transactionIndex: quantityOf(i) }
          : transaction,
      ) ?? null;
    return this.#transactions;
  }

  /** The block's own object for a transaction in it. */
  transaction({ hash, transactionIndex }: PartialTransaction): PartialTransaction | undefined {
    const transaction = this.transactions?.[Number(transactionIndex)];
    return transaction && sameData(transaction.hash, hash) ? transaction : undefined;
  }

  /** All receipts, in order. */
  get receipts(): Promise<readonly RpcReceipt[]> {
    this.#receipts ??= loadingList(this.#loaders.receipts.load({ block: this.block, ref: this.block.hash }));
    return this.#receipts.promise;
  }

  /** The receipt of a transaction in the block; undefined when the block's receipts were not requested. */
  receiptOf({ hash, transactionIndex }: PartialTransaction): RpcReceipt | Promise<RpcReceipt> | undefined {
    const pick = (receipts: readonly RpcReceipt[]) => {
      const receipt = receipts[Number(transactionIndex)];
      return receipt && sameData(receipt.transactionHash, hash)
        ? receipt
        : (receipts.find(({ transactionHash }) => transactionHash === hash) ?? throwReceiptsMissing());
    };
    return this.#receipts && (this.#receipts.loaded ? pick(this.#receipts.loaded) : this.#receipts.promise.then(pick));
  }

  /** The logs of a transaction in the block; undefined when the block's logs were not requested. */
  logsOf({ hash }: PartialTransaction): readonly RpcLog[] | Promise<readonly RpcLog[]> | undefined {
    const pick = (logs: readonly RpcLog[]) => {
      this.#logsByTransaction ??= groupByTransaction(logs);
      return this.#logsByTransaction.get(hash.toLowerCase()) ?? [];
    };
    return this.#logs && (this.#logs.loaded ? pick(this.#logs.loaded) : this.#logs.promise.then(pick));
  }

  /** The logs that match a filter, in order: from the loaded receipts or logs, else read with the filter. */
  async logs(filter: LogFilter): Promise<readonly RpcLog[]> {
    const receipts = await this.#receipts?.promise.catch(() => undefined);
    const all = receipts ? logsIn(receipts) : await this.#logs?.promise.catch(() => undefined);
    return all ? filterYielding(all, this.#loaders.budget, (log) => matchesFilter(log, filter)) : this.#loadLogs(filter);
  }

  #loadLogs(filter: LogFilter): Promise<readonly RpcLog[]> {
    return this.#loaders.logs.load({ block: this.block, ref: this.#logRef, filter });
  }
}

/** The logs in a block's receipts; undefined when the node numbers logs per transaction instead of per block, as Ganache does. */
function logsIn(receipts: readonly RpcReceipt[]): RpcLog[] | undefined {
  const all: RpcLog[] = [];
  for (const receipt of receipts) {
    const logs = listOrNull<RpcLog>(receipt.logs) ?? [];
    if (all.length > 0 && logs[0]?.logIndex === '0x0') return undefined;
    for (const log of logs) all.push(log);
  }
  return all;
}
