import type pg from 'pg';
import { GraphError } from '../../../errors.ts';
import type { Query } from './query.ts';

export const storeUnavailableError = (cause?: unknown): GraphError =>
  new GraphError('STORE_UNAVAILABLE', 'The database of the webhooks does not respond. Try again in a moment.', { cause });

/** For connections whose failures are reported by their statements. */
export const ignoreError = (): void => {};

/** Statements over the connections of a pool. They reject with STORE_UNAVAILABLE when the database does not respond. */
export interface PoolStatements {
  readonly query: Query;
  /** Runs statements in one transaction. The caller must not assume that nothing was committed after a rejection. */
  transaction<T>(run: (query: Query) => Promise<T>): Promise<T>;
}

export function poolStatements(getPool: () => pg.Pool | Promise<pg.Pool>): PoolStatements {
  const withClient = async <T>(run: (query: Query) => Promise<T>): Promise<T> => {
    let client: pg.PoolClient | undefined;
    let failure: Error | undefined;
    try {
      client = await (await getPool()).connect();
      client.on('error', ignoreError);
      return await run(queryOf(client));
    } catch (error) {
      failure = error as Error;
      throw error instanceof GraphError ? error : storeUnavailableError(error);
    } finally {
      // A failed connection may still run its statement, so it is closed instead of reused.
      client?.release(failure);
      client?.off('error', ignoreError);
    }
  };
  return {
    query: (text, values) => withClient((query) => query(text, values)),
    transaction: (run) =>
      withClient(async (query) => {
        await query('begin');
        const result = await run(query);
        await query('commit');
        return result;
      }),
  };
}

export const queryOf =
  (client: pg.ClientBase): Query =>
  async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows;

/** Runs statements of a connection that is used afterwards in one transaction, which is rolled back if they fail. */
export async function inTransaction(query: Query, run: (query: Query) => Promise<void>): Promise<void> {
  await query('begin');
  try {
    await run(query);
    await query('commit');
  } catch (error) {
    await query('rollback').catch(() => {});
    throw error;
  }
}
