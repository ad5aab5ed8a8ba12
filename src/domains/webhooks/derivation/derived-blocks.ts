import type { Data } from '../../../ethereum/hex.ts';
import type { ChainQuery } from '../store/chain-statements.ts';
import type { StoredNotification } from './stored-notifications.ts';

/** Number of blocks whose notifications stay stored: a reorg of 256 blocks, and the maximum number of confirmations. */
export const STORED_BLOCKS = 256 + 64;

/** Parent hash of a block whose parent is unknown. */
export const UNKNOWN_PARENT = '';

/** The position of a block in the chain. */
export interface BlockPosition {
  readonly height: number;
  /** Lower case. */
  readonly hash: Data;
  /** Empty if it is unknown. */
  readonly parentHash: Data;
}

/** Order by `derived_blocks.height`: only the column has an index. */
async function readPosition(query: ChainQuery, selection: string): Promise<BlockPosition | undefined> {
  const [row] = await query<BlockPosition>(
    `select height::double precision as height, hash, parent_hash as "parentHash" from derived_blocks
     where chain_id = $1 ${selection} limit 1`,
    [query.chainId],
  );
  return row;
}

/** The last processed block; undefined before the first block. */
export const readTip = (query: ChainQuery) => readPosition(query, 'order by derived_blocks.height desc');

/** The lowest incomplete block. */
export const readIncomplete = (query: ChainQuery) => readPosition(query, 'and not complete order by derived_blocks.height');

/** The hash of the processed block of a height. */
export async function readHashAt(query: ChainQuery, height: number): Promise<Data | undefined> {
  const statement = 'select hash from derived_blocks where chain_id = $1 and height = $2';
  const [row] = await query<{ hash: Data }>(statement, [query.chainId, height]);
  return row?.hash;
}

/**
 * Stores a block, and deletes blocks that are too old. `complete`: whether all notifications of the block are stored.
 */
export async function insertBlock(
  query: ChainQuery,
  { height, hash, parentHash }: BlockPosition,
  complete: boolean,
): Promise<void> {
  const { chainId } = query;
  const statement = 'insert into derived_blocks (chain_id, height, hash, parent_hash, complete) values ($1, $2, $3, $4, $5)';
  await query(statement, [chainId, height, hash, parentHash, complete]);
  await query('delete from derived_blocks where chain_id = $1 and height <= $2', [chainId, height - STORED_BLOCKS]);
  await query('delete from watched_transactions where chain_id = $1 and settled_height <= $2', [chainId, height - STORED_BLOCKS]);
}

/** Records whether all of a block is processed. */
export const markComplete = async (query: ChainQuery, { height }: BlockPosition, complete: boolean): Promise<void> => {
  const statement = 'update derived_blocks set complete = $3 where chain_id = $1 and height = $2';
  await query(statement, [query.chainId, height, complete]);
};

/**
 * Removes the last processed block, with its waiting deliveries. Its parent becomes the last processed block, even if
 * the parent was never processed.
 */
export async function deleteBlock(query: ChainQuery, { height, parentHash }: BlockPosition): Promise<void> {
  await query('delete from derived_blocks where chain_id = $1 and height = $2', [query.chainId, height]);
  if (parentHash === UNKNOWN_PARENT || height === 0) return;
  const statement = `insert into derived_blocks (chain_id, height, hash, parent_hash, complete) select $1, $2, $3, $4, true
     where not exists (select 1 from derived_blocks where chain_id = $1)`;
  await query(statement, [query.chainId, height - 1, parentHash, UNKNOWN_PARENT]);
}

/** Stores the notifications of a block. Fails for a notification that is already stored. */
export async function insertBlockNotifications(query: ChainQuery, height: number, notifications: readonly StoredNotification[]) {
  // The stored event has the content, unless the events of a notification service have the content or some of its
  // transfers.
  const isOwn = ({ content, eventId, shown }: StoredNotification): boolean =>
    eventId === null || (content.type === 'ADDRESS_ACTIVITY' && shown.length < content.activity.length);
  const rows = notifications.map((one) => ({ ...one, content: isOwn(one) ? one.content : undefined }));
  const statement = `insert into derived_notifications (chain_id, height, app, key, event_id, content, shown)
     select $1, $2, new.* from jsonb_to_recordset($3) as new (app text, key text, "eventId" text, content jsonb, shown integer[])`;
  await query(statement, [query.chainId, height, JSON.stringify(rows)]);
}

/** Returns the keys in this list whose notifications are stored for a block. */
export async function readStoredKeys(query: ChainQuery, height: number, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const statement = 'select key from derived_notifications where chain_id = $1 and height = $2 and key = any($3::text[])';
  return new Set((await query<{ key: string }>(statement, [query.chainId, height, keys])).map(({ key }) => key));
}

/** Maximum number of notifications that one transaction removes: some megabytes. */
const MAX_TAKEN = 10;

/**
 * Takes some notifications of a block; an empty list means that no notification is left. Omits content that the
 * retention has deleted.
 */
export const takeBlockNotifications = (query: ChainQuery, height: number): Promise<readonly StoredNotification[]> =>
  query<StoredNotification>(
    `with taken as (
       delete from derived_notifications where chain_id = $1 and height = $2 and (app, key) in
         (select app, key from derived_notifications where chain_id = $1 and height = $2 order by app, key limit ${MAX_TAKEN}) returning *
     )
     select taken.app, key, event_id as "eventId", shown,
       coalesce(taken.content, webhook_events.content, '{"type": "ADDRESS_ACTIVITY", "activity": []}') as content
     from taken left join webhook_events on webhook_events.id = event_id`,
    [query.chainId, height],
  );

/** Whether any stored block has notifications, which a reorg would remove. */
export const hasNotifications = async (query: ChainQuery): Promise<boolean> =>
  (await query('select 1 from derived_notifications where chain_id = $1 limit 1', [query.chainId])).length > 0;
