import type { Data } from '../../../ethereum/hex.ts';
import type { NotifiedTransaction } from '../model.ts';
import type { Query } from '../store/query.ts';

/** Pending transactions that are watched at a time; later ones are not. */
const MAX_WATCHED = 10_000;
/** After this time a transaction whose nonce was used in a block that was not seen is no longer watched. */
const WATCH_DAYS = 7;

/** A pending transaction of a registered sender. */
export interface WatchedTransaction {
  readonly transaction: NotifiedTransaction;
  /** When a check first found that the node does not have it; null while the node has it. */
  readonly missingSince: Date | null;
}

interface WatchedRow {
  readonly hash: Data;
  readonly content: NotifiedTransaction;
  readonly missing_since: Date | null;
}

const PENDING_PLACE = { blockHash: null, blockNumber: null, transactionIndex: null };

/** Starts to watch transactions, or watches on. */
export async function watchTransactions(query: Query, transactions: readonly NotifiedTransaction[]): Promise<void> {
  if (transactions.length === 0) return;
  await query(
    `insert into watched_transactions (hash, sender, nonce, content, seen_at)
     select hash, sender, nonce, content, now() from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as new (hash, sender, nonce, content)
     where (select count(*) from watched_transactions) < ${MAX_WATCHED}
     on conflict (hash) do update set missing_since = null`,
    [
      transactions.map(({ hash }) => hash),
      transactions.map(({ from }) => from),
      transactions.map(({ nonce }) => nonce),
      transactions.map((transaction) => JSON.stringify({ ...transaction, ...PENDING_PLACE })),
    ],
  );
}

/**
 * Ends the watch of the transactions whose nonce a block has used. Returns them, and those of them that another transaction of the same
 * sender has replaced.
 */
export async function settleTransactions(query: Query, mined: readonly NotifiedTransaction[]) {
  if (mined.length === 0) return { settled: [], replaced: [] };
  const rows = await query<WatchedRow>(
    `delete from watched_transactions using
       (select distinct sender, nonce from unnest($1::text[], $2::text[]) as pair (sender, nonce)) as used
     where watched_transactions.sender = used.sender and watched_transactions.nonce = used.nonce returning hash, content`,
    [mined.map(({ from }) => from), mined.map(({ nonce }) => nonce)],
  );
  const hashes = new Set(mined.map(({ hash }) => hash));
  const settled = rows.map(({ content }) => content);
  return { settled, replaced: settled.filter(({ hash }) => !hashes.has(hash)) };
}

/** All watched transactions, the oldest first. */
export async function readWatched(query: Query): Promise<readonly WatchedTransaction[]> {
  const rows = await query<WatchedRow>('select hash, content, missing_since from watched_transactions order by seen_at, hash');
  return rows.map(({ content, missing_since }) => ({ transaction: content, missingSince: missing_since }));
}

/** Records for which transactions the node responded with null, and when it did so first. */
export const markMissing = async (query: Query, missing: readonly Data[], at: Date): Promise<void> => {
  await query(
    `update watched_transactions set missing_since = case when hash = any($1::text[]) then coalesce(missing_since, $2::timestamptz) end`,
    [missing, at],
  );
};

/** Ends the watch of these transactions. Returns the hashes of those that were watched. */
export async function unwatchTransactions(query: Query, hashes: readonly Data[]): Promise<ReadonlySet<Data>> {
  if (hashes.length === 0) return new Set();
  const rows = await query<{ hash: Data }>('delete from watched_transactions where hash = any($1::text[]) returning hash', [
    hashes,
  ]);
  return new Set(rows.map(({ hash }) => hash));
}

/** Ends the watch of all transactions that are too old, or of all. */
export const unwatchOld = async (query: Query, { all = false }: { readonly all?: boolean } = {}): Promise<void> => {
  await query(`delete from watched_transactions where $1 or seen_at < now() - interval '${WATCH_DAYS} days'`, [all]);
};
