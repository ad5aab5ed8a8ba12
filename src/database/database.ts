import type pg from 'pg';
import type { Logger } from 'pino';
import { abortableSleep, onAbort, untilAborted } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import { createOutageLog } from '../lib/outage-log.ts';
import { parseUrl } from '../lib/urls.ts';
import { migrate } from './migrations.ts';
import {
  databaseProblem,
  ignoreError,
  isDiskFull,
  poolStatements,
  type Query,
  queryOf,
  type Statements,
  storeUnavailableError,
  UNKNOWN_PROBLEM,
} from './statements.ts';

/** Maximum number of connections of one server besides the listening connection. */
const POOL_OPTIONS: pg.PoolConfig = { max: 5, idleTimeoutMillis: 30_000, allowExitOnIdle: true };
const CONNECT_TIMEOUT_MS = 2_000;
/** A write of 500 events takes a few milliseconds; a database that needs longer is treated as down. */
const QUERY_TIMEOUT_MS = 5_000;
/** Time that a request waits for a database that is being prepared at the start of the server. */
const PREPARE_WAIT_MS = 2_000;
const RETRY_INTERVAL_MS = 1_000;
/**
 * Time for which the server reports a write that failed because the disk is full, unless a later write succeeds.
 * Writers retry within this time.
 */
const FAILED_WRITE_MS = 30_000;

/** Changes the tables, over the connection that has applied the migrations. */
type Preparation = (query: Query) => Promise<void>;

export interface Database extends Statements {
  /** URL of the database; a promise while the embedded server starts. */
  readonly url: string | Promise<string>;
  /** Adds work that runs after the migrations, before any other statement. Call it in the tick in which the database is created. */
  prepareWith(preparation: Preparation): void;
  /** Rejects with STORE_UNAVAILABLE while the database is not prepared or cannot be written, and when the signal aborts. */
  check(signal?: AbortSignal): Promise<void>;
  /** Resolves with `databaseProblem` after the first attempt to prepare the database, or after two seconds; undefined if it is prepared. */
  startProblem(): Promise<string | undefined>;
  /** Connects a separate client, which the caller ends. */
  connect(): Promise<pg.Client>;
  stop(): Promise<void>;
}

/**
 * Connects to PostgreSQL and applies the migrations, and retries until both succeed: the server starts without its
 * database, and continues when the database is available again.
 */
