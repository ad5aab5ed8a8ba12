import { type Data, toData } from '../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { NotifiedTransaction } from '../model.ts';
import { registeredAddresses } from '../registrations/active-registrations.ts';
import type { ChainStatements } from '../store/chain-statements.ts';
import { notifiedTransaction } from './block-facts.ts';
import type { DerivationOptions, DerivedChain } from './options.ts';
import { unwatchOld, watchTransactions } from './watched-transactions.ts';

/** Time in which announced transactions are collected for one lookup. */
const COLLECT_MS = 250;
/** Maximum number of announced transactions that wait for a lookup; later transactions are not watched. */
const MAX_COLLECTED = 20_000;

export interface PendingWatchOptions extends Pick<DerivedChain, 'feed'>, Pick<DerivationOptions, 'log'> {
  readonly database: ChainStatements;
  /**
   * Called with the applications that have reached their limit of watched transactions, and the number of further
   * transactions that are not watched.
   */
  readonly onUnwatched: (unwatched: ReadonlyMap<string, number>) => Promise<void>;
}

/** Watches the pending transactions of the senders that DROPPED_TRANSACTION registrations contain. */
export function createPendingWatch({ feed, database, onUnwatched, log }: PendingWatchOptions) {
  const { query } = database;
  let unsubscribe: (() => void) | undefined;
  let collected = new Map<Data, RpcTransaction>();
  let timer: NodeJS.Timeout | undefined;
  /** The passes of `watchCollected`, one at a time. */
  let passes = Promise.resolve();
  let hasWarned = false;

  const collect = (transaction: RpcTransaction): void => {
    if (collected.size < MAX_COLLECTED) collected.set(transaction.hash, transaction);
  };

  /** Converts a transaction; returns undefined for a malformed transaction. */
  const convert = (transaction: RpcTransaction): NotifiedTransaction[] => {
    try {
      return [notifiedTransaction(transaction)];
    } catch (err) {
      log.debug({ err }, 'a malformed pending transaction is not watched');
      return [];
    }
  };

  const watchSoon = (): void => {
    timer ??= setTimeout(() => {
      passes = passes.then(watchCollected);
    }, COLLECT_MS);
  };

  const watchCollected = async (): Promise<void> => {
    const announced = [...collected.values()];
    collected = new Map();
    timer = undefined;
    try {
      const pending = announced.filter(({ blockHash }) => !blockHash);
      const addresses = new Set(pending.flatMap(({ from }) => toData(from, 20) ?? []));
      const senders = await registeredAddresses(query, [...addresses], 'DROPPED_TRANSACTION');
      const watched = pending.filter(({ from }) => senders.has(toData(from, 20) ?? '')).flatMap(convert);
      const unwatched = await watchTransactions(query, watched);
      if (unwatched.size > 0) await onUnwatched(unwatched);
    } catch (err) {
      log.debug({ err }, 'pending transactions cannot be stored');
      if (!unsubscribe || !hasCode(err, 'STORE_UNAVAILABLE')) return;
      announced.forEach(collect);
      watchSoon();
    }
  };

  const subscribe = (): (() => void) =>
    feed.subscribePendingTransactions({
      next(transaction) {
        collect(transaction);
        watchSoon();
      },
      end(err) {
        unsubscribe = undefined;
        if (!hasWarned && err.code !== 'SHUTTING_DOWN')
          log.warn({ err }, 'dropped transactions are not seen: pending transactions cannot be read');
        hasWarned = true;
      },
    });

  const stop = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    clearTimeout(timer);
    timer = undefined;
    collected = new Map();
  };

  return {
    /**
     * Subscribes to pending transactions only while a DROPPED_TRANSACTION registration is active, because the
     * subscription is costly for the node.
     */
    async update(): Promise<void> {
      const statement = `select 1 from webhooks where active and type = 'DROPPED_TRANSACTION' and chain_id = $1 limit 1`;
      if ((await query(statement, [query.chainId])).length > 0) unsubscribe ??= subscribe();
      else if (unsubscribe) {
        stop();
        await unwatchOld(query, { all: true });
      }
    },
    stop,
  };
}
