import type pg from 'pg';
import { abortableSleep, onAbort } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { Database } from '../store/database.ts';
import { ADVISORY_LOCKS } from '../store/migrations.ts';
import type { DerivationOptions, DerivationStatus, DerivationTiming } from './options.ts';
import { leadDerivation } from './term.ts';

interface LeadershipOptions {
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
function startLeadership({ database, key, retryMs, lead }: LeadershipOptions): () => Promise<void> {
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

export interface Derivation {
  readonly status: Readonly<DerivationStatus>;
  /** Resolves when the running transaction has ended. */
  stop(): Promise<void>;
}

const DEFAULT_TIMING: DerivationTiming = { retryMs: 1_000, minuteMs: 60_000 };

/**
 * Starts to derive the events of registrations from the followed chain, while no other server on the database does. Another server continues
 * after the last processed block within seconds once this one dies.
 */
export function startDerivation(options: DerivationOptions & { readonly timing?: Partial<DerivationTiming> }): Derivation {
  const status: DerivationStatus = {
    isLeading: false,
    height: undefined,
    waitingSince: undefined,
    skipped: { count: 0, at: 0 },
    unwatched: 0,
  };
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const stop = startLeadership({
    database: options.database,
    key: ADVISORY_LOCKS.derivation,
    retryMs: timing.retryMs,
    async lead(signal) {
      const term = new AbortController();
      const end = () => term.abort(new GraphError('SHUTTING_DOWN', 'This server no longer derives the events of webhooks.'));
      onAbort(signal, end);
      if (signal.aborted) end();
      status.isLeading = true;
      await leadDerivation({ ...options, timing, status }, term.signal);
      status.isLeading = false;
    },
  });
  return { status, stop };
}
