import type { Logger } from 'pino';

/** Resolves with the exit status: 0 on SIGINT or SIGTERM, 1 when the embedded chain has exited (`chainExit`). */
export async function waitForShutdownSignal(log: Logger, chainExit: Promise<void> | undefined): Promise<number> {
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const signal = await Promise.race([signalled, chainExit?.then(() => undefined) ?? signalled]);
  if (signal) log.info({ signal }, 'shutting down');
  else log.fatal('the embedded chain has exited; shutting down');
  return signal ? 0 : 1;
}
