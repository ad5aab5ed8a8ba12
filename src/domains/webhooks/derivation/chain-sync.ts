import { type Data, quantityOf } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import { blockBy } from '../../../snapshot/state-methods.ts';
import type { Head } from '../../../sync/feed.ts';
import { activeRegistrations, registeredAddresses } from '../registrations/active-registrations.ts';
import type { ChainStatements } from '../store/chain-statements.ts';
import { type BlockLookups, type ReadBlock, type ReadChain, readBlock } from './block-reader.ts';
import { type BlockWriter, TipMovedError } from './block-writer.ts';
import {
  type BlockPosition,
  hasNotifications,
  readHashAt,
  readIncomplete,
  readTip,
  STORED_BLOCKS,
  UNKNOWN_PARENT,
} from './derived-blocks.ts';
import { createInternalReads } from './internal-transfers.ts';
import type { DerivationOptions, DerivedChain } from './options.ts';
import { hasReceivedActivity } from './received-activity.ts';

/**
 * Maximum number of blocks that are processed after a pause; after a longer pause, processing continues at the head.
 */
const MAX_CATCH_UP_BLOCKS = 10_000;

/** Time for which the notifications of earlier blocks wait for new blocks. */
const MAX_PAUSE_MS = 1_000;

/** Number of reads of a stored block, a second apart, after which the server assumes that no node will return it. */
const MAX_UNAVAILABLE = 60;

export interface ChainSyncOptions
  extends Pick<DerivedChain, 'feed'>,
    Pick<DerivationOptions, 'log'>,
    Pick<BlockLookups, 'findToken' | 'nativeAsset'> {
  readonly database: ChainStatements;
  readonly tracesBlocks: boolean;
  readonly writer: BlockWriter;
  readonly readChain: ReadChain;
  /** Name of the network in notifications. */
  readonly network: string;
}

/**
 * Processes the blocks of the followed chain in their order, from the last processed block to the head. Each call of
 * the returned function processes or reverts one block, and resolves with false when there is nothing to do until the
 * head changes. Each step starts from the stored state, so that a failed step, or a step of another server, is
 * completed later.
 */
export function createChainSync(options: ChainSyncOptions) {
  const { feed, database, writer, readChain, findToken, nativeAsset, tracesBlocks, network, log } = options;
  const { query } = database;
  /** Number of reads of the incomplete block that returned no block. */
  let unavailable = 0;
  let advancedAt = performance.now();

  const readInternal = tracesBlocks ? createInternalReads(log) : undefined;

  const read = async (ref: BlockRef): Promise<ReadBlock> => {
    const findRegistered = (addresses: readonly Data[]) => registeredAddresses(query, addresses);
    const isWatched = readInternal && (await activeRegistrations(query, 'ADDRESS_ACTIVITY')).length > 0;
    const lookups = { findRegistered, findToken, nativeAsset, ...(isWatched && { readInternal }) };
    return readChain((snapshot) => readBlock(snapshot, ref, lookups));
  };

  const hashAt = async (height: number): Promise<Data | undefined> =>
    (await readChain(({ calls }) => calls.refetch(blockBy, quantityOf(height), false)))?.hash.toLowerCase();

  /**
   * Reverts the last processed block. Below the first block that was ever processed, the node's block takes the place of the unknown parent, so that
   * the blocks above it are processed again.
   */
  const revert = async (tip: BlockPosition, parentHash = tip.parentHash): Promise<void> =>
    writer.revert({ ...tip, parentHash: parentHash || (tip.height > 0 && (await hashAt(tip.height - 1))) || UNKNOWN_PARENT });

  /** Whether anything concerns the contents of the blocks above one height and up to another. */
  const isNeeded = async (above: number, upTo: number): Promise<boolean> => {
    const [row] = await query<{ needed: boolean }>(
      `select exists (select 1 from webhooks where active and type <> 'GAS_PRICE' and chain_id = $1)
         or exists (select 1 from watched_transactions where settled_height is null and chain_id = $1) as needed`,
      [query.chainId],
    );
    return row!.needed || hasReceivedActivity(query, network, above, upTo, true);
  };

  /** Whether the events of the last blocks would have to be removed with their blocks. */
  const hasEvents = async ({ height }: BlockPosition): Promise<boolean> =>
    (await hasNotifications(query)) || hasReceivedActivity(query, network, height - STORED_BLOCKS, height, false);

  /** Reads and adds a block; reads nothing while nothing concerns its contents. */
  const append = async (head: Head, tip: Data | undefined): Promise<void> => {
    await writer.append((await isNeeded(head.height - 1, head.height)) ? await read(head.hash) : head, tip);
  };

  /** Stores some notifications of the first incomplete block. Resolves with false when all blocks are complete. */
  const advance = async (): Promise<boolean> => {
    if (!writer.isOpen()) {
      const block = await readIncomplete(query);
      if (!block) return false;
      try {
        writer.reopen(await read(block.hash));
        unavailable = 0;
      } catch (error) {
        if (!hasCode(error, 'BLOCK_NOT_AVAILABLE') || ++unavailable < MAX_UNAVAILABLE) throw error;
        unavailable = 0;
        await writer.abandon(block);
        return true;
      }
    }
    await writer.advance();
    advancedAt = performance.now();
    return true;
  };

  /**
   * A step from a block that the feed does not know, such as the last block before a restart. Resolves with whether the
   * step has changed anything.
   */
  const catchUp = async (head: Head, tip: BlockPosition): Promise<boolean> => {
    // The node lags: it has not imported the last processed block again.
    if (tip.height > head.height && (await readHashAt(query, head.height)) === head.hash) return false;
    const skipped = head.height - tip.height;
    const needed = await isNeeded(tip.height, head.height);
    if (skipped > 0 && needed && skipped <= MAX_CATCH_UP_BLOCKS) {
      const next = await read(quantityOf(tip.height + 1));
      await (next.parentHash === tip.hash ? writer.append(next, tip.hash) : revert(tip));
    } else if (skipped <= 0 || ((await hasEvents(tip)) && (await hashAt(tip.height)) !== tip.hash)) await revert(tip);
    else {
      if (needed) log.warn({ from: tip.height, to: head.height }, 'the webhooks of skipped blocks are not derived: too many');
      await append(head, tip.hash);
    }
    return true;
  };

  const stepTowards = async (head: Head, tip: BlockPosition | undefined): Promise<boolean> => {
    const path = tip && feed.pathBetween(tip.hash, head);
    if (tip && !path) return catchUp(head, tip);
    if (path && path.removed.length > 0) await revert(tip, path.removed[0]!.parentHash);
    // Before the first head is read: after a failed read, processing does not continue with a later head.
    else if (!tip && head.height > 0)
      await writer.append({ height: head.height - 1, hash: head.parentHash, parentHash: UNKNOWN_PARENT }, undefined);
    else await append(path?.added[0] ?? head, tip?.hash);
    return true;
  };

  return async (): Promise<boolean> => {
    const tip = await readTip(query);
    const { head } = feed;
    if (!head) return false;
    if (tip?.hash === head.hash) return advance();
    try {
      if (!(await stepTowards(head, tip))) return advance();
    } catch (error) {
      if (!(error instanceof TipMovedError)) throw error;
    }
    // New blocks have priority, but blocks with many notifications make progress, too.
    if (performance.now() - advancedAt > MAX_PAUSE_MS) await advance();
    return true;
  };
}
