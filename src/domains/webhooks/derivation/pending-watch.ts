import type { Logger } from 'pino';
import type { Data } from '../../../ethereum/hex.ts';
import type { RpcTransaction } from '../../../ethereum/rpc-types.ts';
import type { ChainFeed } from '../../../sync/feed.ts';
import type { Database } from '../store/database.ts';
import { notifiedTransaction } from './block-facts.ts';
import type { ActiveRegistrations } from './options.ts';
import { unwatchOld, watchTransactions } from './watched-transactions.ts';

/** Time in which announced transactions are collected for one lookup. */
const COLLECT_MS = 250;
/** Announced transactions that wait for a lookup; later ones are not watched. */
const MAX_COLLECTED = 20_000;

export interface PendingWatchOptions {
  readonly feed: Pick<ChainFeed, 'subscribePendingTransactions'>;
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
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
      next: (transaction) => this.#collect(transaction),
      end: (err) => {
        this.#unsubscribe = undefined;
        if (!this.#hasWarned && err.code !== 'SHUTTING_DOWN')
          log.warn({ err }, 'dropped transactions are not seen: pending transactions cannot be read');
        this.#hasWarned = true;
      },
    });
  }

  #collect(transaction: RpcTransaction): void {
    if (this.#collected.length >= MAX_COLLECTED) return;
    this.#collected.push(transaction);
    this.#timer ??= setTimeout(() => void this.#watchCollected(), COLLECT_MS);
  }

  async #watchCollected(): Promise<void> {
    const { database, registrations, log } = this.#options;
    this.#timer = undefined;
    const collected = this.#collected.splice(0).filter(({ blockHash }) => !blockHash);
    try {
      const senders = [...new Set(collected.map(({ from }) => from.toLowerCase()))];
      const matched = await registrations.activeFor(database.query, senders);
      const appsOf = (sender: Data): readonly string[] => [
        ...new Set(
          matched
            .filter(({ type, matched: addresses }) => type === 'DROPPED_TRANSACTION' && addresses.includes(sender))
            .map(({ app }) => app),
        ),
      ];
      const appsBySender = new Map(senders.map((sender) => [sender, appsOf(sender)]));
      const watches = collected.flatMap((transaction) => {
        const apps = appsBySender.get(transaction.from.toLowerCase())!;
        return apps.length > 0 ? [{ transaction: notifiedTransaction(transaction), apps }] : [];
      });
      const unique = [...new Map(watches.map((watch) => [watch.transaction.hash, watch])).values()];
      const unwatched = await watchTransactions(database.query, unique);
      if (unwatched.size > 0) await this.#options.onUnwatched(unwatched);
    } catch (err) {
      log.debug({ err }, 'pending transactions cannot be stored');
    }
  }
}
