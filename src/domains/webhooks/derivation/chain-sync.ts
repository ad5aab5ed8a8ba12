import type { Logger } from 'pino';
import { type Data, quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { ChainFeed, Head } from '../../../sync/feed.ts';
import { registeredAddresses } from '../registrations/active-registrations.ts';
import type { Database } from '../store/database.ts';
import type { FindToken } from './block-facts.ts';
import { type ReadBlock, type ReadChain, readBlock } from './block-reader.ts';
import { type BlockWriter, TipMovedError } from './block-writer.ts';
import { type BlockPosition, hasNotifications, readHashAt, readIncomplete, readTip } from './derived-blocks.ts';
import { hasRemovedActivity } from './received-activity.ts';

/** Blocks that are caught up after a pause; after a longer one, processing continues at the head. */
export const MAX_CATCH_UP_BLOCKS = 10_000;

/** Time in which the notifications of earlier blocks wait for new blocks. */
const MAX_PAUSE_MS = 1_000;

/** Reads of a stored block, a second apart, after which no node is expected to have it again. */
const MAX_UNAVAILABLE = 60;

export interface ChainSyncOptions {
  readonly feed: Pick<ChainFeed, 'head' | 'pathBetween'>;
  readonly database: Database;
  readonly writer: BlockWriter;
  readonly readChain: ReadChain;
  readonly findToken: FindToken;
  /** Name of the network in notifications. */
  readonly network: string;
  readonly log: Logger;
}

/** Processes the blocks of the followed chain in their order, from the last processed block to the head. */
export class ChainSync {
  readonly #options: ChainSyncOptions;
  /** Reads without a result of the block that is not complete. */
  #unavailable = 0;
  #advancedAt = performance.now();

  constructor(options: ChainSyncOptions) {
    this.#options = options;
  }

  /**
   * Processes one block, or reverts one. Resolves with false where there is nothing to do until the head changes. Each step starts from what
   * is stored, so that a step which fails, or another server, leaves nothing half done.
   */
  async step(): Promise<boolean> {
    const { feed, database } = this.#options;
    const tip = await readTip(database.query);
    const { head } = feed;
    if (!head) return false;
    if (tip?.hash === head.hash) return this.#advance();
    try {
      if (!tip) await this.#append(head, undefined);
      else if (!(await this.#stepTowards(head, tip))) return this.#advance();
    } catch (error) {
      if (!(error instanceof TipMovedError)) throw error;
    }
    // New blocks come first; those with many notifications go on nevertheless.
    if (performance.now() - this.#advancedAt > MAX_PAUSE_MS) await this.#advance();
    return true;
  }

  /** Stores some notifications of the first block that is not complete. Resolves with false when all blocks are. */
  async #advance(): Promise<boolean> {
    const { database, writer } = this.#options;
    if (!writer.isOpen) {
      const block = await readIncomplete(database.query);
      if (!block) return false;
      try {
        writer.reopen(await this.#read(block.hash));
        this.#unavailable = 0;
      } catch (error) {
        if (!hasCode(error, 'BLOCK_NOT_AVAILABLE') || ++this.#unavailable < MAX_UNAVAILABLE) throw error;
        this.#unavailable = 0;
        await writer.abandon(block);
        return true;
      }
    }
    await writer.advance();
    this.#advancedAt = performance.now();
    return true;
  }

  async #stepTowards(head: Head, tip: BlockPosition): Promise<boolean> {
    const { feed, writer } = this.#options;
    const path = feed.pathBetween(tip.hash, head);
    if (!path) return this.#catchUp(head, tip);
    await (path.removed.length > 0 ? writer.revert(tip) : this.#append(path.added[0]!, tip.hash));
    return true;
  }

  /** A step from a block that the feed does not know, such as the last one before a restart. */
  async #catchUp(head: Head, tip: BlockPosition): Promise<boolean> {
    const { database, writer, log } = this.#options;
    // The node is behind: it has not imported the last processed block again.
    if (tip.height > head.height && (await readHashAt(database.query, head.height)) === head.hash) return false;
    if (tip.height >= head.height) {
      await writer.revert(tip);
      return true;
    }
    const skipped = head.height - tip.height;
    const isNeeded = await this.#isNeeded();
    if (isNeeded && skipped <= MAX_CATCH_UP_BLOCKS) {
      const next = await this.#read(quantityOf(tip.height + 1));
      await (next.parentHash === tip.hash ? writer.append(next, tip.hash) : writer.revert(tip));
      return true;
    }
    if ((await hasNotifications(database.query)) && !(await this.#isCanonical(tip))) await writer.revert(tip);
    else {
      if (isNeeded) log.warn({ from: tip.height, to: head.height }, 'the webhooks of skipped blocks are not derived: too many');
      await this.#append(head, tip.hash);
    }
    return true;
  }

  /** Reads and adds a block; reads nothing while neither a registration nor a received activity is about its contents. */
  async #append(head: Head, tip: Data | undefined): Promise<void> {
    const { database, network, writer } = this.#options;
    const isRead = (await this.#isNeeded()) || (await hasRemovedActivity(database.query, network, head.height));
    await writer.append(isRead ? await this.#read(head.hash) : head, tip);
  }

  #read(ref: BlockRef): Promise<ReadBlock> {
    const { database, readChain, findToken } = this.#options;
    const findRegistered = (addresses: readonly Data[]) => registeredAddresses(database.query, addresses);
    return readChain((snapshot) => readBlock(snapshot, ref, { findRegistered, findToken }));
  }

  async #isCanonical({ height, hash }: BlockPosition): Promise<boolean> {
    const block = await this.#options.readChain(({ calls }) => calls.refetch(blockBy, quantityOf(height), false));
    return sameData(block?.hash, hash);
  }

  async #isNeeded(): Promise<boolean> {
    const [row] = await this.#options.database.query<{ needed: boolean }>(
      `select exists (select 1 from webhooks where active and type <> 'GAS_PRICE')
         or exists (select 1 from watched_transactions where settled_height is null) as needed`,
    );
    return row!.needed;
  }
}
