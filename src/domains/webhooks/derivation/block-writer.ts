import type { Logger } from 'pino';
import type { Data } from '../../../ethereum/hex.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import type { Query } from '../store/statements.ts';
import { insertBlockNotifications, readStoredKeys, takeBlockNotifications } from './block-notifications.ts';
import type { ReadBlock } from './block-reader.ts';
import { blockSlices } from './block-slices.ts';
import { type BlockPosition, deleteBlock, insertBlock, markComplete, readHashAt, readTip } from './derived-blocks.ts';
import { type DerivedNotification, errorNotification } from './derived-notification.ts';
import { hasDueDeliveries, type NotifierOptions, notify, takeDueDeliveries } from './notifier.ts';
import type { ActiveRegistrations, DerivationStatus } from './options.ts';
import { removeReceivedActivity } from './received-activity.ts';
import { notificationKey, removeNotifications } from './stored-notifications.ts';
import { settleTransactions, unsettleTransactions } from './watched-transactions.ts';

/** Another server has processed or removed a block meanwhile, so that this one must read the stored blocks again. */
export class TipMovedError extends Error {
  override readonly name = 'TipMovedError';
}

export interface BlockWriterOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
  readonly status: Pick<DerivationStatus, 'height' | 'waitingSince' | 'skipped'>;
  readonly log: Logger;
}

/** Failures of one application with one block, after which the block is skipped for the application. */
const MAX_FAILURES = 3;

/** Time for the notifications of a block, after which the next block comes first. */
const MAX_BLOCK_MS = 300;

/** A block that is not complete. */
interface OpenBlock {
  readonly block: ReadBlock;
  /** Whether nothing of it was stored before. */
  isNew: boolean;
  /** Applications whose notifications are not all stored; undefined stands for all of them together. */
  apps: (string | undefined)[];
  /** Of the first one of `apps`; undefined before its first notification. */
  slices?: AsyncGenerator<readonly DerivedNotification[]> | undefined;
  /** Whether only applications with many notifications remain. */
  isRemainderLarge: boolean;
  readonly failures: Map<string, number>;
}

/**
 * Stores processed blocks after the block that they follow. The notifications of a block are stored in transactions of their own, those of
 * applications with many last: neither other writers, nor the event loop, nor later blocks wait for them. The block is complete after the last
 * one. What is stored of a block is not stored again.
 */
export class BlockWriter {
  readonly #options: BlockWriterOptions;
  /** The block that `advance` continues. */
  #open: OpenBlock | undefined;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  /** Adds a block after `tip`, and stores its notifications for some time. A block without facts is one that concerns nobody. */
  async append(block: BlockPosition | ReadBlock, tip: Data | undefined): Promise<void> {
    const { database, addDeliveries, status } = this.#options;
    const isTip = async (query: Query): Promise<boolean> => (await readTip(query))?.hash === tip;
    while (await hasDueDeliveries(database.query, block.height))
      await this.#transaction(isTip, async (query) => addDeliveries(query, await takeDueDeliveries(query, block.height)));
    const hasFacts = 'facts' in block;
    await this.#transaction(isTip, (query) => insertBlock(query, block, !hasFacts));
    status.height = block.height;
    status.waitingSince = performance.now();
    if (!hasFacts) return;
    const open = createOpenBlock(block, true);
    const start = performance.now();
    try {
      while (!open.isRemainderLarge && performance.now() - start < MAX_BLOCK_MS) if (await this.#advance(open)) return;
    } finally {
      if (open.apps.length > 0) this.#open ??= open;
    }
  }

  /** Whether `advance` has a block to continue. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Continues a stored block that is not complete, from the start. */
  reopen(block: ReadBlock): void {
    this.#open = createOpenBlock(block, false);
  }

  /** Stores some notifications of the open block. */
  async advance(): Promise<void> {
    if (this.#open && (await this.#advance(this.#open))) this.#open = undefined;
  }

  /** Removes the last processed block: announces that its events are removed. Its deliveries that wait are never made. */
  async revert(block: BlockPosition): Promise<void> {
    if (this.#open?.block.hash === block.hash) this.#open = undefined;
    const isTip = async (query: Query): Promise<boolean> => (await readTip(query))?.hash === block.hash;
    for (let isReverted = false; !isReverted; )
      await this.#transaction(isTip, async (query) => {
        const notifications = await takeBlockNotifications(query, block.height);
        await removeNotifications(query, notifications);
        const received = await removeReceivedActivity(query, this.#options.network, block.height);
        isReverted = notifications.length === 0 && received === 0;
        if (!isReverted) return markComplete(query, block, false);
        await unsettleTransactions(query, block.height);
        await deleteBlock(query, block);
      });
  }

  /**
   * Stores a slice of the notifications of a block. Resolves with whether the block is complete, or removed. After a failure, applications are
   * processed one after the other, so that the one which fails three times can be skipped; rejects with each failure.
   */
  async #advance(open: OpenBlock): Promise<boolean> {
    const { block, apps } = open;
    try {
      if (apps.length > 0) {
        open.slices ??= blockSlices(this.#options, block, apps[0], () => {
          open.isRemainderLarge = true;
        });
        const { value, done } = await open.slices.next();
        if (!done) {
          if (value.length > 0) await this.#store(open, value);
          return false;
        }
        open.slices = undefined;
        apps.shift();
      }
      if (apps.length > 0) return false;
      await this.#complete(block);
      return true;
    } catch (error) {
      if (error instanceof TipMovedError) {
        open.apps = [];
        return true;
      }
      await this.#recordFailure(open, error);
      throw error;
    }
  }

