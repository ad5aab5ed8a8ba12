import type { Data } from '../../../ethereum/hex.ts';
import type { Database } from '../store/database.ts';
import { lockInserts } from '../store/event-writes.ts';
import type { Query } from '../store/query.ts';
import { addressesOf } from './block-facts.ts';
import type { ReadBlock } from './block-reader.ts';
import {
  type BlockPosition,
  type DerivedBlock,
  deleteBlock,
  insertBlock,
  readTip,
  type StoredFacts,
  takeDueDeliveries,
} from './derived-blocks.ts';
import { notificationsOf } from './notifications.ts';
import { addDueDeliveries, type NotifierOptions, notifyOfBlock } from './notifier.ts';
import type { ActiveRegistrations } from './ports.ts';
import { removeReceivedActivity, returnedActivity } from './received-activity.ts';
import { removeNotifications } from './stored-notifications.ts';
import { settleTransactions, watchTransactions } from './watched-transactions.ts';

/** Another server has processed a block meanwhile, so that this one must read the last processed block again. */
export class TipMovedError extends Error {
  override readonly name = 'TipMovedError';
}

export interface BlockWriterOptions extends NotifierOptions {
  readonly database: Database;
  readonly registrations: ActiveRegistrations;
}

/** Stores processed blocks: each in one transaction with its events and deliveries, after the block that it follows. */
export class BlockWriter {
  readonly #options: BlockWriterOptions;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  /** Adds a block after `tip`. A block without facts is one that concerns nobody. */
  append(block: BlockPosition | ReadBlock, tip: Data | undefined): Promise<void> {
    return this.#transaction(tip, async (query) => {
      const due = await takeDueDeliveries(query, block.height);
      await addDueDeliveries(query, this.#options.addDeliveries, due);
      await insertBlock(query, block, 'facts' in block ? await this.#notify(query, block) : {});
    });
  }

  /** Removes the last processed block: announces that its events are removed. Its deliveries that wait are never made. */
  revert(block: DerivedBlock): Promise<void> {
    return this.#transaction(block.hash, async (query) => {
      await removeNotifications(query, block.facts.notifications ?? []);
      await removeReceivedActivity(query, this.#options.network, block.height);
      await watchTransactions(query, block.facts.settled ?? []);
      await deleteBlock(query, block);
    });
  }

  async #notify(query: Query, { height, timestamp, facts }: ReadBlock): Promise<StoredFacts> {
    const { registrations } = this.#options;
    const { settled, replaced } = await settleTransactions(query, facts.mined);
    const matched = await registrations.activeFor(query, addressesOf(facts));
    const derived = notificationsOf({ ...facts, dropped: replaced }, matched, timestamp);
    const { transfers } = facts;
    const returned = await returnedActivity(query, this.#options.network, { height, transfers }, derived);
    return { ...(await notifyOfBlock(query, this.#options, [...derived, ...returned], height)), settled };
  }

  #transaction(tip: Data | undefined, run: (query: Query) => Promise<void>): Promise<void> {
    return this.#options.database.transaction(async (query) => {
      await lockInserts(query);
      if ((await readTip(query))?.hash !== tip) throw new TipMovedError('the last processed block has changed');
      await run(query);
    });
  }
}
