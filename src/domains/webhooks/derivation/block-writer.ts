import type { Logger } from 'pino';
import { OperationBudget } from '../../../budget/operation-budget.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import type { Query } from '../store/query.ts';
import { addressesOf } from './block-facts.ts';
import { insertBlockNotifications, readStoredKeys, takeBlockNotifications } from './block-notifications.ts';
import type { ReadBlock } from './block-reader.ts';
import { type BlockPosition, type DerivedBlock, deleteBlock, insertBlock, markComplete, readTip } from './derived-blocks.ts';
import { errorNotification, limitDeliveries } from './notification-limits.ts';
import { type DerivedNotification, droppedNotifications, notificationsOf, type RegistrationGroup } from './notifications.ts';
import { type NotifierOptions, notify, slicesOf } from './notifier.ts';
import type { DerivationStatus } from './options.ts';
import type { ActiveRegistrations } from './ports.ts';
import { removeReceivedActivity, returnedActivity } from './received-activity.ts';
import { notificationKey, removeNotifications } from './stored-notifications.ts';
import { hasDueDeliveries, takeDueDeliveries } from './waiting-deliveries.ts';
import {
  type PendingTransaction,
  readContents,
  readReplaced,
  settleTransactions,
  unsettleTransactions,
} from './watched-transactions.ts';

/** Another server has processed a block meanwhile, so that this one must read the last processed block again. */
export class TipMovedError extends Error {
  override readonly name = 'TipMovedError';
}

export interface BlockWriterOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  /** Records the applications for which a block is not derived. */
  readonly status: Pick<DerivationStatus, 'skipped'>;
  readonly log: Logger;
}

/** Failures of one application with one block, after which the block is skipped for the application. */
const MAX_FAILURES = 3;

/** A block that could not be processed, and how often each application has failed since. */
interface FailingBlock {
  readonly hash: Data;
  readonly failures: Map<string, number>;
}

/**
 * Stores processed blocks after the block that they follow. A block is complete after one transaction or several, each of which is short,
 * so that neither other writers nor the event loop wait for a block with many notifications. What is stored of a block that is not complete
 * is not stored again.
 */
