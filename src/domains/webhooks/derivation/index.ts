import { holdConnection } from '../../../database/held-connection.ts';
import { ADVISORY_LOCKS } from '../../../database/migrations.ts';
import { abortableSleep } from '../../../lib/abort.ts';
import type { DerivationOptions, DerivationStatus } from './options.ts';
import { leadDerivation } from './term.ts';

/**
 * Starts the derivation of the events of registrations from the followed chain. Only the server with the advisory lock
 * derives. If that server dies, another server continues after the last processed block within seconds.
 */
export function startDerivation(options: DerivationOptions) {
  const { database, timing = { retryMs: 1_000, minuteMs: 60_000 }, tracesBlocks = false } = options;
  const status: DerivationStatus = {
    ...{ isLeading: false, height: undefined, waitingSince: undefined },
    ...{ skipped: { count: 0, at: 0 }, unwatched: 0 },
  };
  const { stop } = holdConnection(database, timing.retryMs, async (client, signal) => {
    while (!signal.aborted) {
      const statement = 'select pg_try_advisory_lock($1) as leads';
      const { rows } = await client.query<{ leads: boolean }>(statement, [ADVISORY_LOCKS.derivation]);
      status.isLeading = rows[0]!.leads;
      if (status.isLeading) await leadDerivation({ ...options, timing, tracesBlocks, status, signal });
      else await abortableSleep(timing.retryMs, signal);
      status.isLeading = false;
    }
  });
  return { status: status as Readonly<DerivationStatus>, stop };
}
