import { PositionConflictError, type SyncStore } from './sync.ts';

type Row = Record<string, unknown>;

/** Runs one statement with the values of `$1`, `$2`, … inside the transaction of a page. */
export type Query = (text: string, values?: unknown[]) => Promise<{ rows: Row[] }>;

/** A connection of a pool of `pg`. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[]; command?: string }>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** `PGlite`, or anything else that runs a function in a transaction and rolls it back if the function rejects. */
export interface TransactionalDatabase {
  transaction<T>(
    run: (transaction: { query(text: string, values?: unknown[]): Promise<{ rows: Row[] }> }) => Promise<T>,
  ): Promise<T>;
}

export interface PostgresStoreOptions<Log> {
  /** A `Pool` of `pg`, or a PGlite. */
  readonly database: PostgresPool | TransactionalDatabase;
  /** Name of the position. Syncs with different names are independent. */
  readonly name: string;
  /** Writes one log. Use only `query`, and wait for it. */
  readonly write: (query: Query, log: Log) => unknown;
  /** Undoes `write` of one log that a reorg has removed. */
  readonly remove: (query: Query, log: Log) => unknown;
  /**
   * Number of pages with logs that the store can undo when the node no longer has the block of the position. The store saves their logs a second time.
   * @default 128
   */
  readonly undoPages?: number | undefined;
}

const TABLES = `
create table if not exists grimoire_positions (
  name text primary key, cursor text not null, searched_to bigint not null, page bigint not null
);
create table if not exists grimoire_pages (
  name text not null, page bigint not null, after text, searched_to bigint, added json not null, removed json not null, primary key (name, page)
)`;

const EXISTING_TABLES = `select to_regclass('grimoire_positions') is not null and to_regclass('grimoire_pages') is not null as exist`;

/** A row of `grimoire_positions`. `page` counts the pages with logs. */
interface Position {
  readonly cursor: string;
  readonly searchedTo: number;
  readonly page: number;
}

/** A row of `grimoire_pages`: a page, and the position before it. */
interface UndoRow<Log> {
  readonly after: string | null;
  readonly searched_to: string | number | null;
  readonly added: readonly Log[];
  readonly removed: readonly Log[];
}

/** Processes that start at once would otherwise create the tables twice, which fails. Any number that no other lock has. */
const TABLES_LOCK = 4_716_233_905;

/**
 * Creates a store in PostgreSQL. Each page is one transaction: the rows of `write` and `remove`, and the position in the table `grimoire_positions`.
 * Creates its tables at the first call of `position`, on the search path of the connection.
 */
