import type { Data } from '../../../ethereum/hex.ts';
import type { NotifiedTransaction } from '../model.ts';
import type { Query } from '../store/query.ts';
import type { StoredNotification } from './stored-notifications.ts';

/** Blocks whose facts stay stored: a reorg of 256 blocks, below the maximum number of confirmations. */
export const STORED_BLOCKS = 256 + 64;

/** A delivery that waits for the confirmations of its registration. */
export interface WaitingDelivery {
  readonly id: string;
  readonly registrationId: string;
  readonly eventId: string | null;
  readonly body: string;
  /** Height of the block that confirms it. */
  readonly dueHeight: number;
}

/** What is stored with a processed block. Absent lists are empty. */
export interface StoredFacts {
  readonly notifications?: readonly StoredNotification[];
  readonly waiting?: readonly WaitingDelivery[];
  /** Pending transactions that the block has included or replaced. */
  readonly settled?: readonly NotifiedTransaction[];
}

/** The position of a block in the chain. */
export interface BlockPosition {
  readonly height: number;
  /** Lower case. */
  readonly hash: Data;
  /** Empty where it is unknown. */
  readonly parentHash: Data;
}

export interface DerivedBlock extends BlockPosition {
  readonly facts: StoredFacts;
}

interface BlockRow {
  readonly height: string;
  readonly hash: Data;
  readonly parent_hash: Data;
  readonly facts: StoredFacts;
}

const toBlock = ({ height, hash, parent_hash, facts }: BlockRow): DerivedBlock => ({
  height: Number(height),
  hash,
  parentHash: parent_hash,
  facts,
});

/** The block that was processed last; undefined before the first. */
export async function readTip(query: Query): Promise<DerivedBlock | undefined> {
  const [row] = await query<BlockRow>('select * from derived_blocks order by height desc limit 1');
  return row && toBlock(row);
}

/** The hash of the processed block of a height. */
export async function readHashAt(query: Query, height: number): Promise<Data | undefined> {
  const [row] = await query<{ hash: Data }>('select hash from derived_blocks where height = $1', [height]);
  return row?.hash;
}

/** Whether any stored block has notifications, which a reorg would remove. */
export async function hasNotifications(query: Query): Promise<boolean> {
  const rows = await query(`select 1 from derived_blocks where facts ? 'notifications' limit 1`);
  return rows.length > 0;
}

/** Stores a processed block, and deletes those that are too old. */
export async function insertBlock(query: Query, { height, hash, parentHash }: BlockPosition, facts: StoredFacts): Promise<void> {
  const nonEmpty = Object.fromEntries(Object.entries(facts).filter(([, list]) => list.length > 0));
  await query('insert into derived_blocks (height, hash, parent_hash, facts) values ($1, $2, $3, $4)', [
    height,
    hash,
    parentHash,
    JSON.stringify(nonEmpty),
  ]);
  await query('delete from derived_blocks where height <= $1', [height - STORED_BLOCKS]);
}

/** Parent of a block of which only the hash is known. */
const UNKNOWN_PARENT = '';

/** Removes the last processed block. Its parent becomes the last one, also where it was not processed. */
export async function deleteBlock(query: Query, { height, parentHash }: BlockPosition): Promise<void> {
  await query('delete from derived_blocks where height = $1', [height]);
  if (parentHash === UNKNOWN_PARENT || height === 0) return;
  await query(
    `insert into derived_blocks (height, hash, parent_hash, facts) select $1, $2, $3, '{}'
     where not exists (select 1 from derived_blocks)`,
    [height - 1, parentHash, UNKNOWN_PARENT],
  );
}

/** Takes the deliveries that a block of this height confirms out of the stored blocks. */
export async function takeDueDeliveries(query: Query, height: number): Promise<readonly WaitingDelivery[]> {
  const rows = await query<BlockRow>(`select * from derived_blocks where facts ? 'waiting' order by height`);
  const due: WaitingDelivery[] = [];
  for (const { height: blockHeight, facts } of rows) {
    const waiting = facts.waiting!.filter(({ dueHeight }) => dueHeight > height);
    if (waiting.length === facts.waiting!.length) continue;
    due.push(...facts.waiting!.filter(({ dueHeight }) => dueHeight <= height));
    await query(
      waiting.length > 0
        ? `update derived_blocks set facts = jsonb_set(facts, '{waiting}', $2::jsonb) where height = $1`
        : `update derived_blocks set facts = facts - 'waiting' where height = $1 and $2::jsonb is not null`,
      [blockHeight, JSON.stringify(waiting)],
    );
  }
  return due;
}
