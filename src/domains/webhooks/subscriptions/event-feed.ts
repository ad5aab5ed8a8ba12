import type { Logger } from 'pino';
import { GraphError } from '../../../lib/errors.ts';
import { createEventHub, type EventHubListener } from '../../../lib/event-hub.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../../operation/operation-registry.ts';
import type { StoredWebhookEvent } from '../model.ts';
import type { Database } from '../store/database.ts';
import type { EventStore } from '../store/event-store.ts';
import { EVENTS_CHANNEL } from '../store/event-writes.ts';
import { startListener } from '../store/listener.ts';
import { storeUnavailableError } from '../store/statements.ts';

/** Interval of reads without a notification, which a connection can lose. */
const POLL_INTERVAL_MS = 5_000;
/** Events of one read, and bytes of their contents. */
const READ_LIMITS = { limit: 500, maxBytes: 4 * 1024 * 1024 };

/** The stored events of all applications as they are stored, by any server on the database. */
export interface EventFeed {
  /** Position of the last event that was emitted. Rejects with STORE_UNAVAILABLE while the database has not responded yet. */
  position(): bigint | Promise<bigint>;
  /** Resolves when all events up to a stored one have been emitted. Rejects with STORE_UNAVAILABLE while the database does not respond. */
  catchUp(sequence: bigint): Promise<void>;
  /** Adds a listener of later events, in their order. Returns a function that unsubscribes. */
  subscribe(listener: EventHubListener<readonly StoredWebhookEvent[]>): () => void;
  stop(): Promise<void>;
}

export interface EventFeedOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly log: Logger;
}

/**
 * Starts the feed. A notification of PostgreSQL only says that there is something to read: events are read by position, so none is missed while
 * the connection is down.
 */
export function startEventFeed({ database, store, log }: EventFeedOptions): EventFeed {
  const hub = createEventHub<readonly StoredWebhookEvent[]>({ log });
  let position: bigint | undefined;
  let first: Promise<bigint> | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  let isStopped = false;

  const initialPosition = (): Promise<bigint> => {
    first ??= store.lastSequence().then(
      (sequence) => {
        position ??= sequence;
        return position;
      },
      (error: unknown) => {
        first = undefined;
        throw error;
      },
    );
    return first;
  };

  const readNew = async (): Promise<void> => {
    let after = position ?? (await initialPosition());
    for (;;) {
      const events = await store.oldest({ app: undefined }, { after, ...READ_LIMITS });
      const last = events.at(-1);
      if (!last || isStopped) return;
      after = last.sequence;
      position = after;
      hub.emit(events);
    }
  };

  /** Reads until nothing is new. A notification during a read causes another one. */
  const read = (): void => {
    isStale = true;
    reading ??= (async () => {
      while (isStale && !isStopped) {
        isStale = false;
        // The next poll or notification reads again.
        await readNew().catch((err) => log.debug({ err }, 'stored events cannot be read'));
      }
      reading = undefined;
    })();
  };

  const listener = startListener({ database, channel: EVENTS_CHANNEL, notified: read, connected: read });
  const pollTimer = setInterval(read, POLL_INTERVAL_MS);
  pollTimer.unref();

  return {
    position: () => position ?? initialPosition(),
    async catchUp(sequence) {
      if ((position ?? (await initialPosition())) >= sequence) return;
      read();
      await reading;
      // The event is stored, so a read that succeeded has emitted it.
      if (position === undefined || position < sequence) throw storeUnavailableError();
    },
    subscribe: (listener) => hub.subscribe(listener),
    async stop() {
      isStopped = true;
      clearInterval(pollTimer);
      hub.close(new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE));
      await listener.stop();
      await reading;
    },
  };
}
