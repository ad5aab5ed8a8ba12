import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { contentReader } from '../../../../../src/domains/webhooks/loaders/event-contents.ts';
import type { WebhookEventHeader } from '../../../../../src/domains/webhooks/model.ts';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';
import { useDatabase } from '../store/database.ts';

const fixture = useDatabase();
const statements: (readonly string[])[] = [];
let store: EventStore;
let headers: readonly WebhookEventHeader[];

beforeAll(async () => {
  store = new EventStore({
    transaction: (run) => fixture.database.transaction(run),
    query(text, values) {
      statements.push(values?.[0] as readonly string[]);
      return fixture.database.query(text, values);
    },
  });
  await store.insert(Array.from({ length: 5 }, (_, index) => newEventOf(index)));
  headers = await store.newest({ app: undefined }, { limit: 5 });
});
beforeEach(() => {
  statements.length = 0;
});

const hashOf = (content: any): string => content.fullTransaction.hash;

test('the contents that are requested in one tick are one statement, also where several fields request one', async () => {
  const read = contentReader(store, undefined);
  const contents = await Promise.all([...headers, ...headers].map(read));
  expect(statements).toEqual([headers.map(({ id }) => id)]);
  expect(contents.map(hashOf)).toEqual(
    [4, 3, 2, 1, 0, 4, 3, 2, 1, 0].map((index) => `0x${index.toString(16).padStart(64, '0')}`),
  );
});

test('long contents are read one group after the other, and a deleted event fails alone', async () => {
  const read = contentReader(store, undefined);
  const sizes = [400_000, 600_000, 100_000, 3_000_000, 1];
  const events = headers.map((header, i) => ({ ...header, contentBytes: sizes[i]! }));
  events[1] = { ...events[1]!, id: 'f'.repeat(32) };
  const results = await Promise.allSettled(events.map(read));
  expect(statements).toEqual([[0, 1], [2], [3], [4]].map((group) => group.map((i) => events[i]!.id)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
});
