import type { Data } from '../../../ethereum/hex.ts';
import type { SourceEventBatch, SourceStream } from '../../../graphql/stream.ts';
import { GraphError } from '../../../lib/errors.ts';
import {
  type AddressActivity,
  type EventScope,
  includesEvent,
  type NotifiedActivity,
  type StoredWebhookEvent,
} from '../model.ts';
import type { EventStore } from '../store/event-store.ts';
import type { EventFeed } from './event-feed.ts';

/** Events of one read of a backlog, and bytes of their contents. */
const BACKLOG_LIMITS = { limit: 500, maxBytes: 4 * 1024 * 1024 };

export interface WebhookEventRoot {
  readonly webhookEvents: StoredWebhookEvent;
}

export interface AddressActivityRoot {
  readonly addressActivity: NotifiedActivity;
}

/** The subscriptions of this domain. They share the feed, so their number does not increase the load on the database. */
export type WebhookStreams = ReturnType<typeof createWebhookStreams>;

export function createWebhookStreams(feed: EventFeed) {
  /** A stream of the events of a scope, converted by `toEvents`. */
  const streamOf = <Root>(
    scope: EventScope,
    toEvents: (event: StoredWebhookEvent) => SourceEventBatch<Root>,
  ): SourceStream<Root> => ({
    subscribe: ({ next, end }) =>
      feed.subscribe({
        next(events) {
          const batch = events.filter((event) => includesEvent(scope, event)).flatMap(toEvents);
          if (batch.length > 0) next(batch);
        },
        end,
      }),
  });

  return {
    /** The events of a scope as they are stored; with `after`, first those stored since that event. */
    async webhookEvents(
      store: EventStore,
      scope: EventScope,
      after: string | null | undefined,
    ): Promise<SourceStream<WebhookEventRoot>> {
      // Live events start at this position; a subscription fails while it is unknown.
      await feed.reach();
      const toEvents = (event: StoredWebhookEvent) => [{ root: { webhookEvents: event }, cursor: event.id }];
      const live = streamOf(scope, toEvents);
      if (after === null || after === undefined) return live;
      const start = await store.sequenceOf(scope, after);
      // The event may come from another server, whose feed is ahead: live events would repeat it and those before it.
      if (start !== undefined) await feed.reach(start);
      // Called while the stream is started: every event after this position is a live one.
      const backlog = () => missedEvents(store, scope, start, feed.reach(), toEvents);
      return { ...live, backlog };
    },

    /** The transfers to or from these addresses, or all where there are none, one event for each. */
    async addressActivity(
      app: string | undefined,
      addresses: readonly Data[] | null | undefined,
    ): Promise<SourceStream<AddressActivityRoot>> {
      await feed.reach();
      const wanted = addresses && addresses.length > 0 ? new Set(addresses) : undefined;
      const involves = ({ from, to }: AddressActivity): boolean =>
        !wanted || [from, to].some((address) => address !== null && wanted.has(address));
      return streamOf({ app, types: ['ADDRESS_ACTIVITY'] }, ({ content, removed }) =>
        content.type === 'ADDRESS_ACTIVITY'
          ? content.activity.filter(involves).map((activity) => ({ root: { addressActivity: { ...activity, removed } } }))
          : [],
      );
    },
  };
}

/** Reads the events between the position of a cursor, undefined if it has expired, and the one at which the live events start. */
async function* missedEvents<Root>(
  store: EventStore,
  scope: EventScope,
  start: number | undefined,
  end: Promise<number>,
  toEvents: (event: StoredWebhookEvent) => SourceEventBatch<Root>,
): AsyncGenerator<SourceEventBatch<Root>> {
  if (start === undefined) throw unknownEventError('The event of `after`');
  const before = (await end) + 1;
  for (let after = start; ; ) {
    const events = await store.oldest(scope, { after, before, ...BACKLOG_LIMITS });
    const last = events.at(-1);
    if (!last) return;
    yield events.flatMap(toEvents);
    after = last.sequence;
  }
}

/** CURSOR_EXPIRED: the retention has deleted the event of a cursor, or it is of another application. */
export const unknownEventError = (subject: string): GraphError =>
  new GraphError(
    'CURSOR_EXPIRED',
    `${subject} is not stored: it is older than WEBHOOK_RETENTION_DAYS, or of another application. Start without \`after\`.`,
  );
