import type { Data, Quantity } from '../../../ethereum/hex.ts';
import type { NotifiedTransaction } from '../model.ts';
import type { ChainQuery } from '../store/chain-statements.ts';
import { batchesOf, groupBy } from './batches.ts';

/** Maximum number of watched pending transactions of one application; later transactions are not watched. */
export const MAX_WATCHED = 2_000;
/**
 * After this time, a transaction is no longer watched if its nonce was used in a block that the server has not
 * processed.
 */
const WATCH_DAYS = 7;
/**
 * Maximum number of transactions that one statement writes, and maximum size of their input unless a single transaction
 * has more.
 */
const MAX_WRITTEN = { count: 500, bytes: 1024 * 1024 };
/** Maximum number of contents that one statement reads; most nodes limit a content to 256 KiB. */
const MAX_CONTENTS = 8;
/** Maximum size of the node's response to one check. */
const MAX_CHECKED_BYTES = 4 * 1024 * 1024;
/** Number of bytes that a small transaction counts as, so that a check has at most 512 transactions. */
const MIN_CHECKED_BYTES = 8 * 1024;

export interface CheckedTransaction {
  readonly hash: Data;
  readonly sender: Data;
  readonly nonce: Quantity;
  /** Time of the first check in which the node lacked the transaction; null while the node has it. */
  readonly missingSince: Date | null;
}

type HasHash = Pick<CheckedTransaction, 'hash'>;
const hashesOf = (transactions: readonly HasHash[]): readonly Data[] => transactions.map(({ hash }) => hash);

const PENDING_PLACE = { blockHash: null, blockNumber: null, transactionIndex: null };

/**
 * Starts or continues to watch the transactions of senders that DROPPED_TRANSACTION registrations contain. Returns the
 * applications that have reached MAX_WATCHED, with the number of their transactions that are not watched.
 */
export async function watchTransactions(query: ChainQuery, transactions: readonly NotifiedTransaction[]) {
  const rejected = new Map<string, number>();
  const parts = batchesOf(transactions, ({ inputData }) => inputData.length, MAX_WRITTEN.bytes, MAX_WRITTEN.count);
  for await (const part of parts) {
    const rows = await query<{ app: string; count: number }>(
      `with new as (
         select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) with ordinality as new (hash, sender, nonce, content, position)
       ), wanted as (
         select distinct app, hash, position from new
           join webhook_addresses on address = sender join webhooks on webhooks.id = webhook_id
         where active and chain_id = $5 and type = 'DROPPED_TRANSACTION'
       ), counted as (
         select app, count(*) as watched from watched_transaction_apps join watched_transactions using (chain_id, hash)
         where settled_height is null and app in (select app from wanted) group by app
       ), numbered as (
         select app, hash, row_number() over (partition by app order by position) + coalesce(watched, 0) as number
         from wanted left join counted using (app)
         where not exists (select from watched_transaction_apps as watch where watch.app = wanted.app and watch.chain_id = $5 and watch.hash = wanted.hash)
       ), accepted as (
         select app, hash from numbered where number <= ${MAX_WATCHED}
       ), inserted as (
         insert into watched_transactions (chain_id, hash, sender, nonce, content, bytes, seen_at)
           select $5, hash, sender, nonce, content, octet_length(content::text), now() from new
           where hash in (select hash from accepted) or exists (select from watched_transactions as known
             where known.chain_id = $5 and known.hash = new.hash)
         on conflict (chain_id, hash) do update set missing_since = null
       ), watches as (
         insert into watched_transaction_apps (chain_id, app, hash) select $5, app, hash from accepted on conflict do nothing
       )
       select app, count(*)::integer as count from numbered where number > ${MAX_WATCHED} group by app`,
      [
        hashesOf(part),
        part.map((transaction) => transaction.from),
        part.map(({ nonce }) => nonce),
        part.map((transaction) => JSON.stringify({ ...transaction, ...PENDING_PLACE })),
        query.chainId,
      ],
    );
    for (const { app, count } of rows) rejected.set(app, (rejected.get(app) ?? 0) + count);
  }
  return rejected;
}

