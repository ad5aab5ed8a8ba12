import type { Logger } from 'pino';

/**
 * Resolves with the exit status when the process is asked to end (SIGINT, SIGTERM: 0), or when something that it cannot do
 * without has ended by itself (1).
 */
export async function waitForShutdownSignal(log: Logger, lost: Promise<void> | undefined): Promise<number> {
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const signal = await Promise.race([asked, lost?.then(() => undefined) ?? asked]);
  if (signal) log.info({ signal }, 'shutting down');
  else log.fatal('the embedded chain has ended; shutting down');
  return signal ? 0 : 1;
}
