import type { Logger } from 'pino';

/** Why the process ends. */
export interface Shutdown {
  /** 0 on SIGINT or SIGTERM, 1 when the embedded chain has exited. */
  readonly exitCode: number;
  /** Whether clients get time to notice: after SIGTERM, which a process manager sends, not after SIGINT, which a person sends. */
  readonly hasGracePeriod: boolean;
}

/** Resolves on SIGINT, on SIGTERM, and when the embedded chain has exited (`chainExit`). */
export async function waitForShutdownSignal(log: Logger, chainExit: Promise<void> | undefined): Promise<Shutdown> {
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const signal = await Promise.race([signalled, chainExit?.then(() => undefined) ?? signalled]);
  if (signal) log.info({ signal }, 'shutting down');
  else log.fatal('the embedded chain has exited; shutting down');
  return { exitCode: signal ? 0 : 1, hasGracePeriod: signal === 'SIGTERM' };
}
