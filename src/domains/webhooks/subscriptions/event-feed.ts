import type { Logger } from 'pino';
import type { Database } from '../../../database/database.ts';
import { startListener } from '../../../database/held-connection.ts';
import { ignoreError, storeUnavailableError } from '../../../database/statements.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { type SourceEventBatch, streamOfHub } from '../../../graphql/stream.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEventHub } from '../../../lib/event-hub.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../../operation/operation-registry.ts';
import { type AddressActivity, type EventScope, includesEvent, type StoredWebhookEvent } from '../model.ts';
import type { EventStore } from '../store/event-store.ts';
import { EVENTS_CHANNEL } from '../store/event-writes.ts';

/** Interval of reads without a notification, because a connection can lose notifications. */
const POLL_INTERVAL_MS = 5_000;
/** Maximum number of events in one read of the feed or of a backlog, and maximum size of their contents. */
const READ_LIMITS = { limit: 500, maxBytes: 4 * 1024 * 1024 };

/**
 * The subscriptions to events, which any server on the database stores. They share one feed, so their number does not increase the load on the
 * database.
 */
export type EventFeed = ReturnType<typeof startEventFeed>;

/**
 * Starts the feed. A notification of PostgreSQL only triggers a read. The feed reads events by position, so it misses
 * no event while the connection is down.
 */
export function startEventFeed(database: Database, store: EventStore, log: Logger) {
  const hub = createEventHub<readonly StoredWebhookEvent[]>({ log });
  let position: number | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  let isStopped = false;

  /** Resolves when the initial position is known. The first of several concurrent reads sets it. */
  const findStart = async (): Promise<void> => {
    if (position !== undefined) return;
    const last = await store.lastSequence();
    position ??= last;
  };

  const readNew = async (): Promise<void> => {
    await findStart();
    for (;;) {
      const events = await store.oldest({ app: undefined }, { after: position, ...READ_LIMITS });
      const last = events.at(-1);
      if (!last || isStopped) return;
      position = last.sequence;
      hub.emit(events);
    }
  };

  /** Reads until there are no new events. A notification during a read causes another read. */
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
  const pollTimer = setInterval(read, POLL_INTERVAL_MS).unref();

  /**
   * Resolves, when all events up to a position have been emitted, with the position of the last event. Rejects with
   * STORE_UNAVAILABLE while the database does not respond. @default the position of the feed when it started
   */
  const reach = async (sequence = 0): Promise<number> => {
    await findStart().catch(ignoreError);
    if (position !== undefined && position < sequence) {
      read();
      await reading;
    }
    // An event of this position is stored, so a read that succeeded has emitted it.
    if (position === undefined || position < sequence) throw storeUnavailableError();
    return position;
  };

  /** A stream of the events of a scope, converted by `toEvents`. */
  const streamOf = <Root>(scope: EventScope, toEvents: (event: StoredWebhookEvent) => SourceEventBatch<Root>) =>
    streamOfHub(hub.subscribe, (events) => events.filter((event) => includesEvent(scope, event)).flatMap(toEvents));

  return {
    /** The events of a scope as they are stored; with `after`, first the events stored since that event. */
    async webhookEvents(store: EventStore, scope: EventScope, after: string | null | undefined) {
      // Live events start at this position; a subscription fails while it is unknown.
      await reach();
      const toEvents = (event: StoredWebhookEvent) => [{ root: { webhookEvents: event }, cursor: event.id }];
      const live = streamOf(scope, toEvents);
      if (after === null || after === undefined) return live;
      const start = await store.sequenceOf(scope, after);
      // The event may come from another server, whose feed is ahead: live events would repeat this event and the events
      // before it.
      if (start !== undefined) await reach(start);
      async function* readMissed(end: Promise<number>): AsyncGenerator<SourceEventBatch> {
        if (start === undefined) throw unknownEventError();
        const before = (await end) + 1;
        for (let position = start; ; ) {
          const events = await store.oldest(scope, { after: position, before, ...READ_LIMITS });
          const last = events.at(-1);
          if (!last) return;
          yield events.flatMap(toEvents);
          position = last.sequence;
        }
      }
      // Called while the stream is started: every event after this position is a live event.
      return { ...live, backlog: () => readMissed(reach()) };
    },

    /** The transfers to or from these addresses, or all transfers without addresses; one event for each transfer. */
    async addressActivity(scope: EventScope, addresses: readonly Data[] | null | undefined) {
      await reach();
      const wanted = addresses && addresses.length > 0 ? new Set(addresses) : undefined;
      const involves = ({ from, to }: AddressActivity): boolean =>
        !wanted || [from, to].some((address) => address !== null && wanted.has(address));
      return streamOf({ ...scope, types: ['ADDRESS_ACTIVITY'] }, ({ content, removed }) =>
        content.type === 'ADDRESS_ACTIVITY'
          ? content.activity.filter(involves).map((activity) => ({ root: { addressActivity: { ...activity, removed } } }))
          : [],
      );
    },

    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(pollTimer);
      hub.close(new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE));
      await listener.stop();
      await reading;
    },
  };
}

/** CURSOR_EXPIRED: the retention has deleted the event of a cursor, or the event belongs to another application. */
export const unknownEventError = (): GraphError =>
  new GraphError(
    'CURSOR_EXPIRED',
    'The event of `after` is not stored: it is older than WEBHOOK_RETENTION_DAYS, or of another application. Start without `after`.',
  );
