import { GraphError } from './errors.ts';

/** Callbacks by signal. An operation can have hundreds of requests under one signal; they share a single listener on it. */
const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** Registers a callback for the abort of a signal. The returned function removes it and returns whether it was registered. */
export function onAbort(signal: AbortSignal, callback: () => void): () => boolean {
  let callbacks = callbacksBySignal.get(signal);
  if (!callbacks) {
    const registered = new Set<() => void>();
    const callAll = (): void => {
      for (const call of registered) call();
    };
    signal.addEventListener('abort', callAll, { once: true });
    callbacksBySignal.set(signal, registered);
    callbacks = registered;
  }
  const all = callbacks.add(callback);
  return () => all.delete(callback);
}

/** Resolves when a promise that does not reject resolves, or as soon as the signal aborts. */
export function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const unregister = onAbort(signal, resolve);
    promise.finally(unregister).then(() => resolve());
  });
}

/** Resolves with true after `ms` milliseconds, or with false as soon as the signal aborts. */
export async function abortableSleep(ms: number, signal: AbortSignal): Promise<boolean> {
  await new Sleeper().sleep(ms, signal);
  return !signal.aborted;
}

/**
 * Settles as a promise does, but rejects with the reason of the signal as soon as it aborts. The listener is not removed: pass the signal of one
 * attempt.
 */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject);
  });
}

/** Runs a task with a signal that aborts after `ms` milliseconds, with this error. */
export async function withTimeout<T>(
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  timeoutError = () => new GraphError('UPSTREAM_TIMEOUT', 'No response arrived in time.'),
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timeoutError()), ms);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits that a time, an abort or a call of `wake` ends. */
export class Sleeper {
  readonly #wakes = new Set<() => void>();

  /** Resolves after `ms` milliseconds, or as soon as the signal aborts or `wake` is called. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        unregister?.();
        this.#wakes.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      const unregister = signal && onAbort(signal, end);
      this.#wakes.add(end);
    });
  }

  wake(): void {
    for (const end of [...this.#wakes]) end();
  }
}