export class BlockWriter {
  readonly #options: BlockWriterOptions;
  #failing: FailingBlock | undefined;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  /** Adds a block after `tip`, or completes the block that is the tip. A block without facts is one that concerns nobody. */
  async append(block: BlockPosition | ReadBlock, tip: Data | undefined): Promise<void> {
    const { database, addDeliveries } = this.#options;
    const isNew = tip !== block.hash;
    while (await hasDueDeliveries(database.query, block.height))
      await this.#transaction(tip, async (query) => addDeliveries(query, await takeDueDeliveries(query, block.height)));
    const hasFacts = 'facts' in block;
    if (isNew) await this.#transaction(tip, (query) => insertBlock(query, { ...block, complete: !hasFacts }));
    if (!hasFacts) return;
    await this.#notifyAll(block, isNew);
    await this.#transaction(block.hash, async (query) => {
      await settleTransactions(query, block.facts.mined, block.height);
      await markComplete(query, block, true);
    });
  }

  /** Removes the last processed block: announces that its events are removed. Its deliveries that wait are never made. */
  async revert(block: DerivedBlock): Promise<void> {
    for (let isReverted = false; !isReverted; )
      await this.#transaction(block.hash, async (query) => {
        const notifications = await takeBlockNotifications(query, block.height);
        await removeNotifications(query, notifications);
        const received = await removeReceivedActivity(query, this.#options.network, block.height);
        isReverted = notifications.length === 0 && received === 0;
        if (!isReverted) return markComplete(query, block, false);
        await unsettleTransactions(query, block.height);
        await deleteBlock(query, block);
      });
  }

  /** Notifies all applications together; after a failure one after the other, so that the one which fails three times can be skipped. */
  async #notifyAll(block: ReadBlock, isNew: boolean): Promise<void> {
    if (this.#failing?.hash !== block.hash) {
      try {
        return await this.#notify(block, undefined, isNew);
      } catch (error) {
        if (!(error instanceof TipMovedError)) this.#failing = { hash: block.hash, failures: new Map() };
        throw error;
      }
    }
    const { database, registrations } = this.#options;
    const { failures } = this.#failing;
    const failuresOf = (app: string): number => failures.get(app) ?? 0;
    const apps = await registrations.activeApps(database.query);
    let failure: unknown;
    for (const app of [...apps].sort((a, b) => failuresOf(a) - failuresOf(b))) {
      if (failuresOf(app) === MAX_FAILURES) continue;
      try {
        await this.#notify(block, app, false);
      } catch (error) {
        if (error instanceof TipMovedError) throw error;
        // No application is the cause while the database is down.
        await database.check();
        failures.set(app, failuresOf(app) + 1);
        if (failuresOf(app) < MAX_FAILURES) failure ??= error;
        else await this.#skip(block, app, error);
      }
    }
    if (failure) throw failure;
    this.#failing = undefined;
  }

  /** Reports that an application receives no further notifications of a block. */
  async #skip({ height, timestamp }: ReadBlock, app: string, err: unknown): Promise<void> {
    const { database, status, log } = this.#options;
    status.skipped = { count: status.skipped.count + 1, at: performance.now() };
    log.error({ err, app, height }, 'the webhooks of a block are not derived for an application, after three failures');
    const text = `The notifications of block ${height} could not be derived and are incomplete.`;
    const report = errorNotification({ app, timestamp }, null, text);
    await database
      .transaction(async (query) => {
        await lockInserts(query);
        await notify(query, this.#options, [report]);
      })
      .catch((error) => log.warn({ err: error, app }, 'the error of skipped webhooks cannot be stored'));
  }

  /** Stores what a block notifies of, for one application or for all. */
  async #notify(block: ReadBlock, app: string | undefined, isNew: boolean): Promise<void> {
    const { database, registrations, network } = this.#options;
    const { query } = database;
    const groups = await registrations.activeFor(query, addressesOf(block.facts), app);
    const replaced = await readReplaced(query, block.facts.mined);
    const { height, facts } = block;
    const derived = this.#notificationsOf(block, groups, replaced);
    for await (const slice of slicesOf(derived)) await this.#store(block, slice, isNew);
    const returned = returnedActivity(query, network, { height, transfers: facts.transfers }, { groups, app });
    for await (const slice of slicesOf(returned)) await this.#store(block, slice, isNew);
  }

  async *#notificationsOf(
    { facts, timestamp, height }: ReadBlock,
    groups: readonly RegistrationGroup[],
    replaced: readonly PendingTransaction[],
  ): AsyncGenerator<DerivedNotification> {
    const { query } = this.#options.database;
    const budget = new OperationBudget();
    for (const [app, own] of groupsByApp(groups)) {
      const dropped = async function* (): AsyncGenerator<DerivedNotification> {
        yield* notificationsOf(facts, own, timestamp, budget);
        const senders = new Set(own.flatMap(({ type, matched }) => (type === 'DROPPED_TRANSACTION' ? matched : [])));
        for await (const page of readContents(
          query,
          replaced.filter(({ sender }) => senders.has(sender)),
        ))
          yield* await droppedNotifications(page, own, timestamp, budget);
      };
      yield* limitDeliveries(dropped(), { app, height, timestamp });
    }
  }

  #store(block: ReadBlock, slice: readonly DerivedNotification[], isNew: boolean): Promise<void> {
    const { network } = this.#options;
    return this.#transaction(block.hash, async (query) => {
      const keys = slice.map((notification) => notificationKey(network, notification));
      const stored = isNew ? new Set() : await readStoredKeys(query, block.height, keys);
      const missing = slice.filter((_notification, i) => !stored.has(keys[i]!));
      if (missing.length === 0) return;
      await insertBlockNotifications(query, block.height, await notify(query, this.#options, missing, block.height));
    });
  }

  #transaction(tip: Data | undefined, run: (query: Query) => Promise<void>): Promise<void> {
    return this.#options.database.transaction(async (query) => {
      await lockInserts(query);
      if ((await readTip(query))?.hash !== tip) throw new TipMovedError('the last processed block has changed');
      await run(query);
    });
  }
}

/** The registrations of each application, those with the least addresses first: an application with many does not delay the others. */
function groupsByApp(
  groups: readonly RegistrationGroup[],
): readonly (readonly [app: string, own: readonly RegistrationGroup[]])[] {
  const byApp = new Map<string, RegistrationGroup[]>();
  for (const group of groups) byApp.set(group.app, [...(byApp.get(group.app) ?? []), group]);
  const work = (own: readonly RegistrationGroup[]): number =>
    own.reduce((sum, { matched, registrations }) => sum + matched.length * registrations.length, 0);
  return [...byApp].sort(([, a], [, b]) => work(a) - work(b));
}
