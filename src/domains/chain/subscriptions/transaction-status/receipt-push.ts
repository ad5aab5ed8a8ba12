import { isNullish, sameNumber } from '../../../../ethereum/block-results.ts';
import { type Data, sameData } from '../../../../ethereum/hex.ts';
import type { RpcReceipt, RpcTransaction } from '../../../../ethereum/rpc-types.ts';
import type { SnapshotSources } from '../../../../snapshot/index.ts';
import type { ChainFeed } from '../../../../sync/feed.ts';
import { serializeParams } from '../../../../upstream/rpc/rpc-call.ts';
import { receiptBy } from '../../transaction/methods.ts';
import type { WatchedTransaction } from './watched-transaction.ts';

/** Time for which a lookup at a new head waits for the receipt that the node pushes with the head. */
const PUSH_DELAY_MS = 50;

/** Whether a block is on the canonical chain as of the last emitted change. */
export const isCanonicalIn = (feed: ChainFeed, hash: Data): boolean => feed.pathBetween(hash, feed.head!)?.removed.length === 0;

/** Reports watched transactions as mined when the node pushes their receipts, without a lookup. */
export class ReceiptPush {
  readonly #feed: ChainFeed;
  readonly #sources: SnapshotSources;

  constructor(feed: ChainFeed, sources: SnapshotSources) {
    this.#feed = feed;
    this.#sources = sources;
  }

  /** Subscribes to the receipts of a pending transaction, once. Only a transaction that the server knows can be completed by a receipt. */
  subscribe(watched: WatchedTransaction): void {
    if (watched.observed.status !== 'PENDING') return;
    watched.receiptWatch ??= this.#feed.pushedReceipts.watch(watched.hash, (receipt) => {
      watched.pushedReceipt = receipt;
      this.apply(watched);
    });
  }

  /** Reports a pending transaction as mined if its last pushed receipt is of a canonical block. Returns whether it is. */
  apply(watched: WatchedTransaction): boolean {
    const { observed, pushedReceipt } = watched;
    const { head } = this.#feed;
    if (!head || !pushedReceipt || observed.status !== 'PENDING') return false;
    const transaction = minedByReceipt(observed.transaction!, pushedReceipt, this.#feed);
    if (!transaction) return false;
    watched.cancelTimers();
    cacheReceipt(this.#sources, pushedReceipt);
    watched.observe({ kind: 'mined', transaction }, head);
    watched.report(head);
    return true;
  }

  /** Calls `lookUp` at a new head: at once, or, if the node pushes receipts, when the receipt of this head has had time to arrive and did not. */
  beforeLookup(watched: WatchedTransaction, lookUp: () => void): void {
    if (this.apply(watched)) return;
    if (!watched.receiptWatch?.isActive) {
      lookUp();
      return;
    }
    watched.pushTimer ??= setTimeout(() => {
      // When this process was blocked, pending bytes are read only after the timers.
      setImmediate(() => {
        watched.pushTimer = undefined;
        if (watched.listeners.size > 0 && watched.observed.status !== 'MINED') lookUp();
      });
    }, PUSH_DELAY_MS);
  }
}

/**
 * Returns a pending transaction as it is in the block of a pushed receipt; undefined when that is not a canonical block that the feed knows,
 * or when the receipt does not fit the transaction.
 */
function minedByReceipt(pending: RpcTransaction, receipt: RpcReceipt, feed: ChainFeed): RpcTransaction | undefined {
  const { blockHash, blockNumber, transactionIndex, from, effectiveGasPrice } = receipt;
  const block = blockHash && feed.recentBlock(blockHash);
  if (!block || !sameNumber(blockNumber, block.number) || !isCanonicalIn(feed, block.hash)) return undefined;
  if (!sameData(from, pending.from) || isNullish(transactionIndex) || isNullish(effectiveGasPrice)) return undefined;
  return { ...pending, blockHash, blockNumber, transactionIndex, gasPrice: effectiveGasPrice };
}

/** Caches a receipt, so that no operation requests it while its block is canonical. */
function cacheReceipt({ cache }: SnapshotSources, receipt: RpcReceipt): void {
  const { transactionHash, blockNumber: number, blockHash: hash } = receipt;
  cache?.set(receiptBy.name + serializeParams(receiptBy.params(transactionHash)), receipt, { number, hash });
}
