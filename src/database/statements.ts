import type pg from 'pg';
import type { QueryResultRow } from 'pg';
import { connectionFailure, GraphError } from '../lib/errors.ts';

/** Runs one statement of PostgreSQL and resolves with its rows. */
export type Query = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Why PostgreSQL refuses the server, by SQLSTATE. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'rejects the user or the password of DATABASE_URL',
  '28000': 'rejects the user of DATABASE_URL',
  '3D000': 'does not exist on the server of DATABASE_URL',
  '42501': 'does not allow the user of DATABASE_URL to create or use its tables',
};

/** A timeout, or an error that only its text describes. */
export const UNKNOWN_PROBLEM = 'does not respond';

/** What is wrong with the database, as the end of a sentence, from the failure of a connection. */
export function databaseProblem(cause?: unknown): string {
  const state = sqlStateOf(cause);
  return REFUSALS[state] ?? (/^[A-Z]{4}/.test(state) ? connectionFailure('', cause).slice(1, -1) : UNKNOWN_PROBLEM);
}

/** STORE_UNAVAILABLE. The cause is logged, not shown: it may contain the name of a host or of a user. */
export const storeUnavailableError = (cause?: unknown): GraphError =>
  new GraphError('STORE_UNAVAILABLE', `The database ${databaseProblem(cause)}. Try again in a moment.`, {
    cause,
  });

/** SQL that formats a time as `Date.toISOString` does, so that rows have the format of the model. */
export const isoTime = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** PostgreSQL accepts neither character: NUL ends a text, and a lone surrogate becomes U+FFFD. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Whether PostgreSQL can store a text. A text that PostgreSQL cannot store is no stored id. */
export const isStorable = (text: string): boolean => !UNSTORABLE.test(text);

/** SQLSTATEs of writes that fail while reads succeed. */
const READ_ONLY = '25006';
const DISK_FULL = '53100';

/** The SQLSTATE of an error that PostgreSQL has reported; empty for an error of the connection. */
const sqlStateOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

/** Whether a statement has failed because of its values (class 22) or a constraint (class 23), so that the connection and the database work. */
const isRejectedValue = (error: unknown): boolean => /^2[23]...$/.test(sqlStateOf(error));

/** Whether a statement has been rejected because the disk of the database is full. */
export const isDiskFull = (error: unknown): boolean => error instanceof GraphError && sqlStateOf(error.cause) === DISK_FULL;

/** The error of a failed statement by its SQLSTATE. The cause may contain values of a row, which are not shown. */
function statementError(cause: unknown): GraphError {
  const state = sqlStateOf(cause);
  if (state === READ_ONLY || state === DISK_FULL) {
    const message = 'The database cannot be written: it is read-only, or its disk is full. Try again later.';
    return new GraphError('STORE_UNAVAILABLE', message, { cause });
  }
  if (!isRejectedValue(cause)) return storeUnavailableError(cause);
  if (state.startsWith('23')) return new GraphError('INTERNAL_SERVER_ERROR', 'Something went wrong in this server.', { cause });
  const message = 'A value cannot be stored. Pass well-formed text without U+0000, and numbers within their limits.';
  return new GraphError('BAD_USER_INPUT', message, { cause });
}

/** Error listener of connections whose statements report their failures. */
export const ignoreError = (): void => {};

/** Statements of PostgreSQL. They reject with the code of their SQLSTATE, and with STORE_UNAVAILABLE without a response. */
export interface Statements {
  readonly query: Query;
  /** Runs statements in one transaction. The caller must not assume that nothing was committed after a rejection. */
  transaction<T>(run: (query: Query) => Promise<T>): Promise<T>;
}

/** Creates the statements over the connections of a pool. */
export function poolStatements(getPool: () => pg.Pool | Promise<pg.Pool>): Statements {
  const withClient = async <T>(run: (query: Query) => Promise<T>): Promise<T> => {
    const connect = async () => (await getPool()).connect();
    const client = await connect().catch((error) => {
      throw storeUnavailableError(error);
    });
    let failure: Error | undefined;
    const query: Query = async (text, values) => {
      if (failure) throw statementError(failure);
      try {
        return await queryOf(client)(text, values);
      } catch (error) {
        if (!isRejectedValue(error)) failure = error as Error;
        throw statementError(error);
      }
    };
    client.on('error', ignoreError);
    try {
      return await run(query);
    } finally {
      // A failed connection may still run its statement, so it is closed instead of reused.
      client.release(failure);
      client.off('error', ignoreError);
    }
  };
  return {
    query: (text, values) => withClient((query) => query(text, values)),
    transaction: (run) => withClient((query) => inTransaction(query, run)),
  };
}

export const queryOf =
  (client: pg.ClientBase): Query =>
  async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows;

/** Runs statements in one transaction of a connection that stays in use; a failure rolls the transaction back. */
export async function inTransaction<T>(query: Query, run: (query: Query) => Promise<T>): Promise<T> {
  await query('begin');
  try {
    const result = await run(query);
    await query('commit');
    return result;
  } catch (error) {
    await query('rollback').catch(ignoreError);
    throw error;
  }
}
