import { receiptContradiction } from '../ethereum/header-checks.ts';
import type { Data } from '../ethereum/hex.ts';
import { readReceipt } from '../ethereum/log-results.ts';
import type { RpcReceipt } from '../ethereum/rpc-types.ts';
import { HeaderChecks } from '../upstream/rpc/rpc-call.ts';
import type { NodeConnection, Unsubscribe } from '../upstream/rpc/websocket/connection.ts';
import type { Follower } from './head/follower.ts';
import { undefinedIfUnsupported } from './head/rpc-queries.ts';

/** The subscription to the receipts of one transaction. */
export interface ReceiptWatch {
  /** Whether the node pushes the receipts now. */
  readonly isActive: boolean;
  stop(): void;
}

/** Maximum number of subscriptions on one connection; transactions beyond it are looked up. */
const MAX_RECEIPT_SUBSCRIPTIONS = 200;

interface WatchState {
  readonly hash: Data;
  readonly onReceipt: (receipt: RpcReceipt) => void;
  unsubscribe: Unsubscribe | undefined;
}

/**
 * Creates the subscriptions to receipts that the node pushes when it adds a block with the transaction, to save lookups. Best effort: a receipt may
 * never arrive. A connection that rejects the first subscription gets no further one.
 */
export function createPushedReceipts(
  follower: Pick<Follower, 'connection' | 'onConnection'>,
  headerChecks = new HeaderChecks('on'),
) {
  const watches = new Set<WatchState>();
  /** Whether a connection supports the subscription, from its first one. */
  const support = new WeakMap<NodeConnection, Promise<boolean>>();

  /** Resolves with undefined where the node does not support the subscription, and when the connection ends. */
  const open = async (connection: NodeConnection, watch: WatchState): Promise<Unsubscribe | undefined> => {
    const known = support.get(connection);
    if (known && !(await known)) return undefined;
    const params = ['transactionReceipts', { transactionHashes: [watch.hash] }];
    const opening = connection.subscribe(params, (event) => {
      if (watches.has(watch)) for (const receipt of readPushed(event, watch.hash, headerChecks)) watch.onReceipt(receipt);
    });
    if (!known) {
      const isSupported = opening.catch(undefinedIfUnsupported).then(
        (unsubscribe) => unsubscribe !== undefined,
        () => true,
      );
      support.set(connection, isSupported);
    }
    return opening.catch(() => undefined);
  };

  const subscribe = async (connection: NodeConnection, watch: WatchState): Promise<void> => {
    const unsubscribe = await open(connection, watch);
    if (!unsubscribe || follower.connection !== connection) return;
    if (watches.has(watch)) watch.unsubscribe = unsubscribe;
    else unsubscribe();
    void connection.ended.then(() => {
      if (watch.unsubscribe === unsubscribe) watch.unsubscribe = undefined;
    });
  };

  const close = follower.onConnection((connection) => {
    for (const watch of watches) void subscribe(connection, watch);
  });

  return {
    /** Stops to subscribe over new connections. */
    close,
    /**
     * Requests the receipts of a transaction while there is a connection that supports it. `onReceipt` receives receipts of this transaction
     * in any block, canonical or not. Source: `eth_subscribe` of `transactionReceipts`.
     */
    watch(hash: Data, onReceipt: (receipt: RpcReceipt) => void): ReceiptWatch {
      const watch: WatchState = { hash, onReceipt, unsubscribe: undefined };
      if (watches.size < MAX_RECEIPT_SUBSCRIPTIONS) {
        watches.add(watch);
        if (follower.connection) void subscribe(follower.connection, watch);
      }
      return {
        get isActive() {
          return watch.unsubscribe !== undefined;
        },
        stop() {
          watches.delete(watch);
          watch.unsubscribe?.();
          watch.unsubscribe = undefined;
        },
      };
    },
  };
}

/** The receipts of a transaction in one event, which is a list; ignores everything else. */
function readPushed(event: unknown, hash: Data, headerChecks: HeaderChecks): readonly RpcReceipt[] {
  return [event].flat().flatMap((entry) => {
    try {
      const receipt = readReceipt(entry, hash);
      return receipt && !headerChecks.errorOf('eth_subscribe', receipt, receiptContradiction(receipt)) ? receipt : [];
    } catch {
      return [];
    }
  });
}