export function createDatabase({ url, log }: Pick<Database, 'url'> & { readonly log: Logger }): Database {
  const stopping = new AbortController();
  const preparations: Preparation[] = [];
  let pool: pg.Pool | undefined;
  let preparing: pg.Client | undefined;
  let isPrepared = false;
  let prepareFailure: unknown;
  let failedWrite: { readonly error: unknown; readonly at: number } | undefined;
  let testWrite: Promise<unknown> | undefined;
  const outage = createOutageLog(log, 'the database fails', 'the database works again');
  /** Records whether the database works. Only writes show that it does, because reads succeed while it is read-only. */
  const record = async (failure: GraphError | undefined): Promise<void> => {
    if ((!failure && !outage.failure) || stopping.signal.aborted) return;
    if (failure) failure.endpoint = parseUrl(await Promise.resolve(url).catch(() => ''))?.host;
    outage.record(failure, databaseProblem(failure?.cause) === UNKNOWN_PROBLEM ? failure?.cause : undefined);
  };
  const rethrowRecorded = (error: unknown): never => {
    if (error instanceof GraphError && error.code === 'STORE_UNAVAILABLE') void record(error);
    throw error;
  };

  const createClient = async (options: pg.ClientConfig = {}): Promise<pg.Client> => {
    const { Client } = await loadClient();
    const client = new Client({ ...(await connectionOptions(url)), ...options });
    client.on('error', ignoreError);
    return client;
  };
  const statements = poolStatements(async () => {
    const { Pool } = await loadClient();
    const options = await connectionOptions(url);
    if (pool) return pool;
    pool = new Pool({ ...options, ...POOL_OPTIONS });
    // An idle connection fails when the database restarts, and emits `error`; the next statement connects again.
    pool.on('error', (err) => log.debug({ err }, 'an idle connection to the database has failed'));
    return pool;
  });

  const prepareOnce = async (): Promise<void> => {
    // A migration rewrites tables of any size, or waits for the server that runs the migration.
    const client = await createClient({ query_timeout: 0, statement_timeout: 0 });
    preparing = client;
    try {
      await client.connect();
      const query = queryOf(client);
      await migrate(query);
      for (const prepare of preparations) await prepare(query);
    } finally {
      await client.end().catch(ignoreError);
    }
    isPrepared = true;
  };
  const tryToPrepare = () =>
    prepareOnce().catch((error) => {
      prepareFailure = error;
    });
  const firstAttempt = tryToPrepare();
  const prepareUntilDone = async (): Promise<void> => {
    await firstAttempt;
    for (; !isPrepared && !stopping.signal.aborted; await tryToPrepare()) {
      await record(storeUnavailableError(prepareFailure));
      await abortableSleep(RETRY_INTERVAL_MS, stopping.signal);
    }
    if (isPrepared) await record(undefined);
  };
  const prepared = prepareUntilDone();

  const whenPrepared = async (): Promise<void> => {
    if (isPrepared) return;
    await untilAborted(prepared, AbortSignal.timeout(PREPARE_WAIT_MS));
    if (!isPrepared) throw storeUnavailableError(prepareFailure);
  };

  return {
    url,
    prepareWith: (preparation) => void preparations.push(preparation),
    async query(text, values) {
      await whenPrepared();
      return statements.query<never>(text, values).catch(rethrowRecorded);
    },
    async transaction(run) {
      await whenPrepared();
      try {
        const result = await statements.transaction(run);
        failedWrite = undefined;
        void record(undefined);
        return result;
      } catch (error) {
        if (isDiskFull(error)) failedWrite = { error, at: performance.now() };
        return rethrowRecorded(error);
      }
    },
    async check(signal) {
      if (!isPrepared) throw storeUnavailableError(prepareFailure);
      // The update below shows every other failure. It needs no space, so that it succeeds while the disk is full.
      if (failedWrite && performance.now() - failedWrite.at < FAILED_WRITE_MS) throw failedWrite.error;
      testWrite ??= statements
        .query('update grimoire_migrations set applied_at = applied_at')
        .then(() => record(undefined), rethrowRecorded)
        .finally(() => {
          testWrite = undefined;
        });
      const aborted = new Promise((_resolve, reject) => signal && onAbort(signal, () => reject(storeUnavailableError())));
      await Promise.race([testWrite, aborted]);
    },
    async startProblem() {
      await untilAborted(firstAttempt, AbortSignal.timeout(PREPARE_WAIT_MS));
      return isPrepared ? undefined : databaseProblem(prepareFailure);
    },
    async connect() {
      await whenPrepared();
      const client = await createClient();
      await client.connect();
      return client;
    },
    async stop() {
      stopping.abort();
      await preparing?.end().catch(ignoreError);
      await pool?.end();
    },
  };
}

/** The options of every connection to the database. */
export const connectionOptions = async (url: string | Promise<string>): Promise<pg.ClientConfig> => ({
  connectionString: await url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: QUERY_TIMEOUT_MS,
  statement_timeout: QUERY_TIMEOUT_MS,
  // A server whose machine has crashed must not hold the lock of the writers until TCP detects the loss.
  idle_in_transaction_session_timeout: QUERY_TIMEOUT_MS,
  application_name: 'grimoire',
  keepAlive: true,
});

let client: Promise<typeof pg> | undefined;

/** Loads the client of PostgreSQL, which a server without webhooks does not need: it takes 8 MB. */
export const loadClient = () => {
  client ??= import('pg').then((module) => module.default);
  return client;
};