const SENDER_AND_NONCE = `chain_id = $1 and settled_height is null and (sender, nonce) in (select * from unnest($2::text[], $3::text[]))`;

/** The watched transactions that mined transactions replace: their sender and nonce are equal, their hashes differ. */
export async function readReplaced(query: ChainQuery, mined: readonly NotifiedTransaction[]) {
  if (mined.length === 0) return [];
  return query<Pick<CheckedTransaction, 'hash' | 'sender'>>(
    `select hash, sender from watched_transactions where ${SENDER_AND_NONCE} and hash <> all($4::text[]) order by seen_at, hash`,
    [query.chainId, mined.map(({ from }) => from), mined.map(({ nonce }) => nonce), hashesOf(mined)],
  );
}

/** Ends the watch of the transactions whose nonce a block has used, while the block is canonical. */
export async function settleTransactions(query: ChainQuery, mined: readonly NotifiedTransaction[], height: number) {
  if (mined.length === 0) return;
  await query(`update watched_transactions set settled_height = $4 where ${SENDER_AND_NONCE}`, [
    query.chainId,
    mined.map(({ from }) => from),
    mined.map(({ nonce }) => nonce),
    height,
  ]);
}

/** Resumes the watch of the transactions whose nonce a removed block has used. */
export const unsettleTransactions = async (query: ChainQuery, height: number): Promise<void> => {
  const statement =
    'update watched_transactions set settled_height = null, missing_since = null where chain_id = $1 and settled_height = $2';
  await query(statement, [query.chainId, height]);
};

/** Reads the contents of watched transactions in their order, a part at a time. */
export async function* readContents(query: ChainQuery, transactions: readonly HasHash[]) {
  for await (const part of batchesOf(transactions, () => 1, MAX_CONTENTS)) {
    const rows = await query<{ content: NotifiedTransaction }>(
      'select content from watched_transactions where chain_id = $2 and hash = any($1::text[]) order by array_position($1, hash)',
      [hashesOf(part), query.chainId],
    );
    yield rows.map(({ content }) => content);
  }
}

/** Reads all watched transactions without their contents, in one part for each check. */
export async function readWatched(query: ChainQuery): Promise<readonly (readonly CheckedTransaction[])[]> {
  const rows = await query<CheckedTransaction & { readonly part: number }>(
    `select hash, sender, nonce, missing_since as "missingSince",
       floor(sum(greatest(bytes, ${MIN_CHECKED_BYTES})) over (order by seen_at, hash) / ${MAX_CHECKED_BYTES})::integer as part
     from watched_transactions where chain_id = $1 and settled_height is null order by seen_at, hash`,
    [query.chainId],
  );
  return [...groupBy(rows, ({ part }) => part).values()];
}

/** Records the checked transactions for which the node responded with null, and the time of the first null. */
export async function markMissing(query: ChainQuery, checked: readonly HasHash[], missing: readonly HasHash[], at: Date) {
  const statement = `update watched_transactions set missing_since = case when hash = any($2::text[]) then $3::timestamptz end
     where chain_id = $4 and hash = any($1::text[]) and (missing_since is null) = (hash = any($2::text[]))`;
  await query(statement, [hashesOf(checked), hashesOf(missing), at, query.chainId]);
}

/** Ends the watch of these transactions. Returns the hashes of the transactions that no block has settled. */
export async function unwatchTransactions(query: ChainQuery, transactions: readonly HasHash[]): Promise<ReadonlySet<Data>> {
  const statement = `delete from watched_transactions
     where chain_id = $1 and settled_height is null and hash = any($2::text[]) returning hash`;
  const rows = await query<{ hash: Data }>(statement, [query.chainId, hashesOf(transactions)]);
  return new Set(rows.map(({ hash }) => hash));
}

/** Ends the watch of the transactions that are too old, or of all transactions. */
export const unwatchOld = async (query: ChainQuery, { all = false }: { readonly all?: boolean } = {}): Promise<void> => {
  const isOld = `seen_at < now() - interval '${WATCH_DAYS} days'`;
  await query(`delete from watched_transactions where chain_id = $1 and ($2 or ${isOld})`, [query.chainId, all]);
};
