import { GraphError } from '../../../errors.ts';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { type Data, isBlockHash, quantityOf, sameData } from '../../../ethereum/hex.ts';
import {
  bloomMayMatch,
  bloomShowsLogs,
  isEmptyBloom,
  isUnfiltered,
  type LogFilter,
  type LogRange,
  matchesFilter,
  toRpcLogFilter,
} from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { BlockAvailability } from '../../../snapshot/block-availability.ts';
import { type WithNodeCapabilities, withFallback } from '../../../snapshot/node-capabilities.ts';
import type { OperationCalls } from '../../../upstream/rpc/operation-calls.ts';
import type { PartialTransaction } from '../model.ts';
import type { BlockPlan } from '../plan.ts';
import { confirmedLogsBy, logsBy, receiptInBlock, receiptsOf } from '../rpc-methods.ts';

const logRangeOfBlock = (ref: BlockRef): LogRange => (isBlockHash(ref) ? { blockHash: ref } : { fromBlock: ref, toBlock: ref });

const hashOf = (transaction: string | RpcTransaction): string =>
  typeof transaction === 'string' ? transaction : transaction.hash;

/** A list that is on its way; `now` once it is there, so that whoever comes later need not wait. */
interface LoadingList<T> {
  readonly promise: Promise<readonly T[]>;
  loaded: readonly T[] | undefined;
}

function loadingList<T>(promise: Promise<readonly T[]>): LoadingList<T> {
  const here: LoadingList<T> = { promise, loaded: undefined };
  // A failure is reported by the fields that need the list.
  promise.then(
    (items) => {
      here.loaded = items;
    },
    () => {},
  );
  return here;
}

/**
 * What lies in one block, for one operation. Receipts and logs are asked by the name under which the block itself is asked, in
 * the same request, before the block's hash is known; so what comes must prove that it belongs to the block, or is asked again
 * by hash.
 */
export class BlockContents {
  readonly block: RpcBlock;
  readonly #calls: OperationCalls;
  readonly #session: WithNodeCapabilities;
  readonly #presence: BlockAvailability;
  /** The name under which logs were sent for. */
  #logRef: BlockRef;
  #transactions: readonly PartialTransaction[] | null | undefined;
  #receipts: LoadingList<RpcReceipt> | undefined;
  #logs: LoadingList<RpcLog> | undefined;
  #logsOf: Map<Data, RpcLog[]> | undefined;

  /** `before`: the same block as it came without its transactions; what it has brought along stays. */
  constructor(
    block: RpcBlock,
    calls: OperationCalls,
    session: WithNodeCapabilities,
    presence: BlockAvailability,
    before?: BlockContents,
  ) {
    this.block = block;
    this.#calls = calls;
    this.#session = session;
    this.#presence = presence;
    this.#logRef = block.hash;
    if (!before) return;
    this.#receipts = before.#receipts;
    this.#logs = before.#logs;
  }

  /** Sends for what a plan wants of a block that is being asked for under this name. */
  static prefetch(
    ref: BlockRef,
    { receipts, allLogs, filters }: BlockPlan,
    calls: OperationCalls,
    session: WithNodeCapabilities,
  ): void {
    if (receipts && !session.capabilities.unsupportedMethods.has(receiptsOf.name)) calls.call(receiptsOf, ref).catch(() => {});
    for (const filter of allLogs ? [{}] : filters)
      calls.call(logsBy, toRpcLogFilter(logRangeOfBlock(ref), filter)).catch(() => {});
  }

