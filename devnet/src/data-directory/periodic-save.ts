import type { Logger } from 'pino';

export interface PeriodicSave {
  /** Saves once more, after a save in progress. Resolves when it is complete or has failed. May be called twice. */
  stop(): Promise<void>;
  /** Ends without another save: the chain has exited. */
  cancel(): void;
}

/** Less than the ten seconds that a kill may lose, because a save takes time. */
export const SAVE_INTERVAL_MS = 5_000;

/**
 * Calls `save` repeatedly, with a pause of five seconds, and a last time at the end. Logs the first failure after a
 * success.
 */
export function startPeriodicSave(
  save: (isLast: boolean) => Promise<void>,
  log: Logger,
  intervalMs = SAVE_INTERVAL_MS,
): PeriodicSave {
  let isEnded = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let inProgress: Promise<void> = Promise.resolve();
  const attempt = async (isLast: boolean) => {
    try {
      await save(isLast);
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.error({ err }, 'the embedded network cannot be saved');
      isFailing = true;
    }
  };
  const schedule = () => {
    timer = setTimeout(() => {
      inProgress = attempt(false).then(() => {
        if (!isEnded) schedule();
      });
    }, intervalMs);
  };
  schedule();
  const cancel = () => {
    isEnded = true;
    clearTimeout(timer);
  };
  const saveLast = async () => {
    const isCancelled = isEnded;
    cancel();
    await inProgress;
    if (!isCancelled) await attempt(true);
  };
  let stopped: Promise<void> | undefined;
  return {
    cancel,
    stop() {
      stopped ??= saveLast();
      return stopped;
    },
  };
}
