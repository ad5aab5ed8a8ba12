import type { Data } from '../../../ethereum/hex.ts';
import { addDeliveries } from '../delivery/jobs.ts';
import { type ActiveGroup, activeFor, activeRegistrations } from '../registrations/active-registrations.ts';
import type { ChainQuery, ChainStatements } from '../store/chain-statements.ts';
import { lockInserts } from '../store/event-writes.ts';
import { batchesOf, groupBy } from './batches.ts';
import { addressesOf } from './block-facts.ts';
import type { ReadBlock } from './block-reader.ts';
import {
  type BlockPosition,
  deleteBlock,
  insertBlock,
  insertBlockNotifications,
  markComplete,
  readHashAt,
  readStoredKeys,
  readTip,
  takeBlockNotifications,
} from './derived-blocks.ts';
import { type DerivedNotification, errorNotification, storageBytes } from './derived-notification.ts';
import { limitDeliveries, notificationsOf, transactionNotifications } from './notifications.ts';
import { MAX_DELIVERIES, notify, notifyAtOnce, takeDueDeliveries } from './notifier.ts';
import type { DerivationOptions, DerivationStatus } from './options.ts';
import { removedActivityApps, removeReceivedActivity, returnedActivity } from './received-activity.ts';
import { notificationKey, removeNotifications } from './stored-notifications.ts';
import { readContents, readReplaced, settleTransactions, unsettleTransactions } from './watched-transactions.ts';

/** Another server has processed or removed a block meanwhile, so this server must read the stored blocks again. */
export class TipMovedError extends Error {
  override readonly name = 'TipMovedError';
}

export interface BlockWriterOptions extends Pick<DerivationOptions, 'log'> {
  readonly database: ChainStatements & Pick<DerivationOptions['database'], 'check'>;
  readonly network: string;
  readonly status: DerivationStatus;
}

export type BlockWriter = ReturnType<typeof createBlockWriter>;

/** Number of failures of one application in one block after which the server skips the block for the application. */
const MAX_FAILURES = 3;

/** Time for the notifications of a block, after which the next block has priority. */
const MAX_BLOCK_MS = 300;

/** A block that is not complete. */
interface OpenBlock {
  readonly block: ReadBlock;
  /** Whether no part of it was stored before. */
  isNew: boolean;
  /** Applications whose notifications are not all stored; undefined means all applications together. */
  apps: (string | undefined)[];
  /** Position in the notifications of the first application of `apps`; undefined before its first notification. */
  slices?: AsyncGenerator<readonly DerivedNotification[]> | undefined;
  readonly failures: Map<string, number>;
}

/**
 * Stores processed blocks after the block that they follow. The notifications of a block are stored in separate
 * transactions, so that other writers, the event loop and later blocks do not wait for all notifications. Stored
 * notifications of a block are not stored again.
 */
