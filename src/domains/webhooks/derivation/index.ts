import { holdConnection } from '../../../database/held-connection.ts';
import { ADVISORY_LOCKS } from '../../../database/migrations.ts';
import { abortableSleep } from '../../../lib/abort.ts';
import { CallerTurns } from '../../../lib/caller-turns.ts';
import { checkDerivation, type DerivationOptions, type DerivationStatus, type DerivedChain } from './options.ts';
import { leadDerivation } from './term.ts';

/**
 * Starts the derivation of the events of registrations from the followed chains. Only the server with the advisory lock
 * derives. If that server dies, another server continues after the last processed block within seconds.
 */
export function startDerivation(options: DerivationOptions) {
  const { database, timing = { retryMs: 1_000, minuteMs: 60_000 }, tracesBlocks = false } = options;
  const chains: (DerivedChain & { readonly status: DerivationStatus })[] = [];
  /** One transaction of all chains at a time: each would hold a connection while it waits for the lock of inserts. */
  const turns = new CallerTurns({ running: 1, runningOfCaller: 1 });
  const { stop } = holdConnection(database, timing.retryMs, async (client, signal) => {
    while (!signal.aborted) {
      const statement = 'select pg_try_advisory_lock($1) as leads';
      const { rows } = await client.query<{ leads: boolean }>(statement, [ADVISORY_LOCKS.derivation]);
      const lead = (chain: (typeof chains)[number]) => {
        chain.status.isLeading = true;
        const transaction: typeof database.transaction = (run) => turns.run(chain.chainId, () => database.transaction(run));
        return leadDerivation({ ...options, ...chain, database: { ...database, transaction }, timing, tracesBlocks, signal });
      };
      await (rows[0]!.leads ? Promise.all(chains.map(lead)) : abortableSleep(timing.retryMs, signal));
      for (const { status } of chains) status.isLeading = false;
    }
  });
  return {
    /** Adds a chain, which has the term of the server, and returns its status. Call it in the tick of the start. */
    add(chain: DerivedChain): Readonly<DerivationStatus> {
      const status = { isLeading: false, height: undefined, waitingSince: undefined, skipped: { count: 0, at: 0 }, unwatched: 0 };
      chains.push({ ...chain, status });
      return status;
    },
    /** Throws while this server derives the events of a chain but cannot derive all of them. */
    check(): void {
      for (const { status } of chains) checkDerivation(status);
    },
    stop,
  };
}
