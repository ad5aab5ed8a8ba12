import type { Logger } from 'pino';
import type { GraphError } from './errors.ts';

export interface EventHubListener<Payload> {
  next(payload: Payload): void;
  /**
   * Called once, after the last event, with the reason: GAP_TOO_LARGE, METHOD_NOT_SUPPORTED, SHUTTING_DOWN or an upstream error.
   */
  end?(error: GraphError): void;
}

interface EventHubOptions {
  readonly log: Logger;
  /** Starts the source; called inside `subscribe` for the first listener. Must not emit synchronously. */
  readonly start?: () => void;
  /** Stops the source; called `lingerMs` after the last listener unsubscribed, or immediately when the hub ends its listeners. */
  readonly stop?: () => void;
  /** Milliseconds to wait for another listener before the source is stopped. @default 0 */
  readonly lingerMs?: number;
}

/** Fans events of one source out to any number of listeners. A listener that throws does not affect the others. */
export type EventHub<Payload> = ReturnType<typeof createEventHub<Payload>>;

export function createEventHub<Payload>({ log, start, stop, lingerMs = 0 }: EventHubOptions) {
  type Listener = EventHubListener<Payload>;
  const listeners = new Set<Listener>();
  let isRunning = false;
  let lingerTimer: NodeJS.Timeout | undefined;
  let closeError: GraphError | undefined;

  const notify = (call: () => void) => {
    try {
      call();
    } catch (error) {
      log.error({ err: error }, 'a listener of an event hub failed');
    }
  };

  const stopSource = () => {
    clearTimeout(lingerTimer);
    if (!isRunning) return;
    isRunning = false;
    stop?.();
  };

  const end = (error: GraphError) => {
    const ended = [...listeners];
    listeners.clear();
    stopSource();
    for (const listener of ended) notify(() => listener.end?.(error));
  };

  return {
    /** Adds a listener, which is never called synchronously, and which must not be subscribed already. Returns a function that unsubscribes. */
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      if (closeError) {
        const error = closeError;
        queueMicrotask(() => listeners.delete(listener) && notify(() => listener.end?.(error)));
        return () => listeners.delete(listener);
      }
      clearTimeout(lingerTimer);
      if (!isRunning) {
        isRunning = true;
        start?.();
      }
      return () => {
        if (listeners.delete(listener) && listeners.size === 0 && stop) lingerTimer = setTimeout(stopSource, lingerMs);
      };
    },
    emit(payload: Payload): void {
      for (const listener of [...listeners]) if (listeners.has(listener)) notify(() => listener.next(payload));
    },
    /** Ends all current listeners. */
    end,
    /** Ends all current listeners and each later listener. */
    close(error: GraphError): void {
      closeError ??= error;
      end(closeError);
    },
  };
}
