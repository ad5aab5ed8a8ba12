import type pg from 'pg';
import { abortableSleep, onAbort } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Database } from './database.ts';

/**
 * Runs a task over a separate connection, whose session locks PostgreSQL releases as soon as the server dies. Repeats
 * the task over a new connection each time it ends, until `stopped` aborts. The signal of the task also aborts when its
 * connection ends. Resolves after the last task; never rejects.
 */
export async function holdConnection(
  database: Pick<Database, 'connect'>,
  retryMs: number,
  stopped: AbortSignal,
  run: (client: pg.Client, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!stopped.aborted) {
    // The log already contains the unavailable database.
    const client = await database.connect().catch(() => undefined);
    if (client && !stopped.aborted) {
      const lost = new AbortController();
      const end = (): void => lost.abort(new GraphError('SHUTTING_DOWN', 'The connection to the database has ended.'));
      client.once('end', end);
      client.on('error', end);
      const unregister = onAbort(stopped, end);
      await run(client, lost.signal).catch(() => {});
      unregister();
    }
    await client?.end().catch(() => {});
    await abortableSleep(retryMs, stopped);
  }
}
