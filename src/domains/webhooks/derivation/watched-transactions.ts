import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { NotifiedTransaction } from '../model.ts';
import type { Query } from '../store/statements.ts';

/** Pending transactions of one application that are watched at a time; later ones are not. */
export const MAX_WATCHED = 2_000;
/** After this time a transaction whose nonce was used in a block that was not seen is no longer watched. */
const WATCH_DAYS = 7;
/** Bytes of the contents that one statement writes or reads, unless one content has more. */
const MAX_CONTENT_BYTES = 1024 * 1024;
/** Transactions of one check, and the bytes with which the node responds to it. */
const MAX_CHECKED = 500;
/** Contents of one transaction, which creates a delivery of each for every registration. */
const MAX_READ = 50;
const MAX_CHECKED_BYTES = 4 * 1024 * 1024;

/** A watched transaction without its content. */
export interface PendingTransaction {
  readonly hash: Data;
  readonly sender: Data;
  /** Of the content. */
  readonly bytes: number;
}

export interface CheckedTransaction extends PendingTransaction {
  readonly nonce: Quantity;
  /** When a check first found that the node does not have it; null while the node has it. */
  readonly missingSince: Date | null;
}

/** A transaction and the applications that watch it. */
export interface NewWatch {
  readonly transaction: NotifiedTransaction;
  readonly apps: readonly string[];
}

const PENDING_PLACE = { blockHash: null, blockNumber: null, transactionIndex: null };

/**
 * Starts to watch transactions, or watches on. Returns the applications that have MAX_WATCHED, with the number of their transactions that are
 * not watched.
 */
