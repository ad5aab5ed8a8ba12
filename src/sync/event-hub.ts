import type { Logger } from 'pino';
import type { GraphError } from '../errors.ts';

export interface EventHubListener<Payload> {
  next(told: Payload): void;
  /** Nothing comes any more: GAP_TOO_LARGE, METHOD_NOT_SUPPORTED, SHUTTING_DOWN, or what was fatal for the follower. */
  end(error: GraphError): void;
}

/** All who listen to one thing. One who throws harms no other. */
export interface EventHub<Payload> {
  /** Nothing is told inside this call. Gives what lets the listener go. */
  subscribe(listener: EventHubListener<Payload>): () => void;
  emit(told: Payload): void;
  /** Ends those who listen now. */
  end(error: GraphError): void;
  /** Ends those who listen now, and whoever comes later. */
  close(error: GraphError): void;
}

export interface EventHubOptions {
  readonly log: Logger;
  /** Called inside `join` for the first listener. It tells nothing there. */
  readonly start?: () => void;
  /** Called when there is nobody left: some time after the last has gone, at once when all were ended. */
  readonly stop?: () => void;
  /** How long it is waited for another listener when the last has gone, in milliseconds. */
  readonly lingerMs?: number;
}

export function createEventHub<Payload>({ log, start, stop, lingerMs = 0 }: EventHubOptions): EventHub<Payload> {
  /** Each has an entry of its own, so that one listener may join twice. */
  type Subscriber = { readonly listener: EventHubListener<Payload> };
  const seats = new Set<Subscriber>();
  let running = false;
  let lingering: NodeJS.Timeout | undefined;
  let over: GraphError | undefined;

  const call = (seat: Subscriber, tell: (listener: EventHubListener<Payload>) => void) => {
    try {
      tell(seat.listener);
    } catch (error) {
      log.error({ err: error }, 'a listener of the feed failed');
    }
  };

  const rest = () => {
    clearTimeout(lingering);
    if (!running) return;
    running = false;
    stop?.();
  };

  const leave = (seat: Subscriber) => {
    if (!seats.delete(seat) || seats.size > 0) return;
    if (stop) lingering = setTimeout(rest, lingerMs);
  };

  const end = (error: GraphError) => {
    const all = [...seats];
    seats.clear();
    rest();
    for (const seat of all) call(seat, (listener) => listener.end(error));
  };

  return {
    subscribe(listener) {
      const seat: Subscriber = { listener };
      seats.add(seat);
      if (over) {
        const error = over;
        queueMicrotask(() => seats.delete(seat) && call(seat, () => listener.end(error)));
        return () => seats.delete(seat);
      }
      clearTimeout(lingering);
      if (!running) {
        running = true;
        start?.();
      }
      return () => leave(seat);
    },
    emit(told) {
      for (const seat of [...seats]) if (seats.has(seat)) call(seat, (listener) => listener.next(told));
    },
    end,
    close(error) {
      over ??= error;
      end(over);
    },
  };
}
