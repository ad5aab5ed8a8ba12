import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Database } from '../../../../../src/domains/webhooks/store/database.ts';
import type { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { startEventFeed } from '../../../../../src/domains/webhooks/subscriptions/event-feed.ts';
import { log } from '../../../../support/silent-log.ts';

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
