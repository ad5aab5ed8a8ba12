/** Something that runs while something else is away. */
export interface PollingFallback {
  /** Has it run after so many milliseconds, unless it is stopped before. Does nothing while it runs, or is about to. */
  start(): void;
  /** Resolves when it does not run any more. */
  stop(): Promise<void>;
  readonly isRunning: boolean;
}

interface FallbackRun {
  readonly controller: AbortController;
  done: Promise<void> | undefined;
}

/** `run` goes on until its signal falls; what it rejects with goes to `onFailure`. */
export function createPollingFallback(
  afterMs: number,
  run: (signal: AbortSignal) => Promise<void>,
  onFailure: (error: unknown) => void,
): PollingFallback {
  let shift: FallbackRun | undefined;
  return {
    start() {
      if (shift) return;
      const mine: FallbackRun = { controller: new AbortController(), done: undefined };
      const { signal } = mine.controller;
      const timer = setTimeout(() => {
        mine.done = run(signal).catch(onFailure);
      }, afterMs);
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      shift = mine;
    },
    async stop() {
      const mine = shift;
      shift = undefined;
      mine?.controller.abort();
      await mine?.done;
    },
    get isRunning() {
      return shift?.done !== undefined;
    },
  };
}
