import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Database } from '../../../../../src/database/database.ts';
import { includesEvent } from '../../../../../src/domains/webhooks/model.ts';
import type { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { startEventFeed } from '../../../../../src/domains/webhooks/subscriptions/event-feed.ts';
import { log } from '../../../../support/silent-log.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';

test('a subscription starts while the feed reads events that arrive continuously', async () => {
  const database = { connect: () => Promise.reject(new Error('unavailable')) } as unknown as Database;
  const store = {
    lastSequence: async () => 5,
    oldest: async (_scope: unknown, { after }: { after: number }) => {
      await delay(1);
      return [{ sequence: after + 1 }];
    },
  } as unknown as EventStore;
  const feed = startEventFeed(database, store, log);
  const subscribed = feed.webhookEvents(store, { app: undefined }, undefined).then(() => true);
  expect(await Promise.race([subscribed, delay(1_000, false, { ref: false })])).toBe(true);
  await feed.stop();
});

test('a scope without an application includes the events of all applications, and another scope only its own', () => {
  const included = [undefined, 'shop', 'farm'].map((app) => includesEvent({ app }, newEventOf(0, { app: 'shop' })));
  expect(included).toEqual([true, true, false]);
});
