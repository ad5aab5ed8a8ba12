import type pg from 'pg';
import { abortableSleep } from '../../../lib/abort.ts';
import type { Database } from '../store/database.ts';

export interface LeadershipOptions {
  readonly database: Pick<Database, 'connect'>;
  /** Key of the advisory lock that the leader holds. */
  readonly key: number;
  /** Interval between two attempts to become the leader. */
  readonly retryMs: number;
  /** Runs while this server leads: until the signal aborts, because the server stops or has lost the lock. Must not reject. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

/**
 * Leads whenever no other server on the database does. The leader holds a session lock over a connection of its own, so that PostgreSQL
 * releases the lock as soon as its holder dies. Returns a function that stops it.
 */
export function startLeadership({ database, key, retryMs, lead }: LeadershipOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Resolves when the connection is lost or the server stops. */
  const campaign = async (client: pg.Client): Promise<void> => {
    const term = new AbortController();
    const endTerm = () => term.abort();
    client.once('end', endTerm);
    client.on('error', endTerm);
    signal.addEventListener('abort', endTerm, { once: true });
    try {
      while (!term.signal.aborted && !signal.aborted) {
        const { rows } = await client.query<{ leads: boolean }>('select pg_try_advisory_lock($1) as leads', [key]);
        if (rows[0]!.leads) await lead(term.signal);
        else await abortableSleep(retryMs, term.signal);
      }
    } finally {
      signal.removeEventListener('abort', endTerm);
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let client: pg.Client | undefined;
      try {
        client = await database.connect();
        await campaign(client);
      } catch {
        // The database is down; its own log says so.
      } finally {
        await client?.end().catch(() => {});
      }
      await abortableSleep(retryMs, signal);
    }
  };
  const ended = run();
  return () => {
    stopping.abort();
    return ended;
  };
}
