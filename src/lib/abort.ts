import { GraphError } from './errors.ts';
import { memoizePerObject } from './memoize.ts';

/**
 * Cancels one operation. An AbortController would take 8 microseconds, a hundredth of a small operation, because its
 * signal is an event target.
 */
export class CancellationToken {
  readonly callbacks = new Set<() => void>();
  /** Why the operation was cancelled: a GraphError. */
  reason: unknown;

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  /** Cancels the operation and calls its callbacks, once. */
  abort(reason: GraphError): void {
    if (this.aborted) return;
    this.reason = reason;
    for (const callback of this.callbacks) callback();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** Cancels a task: the token of its operation, or an AbortSignal. */
export type Cancellation = AbortSignal | CancellationToken;

/**
 * Callbacks by signal. An operation can have hundreds of requests under one signal; the requests share a single
 * listener on the signal.
 */
const callbacksOf = memoizePerObject((signal: AbortSignal): Set<() => void> => {
  const callbacks = new Set<() => void>();
  const callAll = (): void => {
    for (const call of callbacks) call();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
});

/** Registers a callback for the abort of a signal. The returned function removes it and returns whether it was registered. */
export function onAbort(signal: Cancellation, callback: () => void): () => boolean {
  const callbacks = signal instanceof CancellationToken ? signal.callbacks : callbacksOf(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

/** Resolves with true after `ms` milliseconds, or with false as soon as the signal aborts. */
export async function abortableSleep(ms: number, signal: Cancellation): Promise<boolean> {
  await new Sleeper().sleep(ms, signal);
  return !signal.aborted;
}

/** Settles as a promise does, but rejects with the reason of the signal as soon as it aborts. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const unregister = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).then(unregister);
  });
}

/** Resolves when a promise that does not reject resolves, or as soon as the signal aborts. */
export async function untilAborted(promise: Promise<unknown>, signal: Cancellation): Promise<void> {
  await rejectOnAbort(promise, signal).catch(() => {});
}

/**
 * Runs a task with a signal that aborts after `ms` milliseconds, with this error, or as soon as another signal aborts, with its reason.
 * `AbortSignal.any` would retain the signals of all tasks until that other signal aborts.
 */
export async function withTimeout<T>(
  ms: number,
  run: (signal: AbortSignal) => Promise<T>,
  timeoutError = () => new GraphError('UPSTREAM_TIMEOUT', 'No response arrived in time.'),
  stopped?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timeoutError()), ms);
  const stop = () => controller.abort(stopped!.reason);
  const unregister = stopped && onAbort(stopped, stop);
  if (stopped?.aborted) stop();
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    unregister?.();
  }
}

/** Waits until a timeout, an abort or a call of `wake`. */
export class Sleeper {
  readonly #wakes = new Set<() => void>();

  /** Resolves after `ms` milliseconds, or as soon as the signal aborts or `wake` is called. */
  sleep(ms: number, signal?: Cancellation): Promise<void> {
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