export function createPostgresStore<Log>(options: PostgresStoreOptions<Log>): SyncStore<Log> {
  const { database, name, write, remove, undoPages = 128 } = options;
  const transaction: <T>(run: (query: Query) => Promise<T>) => Promise<T> =
    'transaction' in database
      ? (run) => database.transaction((tx) => run((text, values) => tx.query(text, values)))
      : (run) => inTransaction(database, run);

  let areTablesCreated = false;
  const createTables = async (): Promise<void> => {
    if (areTablesCreated) return;
    await transaction(async (query) => {
      // `if not exists` fails, too, for a role that may not create tables.
      const { rows } = await query(EXISTING_TABLES);
      if (rows[0]?.exist === true) return;
      await query('select pg_advisory_xact_lock($1)', [TABLES_LOCK]);
      for (const statement of TABLES.split(';')) await query(statement);
    });
    areTablesCreated = true;
  };

  /** Reads the position and locks its row until the transaction ends. */
  const lockPosition = async (query: Query): Promise<Position | undefined> => {
    const { rows } = await query('select cursor, searched_to, page from grimoire_positions where name = $1 for update', [name]);
    return rows[0] && { cursor: String(rows[0].cursor), searchedTo: Number(rows[0].searched_to), page: Number(rows[0].page) };
  };

  const storePosition = async (query: Query, { cursor, searchedTo, page }: Position, isFirst: boolean): Promise<void> => {
    const statement = isFirst
      ? 'insert into grimoire_positions (name, cursor, searched_to, page) values ($1, $2, $3, $4) on conflict do nothing returning page'
      : 'update grimoire_positions set cursor = $2, searched_to = $3, page = $4 where name = $1 returning page';
    const { rows } = await query(statement, [name, cursor, searchedTo, page]);
    if (rows.length === 0) throw new PositionConflictError();
  };

  return {
    async position() {
      await createTables();
      const { rows } = await transaction((query) => query('select cursor from grimoire_positions where name = $1', [name]));
      return rows[0] && String(rows[0].cursor);
    },

    apply: ({ added, removed, after, cursor, searchedTo }) =>
      transaction(async (query) => {
        const before = await lockPosition(query);
        if (before?.cursor !== after) throw new PositionConflictError();
        const hasLogs = added.length + removed.length > 0;
        const page = (before?.page ?? 0) + (hasLogs ? 1 : 0);
        await storePosition(query, { cursor, searchedTo, page }, before === undefined);
        for (const log of removed) await remove(query, log);
        for (const log of added) await write(query, log);
        if (!hasLogs || undoPages === 0) return;
        await query(
          'insert into grimoire_pages (name, page, after, searched_to, added, removed) values ($1, $2, $3, $4, $5, $6)',
          [name, page, after ?? null, before?.searchedTo ?? null, JSON.stringify(added), JSON.stringify(removed)],
        );
        await query('delete from grimoire_pages where name = $1 and page <= $2', [name, page - undoPages]);
      }),

    rollback: (cursor) =>
      transaction(async (query) => {
        const position = await lockPosition(query);
        if (position?.cursor !== cursor) throw new PositionConflictError();
        const { page } = position;
        const { rows } = await query(
          'delete from grimoire_pages where name = $1 and page = $2 returning after, searched_to, added, removed',
          [name, page],
        );
        if (rows.length === 0) {
          // Without a page with logs before the position there is nothing to undo but the position.
          if (page > 0) return false;
          await query('delete from grimoire_positions where name = $1', [name]);
          return true;
        }
        const { after, searched_to, added, removed } = rows[0] as unknown as UndoRow<Log>;
        for (const log of added.toReversed()) await remove(query, log);
        for (const log of removed.toReversed()) await write(query, log);
        if (after === null) await query('delete from grimoire_positions where name = $1', [name]);
        else await storePosition(query, { cursor: after, searchedTo: Number(searched_to), page: page - 1 }, false);
        return true;
      }),

    isRetryable: isTransientPostgresError,
  };
}

/** SQLSTATEs without their class 08: shutdown and start of the server, too many connections, a read-only replica, deadlock, serialization, lock timeout. */
const TRANSIENT_STATES: ReadonlySet<unknown> = new Set(['57P01', '57P02', '57P03', '53300', '25006', '40001', '40P01', '55P03']);
const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);
/** Errors of `pg` that have no code. */
const CONNECTION_MESSAGE =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether an error of PostgreSQL may disappear by itself: a lost connection, a restart, a failover, or a conflict of transactions. */
export function isTransientPostgresError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && /^08...$/.test(code)) return true;
  return TRANSIENT_STATES.has(code) || CONNECTION_CODES.has(code) || CONNECTION_MESSAGE.test(String(message));
}

async function inTransaction<T>(pool: PostgresPool, run: (query: Query) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  // A connection that is lost rejects its query, too.
  const ignore = () => {};
  connection.on('error', ignore);
  let isCommitted = false;
  try {
    await connection.query('begin');
    const result = await run((text, values) => connection.query(text, values));
    const { command } = await connection.query('commit');
    if (command === 'ROLLBACK') throw new Error('A statement of `write` or `remove` has failed. Do not catch its error.');
    isCommitted = true;
    return result;
  } finally {
    // Closing a connection rolls its transaction back. The listener of a closed one stays: its error may follow.
    if (isCommitted) connection.removeListener('error', ignore);
    connection.release(!isCommitted);
  }
}