export function createBlockWriter({ database, network, status, log }: BlockWriterOptions) {
  /** The block that `advance` continues. */
  let current: OpenBlock | undefined;

  /** Runs a transaction under the lock of inserts. Rejects with TipMovedError unless the condition is met. */
  const transaction = (
    condition: (query: ChainQuery) => Promise<boolean>,
    run: (query: ChainQuery) => Promise<void>,
  ): Promise<void> =>
    database.transaction(async (query) => {
      await lockInserts(query);
      if (!(await condition(query))) throw new TipMovedError('the stored blocks have changed');
      await run(query);
    });

  const countSkipped = (): void => {
    status.skipped = { count: status.skipped.count + 1, at: performance.now() };
  };

  /** Reports that an application receives no further notifications of a block. */
  const skip = async ({ height, timestamp }: ReadBlock, app: string, err: unknown): Promise<void> => {
    countSkipped();
    log.error({ err, app, height }, 'the webhooks of a block are not derived for an application, after three failures');
    const text = `The notifications of block ${height} could not be derived and are incomplete.`;
    await notifyAtOnce({ database, network }, async () => [errorNotification({ app, timestamp }, null, text)]).catch((error) =>
      log.warn({ err: error, app }, 'the error of skipped webhooks cannot be stored'),
    );
  };

  const recordFailure = async (open: OpenBlock, error: unknown): Promise<void> => {
    const { block, apps, failures } = open;
    open.slices = undefined;
    open.isNew = false;
    // While the database is down, no application is the cause of the failure.
    await database.check();
    if (apps.length === 0) return;
    const app = apps.shift();
    if (app === undefined) {
      // Also those that only receive activities, which this block may have again.
      const registered = (await activeRegistrations(database.query)).map((registration) => registration.app);
      return void apps.push(...new Set([...registered, ...(await removedActivityApps(database.query, network, block.height))]));
    }
    const count = (failures.get(app) ?? 0) + 1;
    failures.set(app, count);
    // The other applications continue first.
    if (count < MAX_FAILURES) apps.push(app);
    else await skip(block, app, error);
  };

  const store = ({ block, isNew }: OpenBlock, slice: readonly DerivedNotification[]): Promise<void> =>
    transaction(isStored(block), async (query) => {
      const { height } = block;
      const keys = slice.map((notification) => notificationKey(network, query.chainId, notification));
      const stored = isNew ? new Set() : await readStoredKeys(query, height, keys);
      const missing = slice.filter((_notification, i) => !stored.has(keys[i]!));
      if (missing.length > 0) await insertBlockNotifications(query, height, await notify(query, network, missing, height));
    });

  /**
   * Stores a slice of the notifications of a block. Resolves with whether the block is complete, or removed. Rejects
   * with each failure; afterwards applications are processed one by one, so that an application that fails three times
   * can be skipped.
   */
  const storeNext = async (open: OpenBlock): Promise<boolean> => {
    const { block, apps } = open;
    try {
      if (apps.length > 0) {
        open.slices ??= blockNotifications(database.query, network, block, apps[0]);
        const { value: slice, done } = await open.slices.next();
        if (!done) {
          await store(open, slice);
          return false;
        }
        open.slices = undefined;
        apps.shift();
        if (apps.length > 0) return false;
      }
      await transaction(isStored(block), async (query) => {
        await settleTransactions(query, block.facts.mined, block.height);
        await markComplete(query, block, true);
      });
    } catch (error) {
      if (!(error instanceof TipMovedError)) {
        await recordFailure(open, error);
        throw error;
      }
    }
    if (current === open) current = undefined;
    return true;
  };

  return {
    /** Adds a block after `tip`, and stores its notifications for some time. A block without facts has no notifications. */
    async append(block: BlockPosition | ReadBlock, tip: Data | undefined): Promise<void> {
      const read = 'facts' in block ? block : undefined;
      for (let isAdded = false; !isAdded; )
        await transaction(isTip(tip), async (query) => {
          const taken = await takeDueDeliveries(query, block.height);
          const due = taken.filter(({ active }) => active);
          await addDeliveries(query, due);
          isAdded = taken.length < MAX_DELIVERIES;
          if (isAdded) await insertBlock(query, block, !read);
        });
      status.height = block.height;
      status.waitingSince = performance.now();
      if (!read) return;
      const open: OpenBlock = { block: read, isNew: true, apps: [undefined], failures: new Map() };
      current ??= open;
      const start = performance.now();
      while (performance.now() - start < MAX_BLOCK_MS) if (await storeNext(open)) return;
    },

    /** Whether `advance` has a block to continue. */
    isOpen: (): boolean => current !== undefined,

    /** Continues a stored block that is not complete, from the start. */
    reopen(block: ReadBlock): void {
      current = { block, isNew: false, apps: [undefined], failures: new Map() };
    },

    /** Stores some notifications of the open block. */
    async advance(): Promise<void> {
      if (current) await storeNext(current);
    },

    /** Removes the last processed block: announces that its events are removed, and drops its waiting deliveries. */
    async revert(block: BlockPosition): Promise<void> {
      if (current?.block.hash === block.hash) current = undefined;
      for (let isReverted = false; !isReverted; )
        await transaction(isTip(block.hash), async (query) => {
          const notifications = await takeBlockNotifications(query, block.height);
          await removeNotifications(query, notifications);
          const received = await removeReceivedActivity(query, network, block.height);
          isReverted = notifications.length === 0 && received === 0;
          if (!isReverted) return markComplete(query, block, false);
          await unsettleTransactions(query, block.height);
          await deleteBlock(query, block);
        });
    },

    /** Completes a block that the node no longer has. */
    async abandon(block: BlockPosition): Promise<void> {
      await transaction(isStored(block), (query) => markComplete(query, block, true));
      countSkipped();
      log.error({ height: block.height }, 'the webhooks of a block are not all derived: the node no longer has it');
    },
  };
}

const isTip = (hash: Data | undefined) => async (query: ChainQuery) => (await readTip(query))?.hash === hash;
const isStored = (block: BlockPosition) => async (query: ChainQuery) => (await readHashAt(query, block.height)) === block.hash;

/** Maximum size of one transaction, unless one notification is larger: bounds the time of the lock of inserts. */
const MAX_SLICE_BYTES = 256 * 1024;

/** Yields the notifications of a block to one application, or to all, in lists for one transaction each. */
async function* blockNotifications(query: ChainQuery, network: string, { height, facts, timestamp }: ReadBlock, app?: string) {
  const groups = await activeFor(query, addressesOf(facts), app);
  const replaced = await readReplaced(query, facts.mined);

  const notificationsOfApp = async function* (own: readonly ActiveGroup[]): AsyncGenerator<DerivedNotification> {
    yield* notificationsOf(facts, own, timestamp);
    const senders = new Set(own.flatMap(({ type, matched }) => (type === 'DROPPED_TRANSACTION' ? matched : [])));
    const dropped = replaced.filter(({ sender }) => senders.has(sender));
    for await (const transactions of readContents(query, dropped))
      yield* transactionNotifications('DROPPED_TRANSACTION', transactions, own, timestamp);
  };
  const limited = [...groupBy(groups, (group) => group.app)].map(([owner, own]) =>
    limitDeliveries(notificationsOfApp(own), { app: owner, height, timestamp }),
  );
  yield* batchesOf(takeTurns(limited), storageBytes, MAX_SLICE_BYTES);
  yield* batchesOf(returnedActivity(query, network, { height, ...facts }, { groups, app }), storageBytes, MAX_SLICE_BYTES);
}

/** Yields the notifications of several applications; the application with the fewest bytes so far is next. */
async function* takeTurns(applications: readonly AsyncGenerator<DerivedNotification>[]): AsyncGenerator<DerivedNotification> {
  const open = applications.map((notifications) => ({ notifications, bytes: 0 }));
  while (open.length > 0) {
    const next = open.reduce((least, other) => (other.bytes < least.bytes ? other : least));
    const { value, done } = await next.notifications.next();
    if (done) open.splice(open.indexOf(next), 1);
    else {
      next.bytes += storageBytes(value);
      yield value;
    }
  }
}