  /** Takes in what was sent for under this name; resolves when it is here, or has failed. */
  async receivePrefetched(ref: BlockRef, { receipts, allLogs, filters }: BlockPlan): Promise<void> {
    if (allLogs || filters.length > 0) this.#logRef = ref;
    if (receipts) this.#receipts ??= loadingList(this.#fetchReceipts(ref));
    if (allLogs) this.#logs ??= loadingList(this.#fetchLogs({}));
    await Promise.allSettled([receipts && this.#receipts?.promise, allLogs && this.#logs?.promise]);
  }

  /** Whether all that a plan wants has been brought along already. */
  covers({ full, receipts, allLogs, filters }: BlockPlan): boolean {
    const logs = this.#receipts ?? this.#logs;
    const [first] = this.block.transactions ?? [];
    return (
      (!full || typeof first !== 'string') && (!receipts || !!this.#receipts) && (!!logs || (!allLogs && filters.length === 0))
    );
  }

  /** The transactions, whole or by their position; null for an ommer, which has none. */
  get transactions(): readonly PartialTransaction[] | null {
    const { hash, number, transactions } = this.block;
    this.#transactions ??=
      (listOrNull<string | RpcTransaction>(transactions) ?? null)?.map((one, i) =>
        typeof one === 'string' ? { hash: one, blockHash: hash, blockNumber: number, transactionIndex: quantityOf(i) } : one,
      ) ?? null;
    return this.#transactions;
  }

  /** The block's own object for a transaction that lies in it. */
  transaction({ hash, transactionIndex }: PartialTransaction): PartialTransaction | undefined {
    const at = this.transactions?.[Number(transactionIndex)];
    return at && sameData(at.hash, hash) ? at : undefined;
  }

  /** All receipts, in order. Source: `eth_getBlockReceipts`, else one `eth_getTransactionReceipt` each. */
  get receipts(): Promise<readonly RpcReceipt[]> {
    this.#receipts ??= loadingList(this.#fetchReceipts(this.block.hash));
    return this.#receipts.promise;
  }

  /** The receipt of a transaction that lies in the block; undefined when the block did not bring its receipts along. */
  receiptOf({ hash, transactionIndex }: PartialTransaction): RpcReceipt | Promise<RpcReceipt> | undefined {
    const pick = (receipts: readonly RpcReceipt[]) => {
      const at = receipts[Number(transactionIndex)];
      return at && sameData(at.transactionHash, hash)
        ? at
        : (receipts.find(({ transactionHash }) => transactionHash === hash) ?? throwReceiptsMissing());
    };
    return this.#receipts && (this.#receipts.loaded ? pick(this.#receipts.loaded) : this.#receipts.promise.then(pick));
  }

  /** The logs of a transaction that lies in the block; undefined when the block did not bring its logs along. */
  logsOf({ hash }: PartialTransaction): readonly RpcLog[] | Promise<readonly RpcLog[]> | undefined {
    const pick = (logs: readonly RpcLog[]) => {
      this.#logsOf ??= byTransaction(logs);
      return this.#logsOf.get(hash.toLowerCase()) ?? [];
    };
    return this.#logs && (this.#logs.loaded ? pick(this.#logs.loaded) : this.#logs.promise.then(pick));
  }

  /** Logs that pass a filter, in order: out of what the block brought along, else by `eth_getLogs`. */
  async logs(filter: LogFilter): Promise<readonly RpcLog[]> {
    const receipts = await this.#receipts?.promise.catch(() => undefined);
    const all = receipts ? logsIn(receipts) : await this.#logs?.promise.catch(() => undefined);
    return all ? all.filter((log) => matchesFilter(log, filter)) : this.#fetchLogs(filter);
  }

  async #fetchLogs(filter: LogFilter): Promise<readonly RpcLog[]> {
    if (!isBlockHash(this.#logRef)) {
      const early = await this.#calls.call(logsBy, toRpcLogFilter(logRangeOfBlock(this.#logRef), filter));
      if (areOwnLogs(this.block, early, filter)) {
        this.#calls.cachePermanently(logsBy, early, toRpcLogFilter({ blockHash: this.block.hash.toLowerCase() }, filter));
        return early;
      }
    }
    const own = toRpcLogFilter({ blockHash: this.block.hash }, filter);
    const isSome = this.#hasLogs(filter);
    // What was requested before the block was known is not checked against it.
    const asked = await this.#presence.readAt(this.block.hash, logsBy, own, isSome);
    if (asked.length > 0) return asked;
    // That there are none stays true only if the block says so too.
    if (!isSome && areOwnLogs(this.block, asked, filter)) {
      this.#calls.cachePermanently(logsBy, asked, own);
      return asked;
    }
    const isDoubtful = isSome || !this.#session.capabilities.logFilterDialect.isProven;
    return isDoubtful ? this.#calls.refetch(confirmedLogsBy, own, isSome) : asked;
  }

  /** Whether it is certain that the block has logs that pass a filter: its bloom shows them, or its receipts, which are cached, have such logs. */
  #hasLogs(filter: LogFilter): boolean {
    const { hash, logsBloom, transactions } = this.block;
    if (isUnfiltered(filter) && bloomShowsLogs(logsBloom) && transactions?.length !== 0) return true;
    const receipts = this.#calls.getCached(receiptsOf, hash)?.value;
    return receipts?.some(({ logs }) => logs.some((log) => matchesFilter(log, filter))) ?? false;
  }

  #fetchReceipts(ref: BlockRef): Promise<readonly RpcReceipt[]> {
    const block = this.block;
    const byBlock = async () => {
      const early = isBlockHash(ref) ? undefined : ownReceipts(block, await this.#calls.call(receiptsOf, ref));
      if (early) this.#calls.cachePermanently(receiptsOf, early, block.hash.toLowerCase());
      const own = early ?? (await byHash()) ?? throwReceiptsMissing();
      if (own.length === 0) this.#calls.cachePermanently(receiptsOf, own, block.hash);
      return own;
    };
    const hashes = (listOrNull<string | RpcTransaction>(block.transactions) ?? []).map(hashOf);
    const byHash = async () => {
      const found = await this.#presence.readAt(block.hash, receiptsOf, block.hash, hashes);
      // What was requested before the block was known was not checked against it.
      return found && (ownReceipts(block, found) ?? this.#calls.refetch(receiptsOf, block.hash, hashes));
    };
    const byTransaction = async () => {
      return (
        ownReceipts(block, await Promise.all(hashes.map((hash) => this.#calls.call(receiptInBlock, hash)))) ??
        throwReceiptsMissing()
      );
    };
    return withFallback(this.#session, receiptsOf.name, byBlock, byTransaction);
  }
}

/** The receipts when they are this block's, one a transaction in order; undefined when they are not. */
function ownReceipts({ hash, transactions }: RpcBlock, receipts: readonly (RpcReceipt | null)[] | null) {
  const own =
    receipts?.length === listOrNull(transactions)?.length &&
    receipts?.every(
      (receipt, i) => sameData(receipt?.blockHash, hash) && sameData(receipt?.transactionHash, hashOf(transactions![i]!)),
    );
  return own ? (receipts as readonly RpcReceipt[]) : undefined;
}

/**
 * Logs name their block. None at all is believed when the block has no transactions, or a bloom that has room for none; an
 * empty bloom proves nothing, since some chains do not fill it.
 */
function areOwnLogs({ hash, logsBloom, transactions }: RpcBlock, logs: readonly RpcLog[], filter: LogFilter): boolean {
  if (logs.length > 0) return logs.every(({ blockHash }) => sameData(blockHash, hash));
  return transactions?.length === 0 || !(isEmptyBloom(logsBloom) || bloomMayMatch(logsBloom, filter));
}

/** The logs of a block's receipts; undefined when the node numbers them within their transaction instead of within the block, as Ganache. */
function logsIn(receipts: readonly RpcReceipt[]): RpcLog[] | undefined {
  const all: RpcLog[] = [];
  for (const receipt of receipts) {
    const logs = listOrNull<RpcLog>(receipt.logs) ?? [];
    if (all.length > 0 && logs[0]?.logIndex === '0x0') return undefined;
    for (const log of logs) all.push(log);
  }
  return all;
}

function byTransaction(logs: readonly RpcLog[]): Map<Data, RpcLog[]> {
  const groups = new Map<Data, RpcLog[]>();
  for (const log of logs) {
    const hash = String(log.transactionHash).toLowerCase();
    const group = groups.get(hash);
    if (group) group.push(log);
    else groups.set(hash, [log]);
  }
  return groups;
}

function throwReceiptsMissing(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not the receipts that belong to it.');
}
