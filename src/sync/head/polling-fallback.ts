/** Polls the node while its WebSocket is disconnected. */
export interface PollingFallback {
  /**
   * Starts polling after the configured delay, unless `stop` is called before. Does nothing when polling is running or scheduled.
   */
  start(): void;
  /** Stops polling; resolves when it has ended. */
  stop(): Promise<void>;
  readonly isRunning: boolean;
}

interface FallbackRun {
  readonly controller: AbortController;
  done: Promise<void> | undefined;
}

/**
 * Creates a fallback that calls `run` after `delayMs`. `run` polls until its signal aborts; a rejection is passed to `onFailure`.
 */
export function createPollingFallback(
  delayMs: number,
  run: (signal: AbortSignal) => Promise<void>,
  onFailure: (error: unknown) => void,
): PollingFallback {
  let current: FallbackRun | undefined;
  return {
    start() {
      if (current) return;
      const started: FallbackRun = { controller: new AbortController(), done: undefined };
      const { signal } = started.controller;
      const timer = setTimeout(() => {
        started.done = run(signal).catch(onFailure);
      }, delayMs);
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      current = started;
    },
    async stop() {
      const stopped = current;
      current = undefined;
      stopped?.controller.abort();
      await stopped?.done;
    },
    get isRunning() {
      return current?.done !== undefined;
    },
  };
}
