import type { Data } from '../../../ethereum/hex.ts';
import type { Query } from '../store/statements.ts';

/** Blocks whose notifications stay stored: a reorg of 256 blocks, and the maximum number of confirmations. */
export const STORED_BLOCKS = 256 + 64;

/** The position of a block in the chain. */
export interface BlockPosition {
  readonly height: number;
  /** Lower case. */
  readonly hash: Data;
  /** Empty where it is unknown. */
  readonly parentHash: Data;
}

interface BlockRow {
  readonly height: string;
  readonly hash: Data;
  readonly parent_hash: Data;
}

const BLOCK_COLUMNS = 'height, hash, parent_hash';

const toPosition = ({ height, hash, parent_hash }: BlockRow): BlockPosition => ({
  height: Number(height),
  hash,
  parentHash: parent_hash,
});

/** The block that was processed last; undefined before the first. */
export async function readTip(query: Query): Promise<BlockPosition | undefined> {
  const [row] = await query<BlockRow>(`select ${BLOCK_COLUMNS} from derived_blocks order by height desc limit 1`);
  return row && toPosition(row);
}

/** The lowest block that is not complete. */
export async function readIncomplete(query: Query): Promise<BlockPosition | undefined> {
  const [row] = await query<BlockRow>(`select ${BLOCK_COLUMNS} from derived_blocks where not complete order by height limit 1`);
  return row && toPosition(row);
}

/** The hash of the processed block of a height. */
export async function readHashAt(query: Query, height: number): Promise<Data | undefined> {
  const [row] = await query<{ hash: Data }>('select hash from derived_blocks where height = $1', [height]);
  return row?.hash;
}

/** Stores a block, and deletes those that are too old. `complete`: whether all that it notifies of is stored. */
export async function insertBlock(query: Query, { height, hash, parentHash }: BlockPosition, complete: boolean): Promise<void> {
  await query('insert into derived_blocks (height, hash, parent_hash, complete) values ($1, $2, $3, $4)', [
    height,
    hash,
    parentHash,
    complete,
  ]);
  await query('delete from derived_blocks where height <= $1', [height - STORED_BLOCKS]);
  await query('delete from watched_transactions where settled_height <= $1', [height - STORED_BLOCKS]);
}

/** Records whether all of a block is processed. */
export const markComplete = async (query: Query, { height }: BlockPosition, complete: boolean): Promise<void> => {
  await query('update derived_blocks set complete = $2 where height = $1', [height, complete]);
};

/** Parent of a block of which only the hash is known. */
const UNKNOWN_PARENT = '';

/** Removes the last processed block, with its deliveries that wait. Its parent becomes the last one, also where it was not processed. */
export async function deleteBlock(query: Query, { height, parentHash }: BlockPosition): Promise<void> {
  await query('delete from derived_blocks where height = $1', [height]);
  if (parentHash === UNKNOWN_PARENT || height === 0) return;
  await query(
    `insert into derived_blocks (height, hash, parent_hash, complete) select $1, $2, $3, true
     where not exists (select 1 from derived_blocks)`,
    [height - 1, parentHash, UNKNOWN_PARENT],
  );
}
