import type { Logger } from 'pino';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import { registeredAddresses } from '../registrations/active-registrations.ts';
import type { Database } from '../store/database.ts';
import { notifiedTransaction } from './block-facts.ts';
import { unwatchOld, watchTransactions } from './watched-transactions.ts';

/** Time in which announced transactions are collected for one lookup. */
const COLLECT_MS = 250;
/** Announced transactions that wait for a lookup; later ones are not watched. */
const MAX_COLLECTED = 20_000;

export interface PendingWatchOptions {
  readonly feed: Pick<ChainFeed, 'subscribePendingTransactions'>;
  readonly database: Database;
  /** Called with the applications that watch as many transactions as they can, and the number of further ones that are not watched. */
  readonly onUnwatched: (unwatched: ReadonlyMap<string, number>) => Promise<void>;
  readonly log: Logger;
}

/** Watches the pending transactions of the senders that DROPPED_TRANSACTION registrations contain. */
export class PendingWatch {
  readonly #options: PendingWatchOptions;
  #unsubscribe: (() => void) | undefined;
  #collected: RpcTransaction[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(options: PendingWatchOptions) {
    this.#options = options;
  }

  /** Subscribes to pending transactions while there is such a registration: the subscription is costly for the node. */
  async update(): Promise<void> {
    const { database } = this.#options;
    const rows = await database.query(`select 1 from webhooks where active and type = 'DROPPED_TRANSACTION' limit 1`);
    if (rows.length > 0) this.#unsubscribe ??= this.#subscribe();
    else if (this.#unsubscribe) {
      this.stop();
      await unwatchOld(database.query, { all: true });
    }
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#collected = [];
  }

  #subscribe(): () => void {
    const { feed, log } = this.#options;
    return feed.subscribePendingTransactions({
      next: (transaction) => {
        if (this.#collected.length < MAX_COLLECTED) this.#collected.push(transaction);
        this.#timer ??= setTimeout(() => void this.#watchCollected(), COLLECT_MS);
      },
      end: (err) => {
        this.#unsubscribe = undefined;
        if (!this.#hasWarned && err.code !== 'SHUTTING_DOWN')
          log.warn({ err }, 'dropped transactions are not seen: pending transactions cannot be read');
        this.#hasWarned = true;
      },
    });
  }

  async #watchCollected(): Promise<void> {
    const { query } = this.#options.database;
    this.#timer = undefined;
    const collected = new Map(this.#collected.splice(0).map((transaction) => [transaction.hash, transaction]));
    const pending = [...collected.values()].filter(({ blockHash }) => !blockHash).map(notifiedTransaction);
    try {
      const senders = await registeredAddresses(query, [...new Set(pending.map(({ from }) => from))], 'DROPPED_TRANSACTION');
      const unwatched = await watchTransactions(
        query,
        pending.filter(({ from }) => senders.has(from)),
      );
      if (unwatched.size > 0) await this.#options.onUnwatched(unwatched);
    } catch (err) {
      this.#options.log.debug({ err }, 'pending transactions cannot be stored');
    }
  }
}