  async #recordFailure(open: OpenBlock, error: unknown): Promise<void> {
    const { database, registrations } = this.#options;
    const { block, apps, failures } = open;
    open.slices = undefined;
    open.isNew = false;
    // No application is the cause while the database is down.
    await database.check();
    if (apps.length === 0) return;
    const app = apps.shift();
    if (app === undefined) {
      apps.push(...(await registrations.activeApps(database.query)));
      return;
    }
    failures.set(app, (failures.get(app) ?? 0) + 1);
    // The others go on first.
    if (failures.get(app)! < MAX_FAILURES) apps.push(app);
    else await this.#skip(block, app, error);
  }

  #complete(block: ReadBlock): Promise<void> {
    return this.#transaction(isStored(block), async (query) => {
      await settleTransactions(query, block.facts.mined, block.height);
      await markComplete(query, block, true);
    });
  }

  /** Completes a block that no node has any more. */
  async abandon(block: BlockPosition): Promise<void> {
    const { status, log } = this.#options;
    await this.#transaction(isStored(block), (query) => markComplete(query, block, true));
    status.skipped = { count: status.skipped.count + 1, at: performance.now() };
    log.error({ height: block.height }, 'the webhooks of a block are not all derived: the node no longer has it');
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

  #store({ block, isNew }: OpenBlock, slice: readonly DerivedNotification[]): Promise<void> {
    const { network } = this.#options;
    const { height } = block;
    return this.#transaction(isStored(block), async (query) => {
      const keys = slice.map((notification) => notificationKey(network, notification));
      const stored = isNew ? new Set() : await readStoredKeys(query, height, keys);
      const missing = slice.filter((_notification, i) => !stored.has(keys[i]!));
      if (missing.length === 0) return;
      await insertBlockNotifications(query, height, await notify(query, this.#options, missing, height));
    });
  }

  /** Runs a transaction under the lock of inserts. Rejects with TipMovedError unless the condition is met. */
  #transaction(condition: (query: Query) => Promise<boolean>, run: (query: Query) => Promise<void>): Promise<void> {
    return this.#options.database.transaction(async (query) => {
      await lockInserts(query);
      if (!(await condition(query))) throw new TipMovedError('the stored blocks have changed');
      await run(query);
    });
  }
}

const createOpenBlock = (block: ReadBlock, isNew: boolean): OpenBlock => ({
  ...{ block, isNew, isRemainderLarge: false },
  apps: [undefined],
  failures: new Map(),
});

const isStored =
  ({ height, hash }: BlockPosition) =>
  async (query: Query): Promise<boolean> =>
    (await readHashAt(query, height)) === hash;
