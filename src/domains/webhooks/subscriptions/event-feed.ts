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
  /**
   * Resolves, when all events up to a position have been emitted, with the position of the last one. Rejects with STORE_UNAVAILABLE while the
   * database does not respond. @default the position of the feed when it started
   */
  reach(sequence?: number): Promise<number>;
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
  let position: number | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  let isStopped = false;

  const readNew = async (): Promise<void> => {
    position ??= await store.lastSequence();
    for (;;) {
      const events = await store.oldest({ app: undefined }, { after: position, ...READ_LIMITS });
      const last = events.at(-1);
      if (!last || isStopped) return;
      position = last.sequence;
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
    async reach(sequence = 0) {
      if (position === undefined || position < sequence) {
        read();
        await reading;
      }
      // An event of this position is stored, so a read that succeeded has emitted it.
      if (position === undefined || position < sequence) throw storeUnavailableError();
      return position;
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
