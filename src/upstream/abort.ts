/** Callbacks by signal. The requests of one operation share its signal and can be hundreds, so the signal has one listener for all. */
const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls back when the signal aborts. The returned function takes the callback off again. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = callbacksOf.get(signal);
  if (!callbacks) {
    const added = new Set<() => void>();
    const callAll = (): void => {
      for (const call of added) call();
    };
    signal.addEventListener('abort', callAll, { once: true });
    callbacksOf.set(signal, added);
    callbacks = added;
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

/** Resolves with true after so many milliseconds, or with false as soon as the signal aborts. */
export function abortableSleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const off = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
    const timer = setTimeout(() => {
      off();
      resolve(true);
    }, ms);
  });
}
