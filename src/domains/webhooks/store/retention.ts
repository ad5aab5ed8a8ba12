import type { Logger } from 'pino';

const INTERVAL_MS = 3_600_000;

/** Rows that are deleted when they are old. */
export interface ExpiringStore {
  deleteExpired(retentionDays: number): Promise<void>;
}

/** Deletes the expired rows of stores at the start and every hour. */
export function startRetention(stores: readonly ExpiringStore[], retentionDays: number, log: Logger): { stop(): void } {
  const run = (): void => {
    for (const store of stores)
      store.deleteExpired(retentionDays).catch((err) => log.debug({ err }, 'expired rows of the webhooks cannot be deleted'));
  };
  const timer = setInterval(run, INTERVAL_MS);
  timer.unref();
  run();
  return { stop: () => clearInterval(timer) };
}