export async function watchTransactions(query: Query, watches: readonly NewWatch[]): Promise<ReadonlyMap<string, number>> {
  const rejected = new Map<string, number>();
  const free = await readFree(query, [...new Set(watches.flatMap(({ apps }) => apps))]);
  const known = await readWatches(query, watches);
  const accepted = watches.flatMap(({ transaction, apps }) => {
    const permitted = apps.filter((app) => {
      if (known.has(watchKey(app, transaction.hash))) return true;
      const room = free.get(app)!;
      if (room > 0) free.set(app, room - 1);
      else rejected.set(app, (rejected.get(app) ?? 0) + 1);
      return room > 0;
    });
    const content = JSON.stringify({ ...transaction, ...PENDING_PLACE });
    return permitted.length > 0 ? [{ transaction, apps: permitted, content, bytes: content.length }] : [];
  });
  for (const part of partsByBytes(accepted)) {
    await query(
      `insert into watched_transactions (hash, sender, nonce, content, bytes, seen_at)
       select hash, sender, nonce, content, bytes, now()
       from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::integer[]) as new (hash, sender, nonce, content, bytes)
       on conflict (hash) do update set missing_since = null`,
      [
        part.map(({ transaction }) => transaction.hash),
        part.map(({ transaction }) => transaction.from),
        part.map(({ transaction }) => transaction.nonce),
        part.map(({ content }) => content),
        part.map(({ bytes }) => bytes),
      ],
    );
    const pairs = part.flatMap(({ transaction, apps }) => apps.map((app) => [app, transaction.hash] as const));
    await query(
      `insert into watched_transaction_apps (app, hash) select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
      [pairs.map(([app]) => app), pairs.map(([, hash]) => hash)],
    );
  }
  return rejected;
}

/** How many further transactions each application may watch. */
async function readFree(query: Query, apps: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ app: string; count: number }>(
    `select app, count(*)::integer as count from watched_transaction_apps join watched_transactions using (hash)
     where app = any($1::text[]) and settled_height is null group by app`,
    [apps],
  );
  const counts = new Map(rows.map(({ app, count }) => [app, count]));
  return new Map(apps.map((app) => [app, Math.max(0, MAX_WATCHED - (counts.get(app) ?? 0))]));
}

const watchKey = (app: string, hash: Data): string => `${hash} ${app}`;

async function readWatches(query: Query, watches: readonly NewWatch[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ app: string; hash: Data }>(
    'select app, hash from watched_transaction_apps where hash = any($1::text[])',
    [watches.map(({ transaction }) => transaction.hash)],
  );
  return new Set(rows.map(({ app, hash }) => watchKey(app, hash)));
}

/** Cuts a list into parts of at most `maxBytes` and `maxItems`, or of one item. */
function* partsByBytes<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  maxBytes = MAX_CONTENT_BYTES,
  maxItems = MAX_CHECKED,
): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; ) {
    let to = from + 1;
    for (let bytes = items[from]!.bytes; to < items.length && to - from < maxItems; to++) {
      bytes += items[to]!.bytes;
      if (bytes > maxBytes) break;
    }
    yield items.slice(from, to);
    from = to;
  }
}

const SENDER_AND_NONCE = `(sender, nonce) in (select * from unnest($1::text[], $2::text[]))`;

/** The watched transactions that these replace: those of the same sender and nonce with another hash. */
export async function readReplaced(query: Query, mined: readonly NotifiedTransaction[]): Promise<readonly PendingTransaction[]> {
  if (mined.length === 0) return [];
  return query<PendingTransaction>(
    `select hash, sender, bytes from watched_transactions
     where settled_height is null and ${SENDER_AND_NONCE} and hash <> all($3::text[]) order by seen_at, hash`,
    [mined.map(({ from }) => from), mined.map(({ nonce }) => nonce), mined.map(({ hash }) => hash)],
  );
}

/** Ends the watch of the transactions whose nonce a block has used, as long as the block is canonical. */
export async function settleTransactions(query: Query, mined: readonly NotifiedTransaction[], height: number): Promise<void> {
  if (mined.length === 0) return;
  await query(`update watched_transactions set settled_height = $3 where settled_height is null and ${SENDER_AND_NONCE}`, [
    mined.map(({ from }) => from),
    mined.map(({ nonce }) => nonce),
    height,
  ]);
}

/** Watches the transactions again whose nonce a removed block has used. */
export const unsettleTransactions = async (query: Query, height: number): Promise<void> => {
  await query('update watched_transactions set settled_height = null, missing_since = null where settled_height = $1', [height]);
};

/** Reads the contents of watched transactions in their order, a part at a time. */
export async function* readContents(
  query: Query,
  transactions: readonly PendingTransaction[],
): AsyncGenerator<readonly NotifiedTransaction[]> {
  for (const part of partsByBytes(transactions, MAX_CONTENT_BYTES, MAX_READ)) {
    const hashes = part.map(({ hash }) => hash);
    const rows = await query<{ hash: Data; content: NotifiedTransaction }>(
      'select hash, content from watched_transactions where hash = any($1::text[])',
      [hashes],
    );
    const byHash = new Map(rows.map(({ hash, content }) => [hash, content]));
    yield hashes.flatMap((hash) => byHash.get(hash) ?? []);
  }
}

/** Reads all watched transactions without their contents, in parts for one check each. */
export async function readWatched(query: Query): Promise<readonly (readonly CheckedTransaction[])[]> {
  const rows = await query<Omit<CheckedTransaction, 'missingSince'> & { missing_since: Date | null }>(
    `select hash, sender, nonce, bytes, missing_since from watched_transactions where settled_height is null order by seen_at, hash`,
  );
  const watched = rows.map(({ missing_since, ...transaction }) => ({ ...transaction, missingSince: missing_since }));
  return [...partsByBytes(watched, MAX_CHECKED_BYTES)];
}

/** Records for which of the checked transactions the node responded with null, and when it did so first. */
export const markMissing = async (query: Query, checked: readonly Data[], missing: readonly Data[], at: Date): Promise<void> => {
  await query(
    `update watched_transactions set missing_since = case when hash = any($2::text[]) then $3::timestamptz end
     where hash = any($1::text[]) and (missing_since is null) = (hash = any($2::text[]))`,
    [checked, missing, at],
  );
};

/** Ends the watch of these transactions. Returns the hashes of those that no block has settled. */
export async function unwatchTransactions(query: Query, hashes: readonly Data[]): Promise<ReadonlySet<Data>> {
  if (hashes.length === 0) return new Set();
  const rows = await query<{ hash: Data }>(
    'delete from watched_transactions where settled_height is null and hash = any($1::text[]) returning hash',
    [hashes],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Ends the watch of all transactions that are too old, or of all. */
export const unwatchOld = async (query: Query, { all = false }: { readonly all?: boolean } = {}): Promise<void> => {
  await query(`delete from watched_transactions where $1 or seen_at < now() - interval '${WATCH_DAYS} days'`, [all]);
};
