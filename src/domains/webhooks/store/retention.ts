import type { Logger } from 'pino';
import type { EventStore } from './event-store.ts';

const INTERVAL_MS = 3_600_000;

/** Deletes expired events at the start and every hour. */
export function startRetention(store: EventStore, retentionDays: number, log: Logger): { stop(): void } {
  const run = (): void => {
    store.deleteExpired(retentionDays).catch((err) => log.debug({ err }, 'expired webhook events cannot be deleted'));
  };
  const timer = setInterval(run, INTERVAL_MS);
  timer.unref();
  run();
  return { stop: () => clearInterval(timer) };
}
