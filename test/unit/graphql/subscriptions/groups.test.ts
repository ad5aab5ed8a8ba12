import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import { SubscriptionGroups } from '../../../../src/graphql/subscriptions/groups.ts';
import { waitUntil } from '../../../support/graph/toy-server.ts';
import { createTickEncoder, ThrottledSink } from '../../../support/subscriptions/throttled-sink.ts';
import { Ticker } from '../../../support/subscriptions/ticker.ts';

/** One ticker, and whoever joins the one group of its stream. */
function createGroups({ before = async () => {}, padding = 0, lingerMs = 20 } = {}) {
  const ticker = new Ticker();
  const groups = new SubscriptionGroups(lingerMs);
  let held = 0;
  const join = (after?: string, room = Number.POSITIVE_INFINITY, key = 'ticks'): ThrottledSink => {
    const reader = new ThrottledSink();
    reader.capacity = room;
    const retainDocument = () => {
      held++;
      return () => void held--;
    };
    reader.subscriber = groups.join(
      { key, executeEvent: createTickEncoder(before, padding), retainDocument },
      ticker.stream(after),
      reader,
    );
    return reader;
  };
  return { ticker, groups, join, held: () => held };
}

const turns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

test('a batch goes to those who were there when it came, also when it is answered later', async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { ticker, join } = createGroups({ before: () => gate });
  const early = join();
  ticker.emit(3);
  const late = join();
  ticker.emit(2);
  go();
  await waitUntil(() => late.events.length === 2, 'the second batch is told');
  expect([early.numbers, late.numbers]).toEqual([
    [1, 2, 3, 4, 5],
    [4, 5],
  ]);
});

test('what was missed comes first, and what comes meanwhile waits behind it', async () => {
  const { ticker, join } = createGroups();
  let go = () => {};
  for (let i = 0; i < 3; i++) ticker.emit(2);
  ticker.beforeReplay = () =>
    new Promise<void>((resolve) => {
      go = resolve;
    });
  const reader = join('2');
  ticker.emit(2);
  await turns();
  expect(reader.numbers).toEqual([]);
  ticker.beforeReplay = async () => {};
  go();
  await waitUntil(() => reader.events.length === 6, 'everything is told');
  expect(reader.numbers).toEqual([3, 4, 5, 6, 7, 8]);
});

test('a batch of a thousand events is answered in parts, and told in order', async () => {
  const { ticker, join } = createGroups();
  const reader = join();
  ticker.emit(1_000);
  await waitUntil(() => reader.events.length === 1_000, 'all are told');
  expect(reader.numbers).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
});

test('who does not read is cut at the thousandth and first event that waits, with the cursor of the last that it got', async () => {
  const { ticker, join, groups } = createGroups();
  const slow = join(undefined, 3);
  const other = join();
  for (let i = 0; i < 1_003; i++) ticker.emit();
  await waitUntil(() => other.events.length === 1_003, 'the other has everything');
  expect(slow.ended).toBeUndefined();
  ticker.emit();
  await waitUntil(() => slow.ended !== undefined, 'the slow one is cut');
  expect(slow.numbers).toEqual([1, 2, 3]);
  expect(slow.ended!.error).toMatchObject({
    code: 'SLOW_CONSUMER',
    extensions: { cursor: '3', limit: 1_000, actual: 1_001, retryable: true },
  });
  await waitUntil(() => other.events.length === 1_004, 'the other goes on');
  expect(groups.status).toMatchObject({ subscribers: 1, slow: 1, sent: 1_007 });
});

test('a mebibyte may wait, or one event that is larger, but not two', async () => {
  const { ticker, join } = createGroups({ padding: 600 * 1024 });
  const [one, two] = [join(undefined, 0), join(undefined, 1)];
  ticker.emit();
  await turns();
  expect(one.ended).toBeUndefined();
  ticker.emit();
  await turns();
  expect(one.ended!.error).toMatchObject({ code: 'SLOW_CONSUMER', extensions: { limit: 1_048_576 } });
  expect(one.ended!.error.extensions).not.toHaveProperty('cursor');
  expect(two.ended).toBeUndefined();
  expect(two.numbers).toEqual([1]);
});

test('what was missed is read no faster than its reader reads', async () => {
  const { ticker, join } = createGroups();
  for (let i = 0; i < 100; i++) ticker.emit();
  let read = 0;
  ticker.beforeReplay = async () => void read++;
  const reader = join('0', 5);
  await turns(20);
  expect(reader.numbers).toEqual([1, 2, 3, 4, 5]);
  expect(read).toBeLessThan(8);
  reader.read(Number.POSITIVE_INFINITY);
  await waitUntil(() => reader.events.length === 100, 'the rest comes');
});

test('the stream is opened for the first and stopped a while after the last; who comes meanwhile finds it open', async () => {
  const { ticker, join, groups, held } = createGroups({ lingerMs: 50 });
  const [a, b] = [join(), join()];
  a.subscriber!.leave();
  b.subscriber!.leave();
  ticker.emit();
  const c = join();
  ticker.emit();
  await waitUntil(() => c.events.length === 1, 'the next event comes');
  expect(c.numbers).toEqual([2]);
  expect({ opened: ticker.openedStreams, open: ticker.openStreams, held: held() }).toEqual({ opened: 1, open: 1, held: 1 });
  // Another group is left now; when that is gone, the time of the first would have been over as well.
  join(undefined, 1, 'other').subscriber!.leave();
  await waitUntil(() => groups.status.groups === 1, 'the other is gone');
  ticker.emit();
  await waitUntil(() => c.events.length === 2, 'the stream is still open');
  c.subscriber!.leave();
  await waitUntil(() => groups.status.groups === 0, 'the group is gone');
  expect({ open: ticker.openStreams, held: held() }).toEqual({ open: 0, held: 0 });
  join();
  expect(ticker.openedStreams).toBe(3);
  groups.stop();
});

