import { listOrNull } from '../../../ethereum/decoders.ts';
import { receiptsContradiction } from '../../../ethereum/header-checks.ts';
import { type Data, isBlockHash, quantityOf, sameData } from '../../../ethereum/hex.ts';
import { type LogFilter, matchesFilter, toRpcLogFilter } from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { filterYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import { receiptsOf } from '../../../snapshot/state-methods.ts';
import { logsBy } from '../log/methods.ts';
import { type BlockLogsLoader, groupByTransaction, logRangeOfBlock } from '../log/reads.ts';
import { type PartialTransaction, transactionHashOf } from '../model.ts';
import { receiptInBlock } from '../transaction/methods.ts';
import { verifyReceipts } from '../verification.ts';
import type { BlockPlan } from './plan.ts';

/** The loaders of one operation for the contents of blocks, each created when first used. */
export interface BlockContentLoaders {
  readonly receiptsLoader: ReturnType<typeof blockReceiptsLoader>;
  readonly logsLoader: BlockLogsLoader;
  readonly budget: OperationBudget | undefined;
}

type ReceiptsRead = Readonly<{ block: RpcBlock; ref: BlockRef }>;

/**
 * Creates the loader of all receipts of a block, in order, keyed by block. `ref`: the reference under which the
 * receipts were prefetched, or the hash of the block. Uses receipts that were read by height only if they belong to the
 * block; otherwise reads them again by hash. Source: `eth_getBlockReceipts`, else one `eth_getTransactionReceipt` per
 * transaction.
 */
export function blockReceiptsLoader(snapshot: Snapshot) {
  const { calls, node, session, availability, operation } = snapshot;
  /**
   * The error for receipts of the block that contradict its header. Prefetched receipts were not compared with the
   * header when they were read.
   */
  const errorOf = (block: RpcBlock, receipts: readonly RpcReceipt[]) =>
    node.headerChecks.errorOf(receiptsOf.name, receipts, receiptsContradiction(receipts, block));
  const validReceipts = (block: RpcBlock, found: readonly RpcReceipt[] | null) => {
    const receipts = ownReceipts(block, found);
    return receipts && !errorOf(block, receipts) ? receipts : undefined;
  };

  const read = ({ block, ref }: ReceiptsRead): Promise<readonly RpcReceipt[]> => {
    const hashes = (listOrNull<string | RpcTransaction>(block.transactions) ?? []).map(transactionHashOf);
    const byHash = async () => {
      const found = await availability.readAt(block.hash, receiptsOf, block.hash, hashes, block);
      // A prefetched result was read before the block was known, so it was not checked against the block.
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
  const { trust } = operation;
  const readVerified = trust && (async (key: ReceiptsRead) => verifyReceipts(snapshot, trust, key.block, await read(key)));
  return createEntityLoader(readVerified ?? read, ({ block: { hash, number } }) => `${hash} ${number}`);
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

function throwReceiptsMissing(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not its receipts.');
}

/** A list and its promise. `loaded` is set when the promise has resolved, so that later reads are synchronous. */
interface LoadingList<T> {
  readonly promise: Promise<readonly T[]>;
  loaded: readonly T[] | undefined;
}

function loadingList<T>(promise: Promise<readonly T[]>): LoadingList<T> {
  const list: LoadingList<T> = { promise, loaded: undefined };
  // The fields that need the list report a failure.
  promise.then(
    (items) => {
      list.loaded = items;
    },
    () => {},
  );
  return list;
}

/**
 * Sends the calls of a plan together with the call for the block itself, before the block's hash is known. Resolves
 * when the calls have settled.
 */
export const prefetchBlockContents = (ref: BlockRef, { receipts, allLogs, filters }: BlockPlan, { calls, session }: Snapshot) =>
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
  // The node may return a value of any type.
  for (const transaction of Array.isArray(transactions) ? transactions : [])
    calls.release(receiptInBlock, transactionHashOf(transaction));
}

/**
 * The transactions, receipts and logs of one block, as one operation has loaded them. Fields read the loaded values
 * synchronously.
 */
export class BlockContents {
  readonly block: RpcBlock;
  readonly #loaders: BlockContentLoaders;
  /** The reference under which logs were prefetched. */
  #logRef: BlockRef;
  #transactions: readonly PartialTransaction[] | null | undefined;
  #receipts: LoadingList<RpcReceipt> | undefined;
  #logs: LoadingList<RpcLog> | undefined;
  #logsByTransaction: Map<Data, RpcLog[]> | undefined;

  /** `previous`: contents of the block without full transactions; the receipts and logs are taken over. */
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
    if (receipts) this.#receipts ??= loadingList(this.#loaders.receiptsLoader.load({ block: this.block, ref }));
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
    this.#receipts ??= loadingList(this.#loaders.receiptsLoader.load({ block: this.block, ref: this.block.hash }));
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
    return this.#loaders.logsLoader.load({ block: this.block, ref: this.#logRef, filter });
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
