import { onAbort } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { ADVISORY_LOCKS } from '../store/migrations.ts';
import { startLeadership } from './leadership.ts';
import type { DerivationOptions, DerivationStatus, DerivationTiming } from './options.ts';
import { leadDerivation } from './term.ts';

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