test('nobody is told anything after leaving, and nothing is answered for nobody', async () => {
  let answered = 0;
  const { ticker, join, groups } = createGroups({ before: async () => void answered++ });
  const reader = join();
  ticker.emit();
  reader.subscriber!.leave();
  reader.subscriber!.leave();
  ticker.emit();
  await turns();
  expect(reader.events).toEqual([]);
  expect(reader.ended).toBeUndefined();
  expect(answered).toBeLessThan(2);
  expect(groups.status.subscribers).toBe(0);
  groups.stop();
});

test.each([
  ['an error', new GraphError('UPSTREAM_UNAVAILABLE', 'gone')],
  ['nothing to say any more', undefined],
])('a stream that ends with %s is told so behind what it said before, and the next finds a new one', async (_case, error) => {
  const { ticker, join, groups } = createGroups();
  const [fast, slow] = [join(), join(undefined, 1)];
  ticker.emit(2);
  ticker.end(error);
  const next = join();
  ticker.emit();
  await waitUntil(() => next.events.length === 1, 'the new stream tells');
  expect([fast.numbers, fast.ended]).toEqual([[1, 2], { error }]);
  expect([slow.numbers, slow.ended]).toEqual([[1], undefined]);
  slow.read(5);
  expect([slow.numbers, slow.ended]).toEqual([[1, 2], { error }]);
  expect(ticker.openedStreams).toBe(2);
  next.subscriber!.leave();
  await waitUntil(() => groups.status.groups === 0, 'both groups are gone');
  expect(ticker.openStreams).toBe(0);
});

test('a place that cannot be gone on from ends that subscriber alone', async () => {
  const { ticker, join } = createGroups();
  const [lost, other] = [join('-1'), join()];
  ticker.emit();
  await waitUntil(() => lost.ended !== undefined && other.events.length === 1, 'both have heard');
  expect(lost.ended!.error).toMatchObject({ code: 'CURSOR_EXPIRED' });
  expect(other.ended).toBeUndefined();
});

test('who leaves while it gets what it missed stops that', async () => {
  const { ticker, join } = createGroups();
  for (let i = 0; i < 10; i++) ticker.emit();
  const reader = join('0', 2);
  await waitUntil(() => reader.events.length === 2, 'it has begun');
  expect(ticker.activeBacklogs).toBe(1);
  reader.subscriber!.leave();
  await waitUntil(() => ticker.activeBacklogs === 0, 'the backlog is stopped');
});

test('ten thousand events wait for an operation that is too slow for them; then all of its subscribers are told', async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { ticker, join, groups } = createGroups({ before: () => gate });
  const reader = join();
  ticker.emit();
  for (let i = 0; i < 10; i++) ticker.emit(1_000);
  expect(reader.ended).toBeUndefined();
  ticker.emit();
  expect(reader.ended!.error).toMatchObject({ code: 'SLOW_CONSUMER', extensions: { limit: 10_000, actual: 10_000 } });
  go();
  await turns();
  expect({ open: ticker.openStreams, ...groups.status }).toMatchObject({ open: 0, groups: 0, subscribers: 0 });
});

test('a group that cannot be opened leaves nothing behind', () => {
  const groups = new SubscriptionGroups(20);
  let held = 0;
  const retainDocument = () => {
    held++;
    return () => void held--;
  };
  const subscribe = () => {
    throw new GraphError('UPSTREAM_UNAVAILABLE', 'no');
  };
  expect(() =>
    groups.join({ key: 'a', executeEvent: createTickEncoder(), retainDocument }, { subscribe }, new ThrottledSink()),
  ).toThrow('no');
  expect({ held, ...groups.status }).toMatchObject({ held: 0, groups: 0, subscribers: 0 });
});

test('variables without end do not fill the server', () => {
  const groups = new SubscriptionGroups(20);
  const ticker = new Ticker();
  const join = (i: number) =>
    groups.join(
      { key: `${i}`.padEnd(1024 * 1024), executeEvent: createTickEncoder(), retainDocument: () => () => {} },
      ticker.stream(),
      new ThrottledSink(),
    );
  for (let i = 0; i < 32; i++) join(i);
  expect(() => join(32)).toThrow(expect.objectContaining({ code: 'TOO_MANY_SUBSCRIPTIONS' }));
  expect(groups.status.groups).toBe(32);
  groups.stop();
  expect(ticker.openStreams).toBe(0);
});

test('what waits for all who do not read is bounded, and counted once for those who share it', async () => {
  const { ticker, join, groups } = createGroups({ padding: 64 * 1024 * 1024 - 1_000 });
  const sharing = [join(undefined, 0), join(undefined, 0), join(undefined, 0)];
  const other = join(undefined, 0, 'other');
  ticker.emit();
  await turns();
  expect([...sharing, other].map(({ ended }) => ended)).toEqual([undefined, undefined, undefined, undefined]);
  const third = join('0', 0, 'third');
  await waitUntil(() => third.ended !== undefined, 'what it missed is too much');
  expect(third.ended!.error).toMatchObject({ code: 'SLOW_CONSUMER', extensions: { limit: 128 * 1024 * 1024 } });
  other.subscriber!.leave();
  const fourth = join('0', 0, 'third');
  await turns();
  expect(fourth.ended).toBeUndefined();
  for (const reader of [...sharing, fourth]) reader.subscriber!.leave();
  const last = [join('0', 0, 'other'), join('0', 0, 'third')];
  await turns();
  expect(last.map(({ ended }) => ended)).toEqual([undefined, undefined]);
  groups.stop();
});
