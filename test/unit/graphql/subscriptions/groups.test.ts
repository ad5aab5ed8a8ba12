import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import type { SourceBacklog, SourceHold } from '../../../../src/graphql/stream.ts';
import type { EventExecutor } from '../../../../src/graphql/subscriptions/event-execution.ts';
import { SubscriptionGroups } from '../../../../src/graphql/subscriptions/groups.ts';
import { DocumentCache } from '../../../../src/graphql/validation/document-cache.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { createGate } from '../../../support/gate.ts';
import { waitUntil } from '../../../support/graph/toy-server.ts';
import { createTickEncoder, SUBSCRIPTION_LIMITS, ThrottledSink } from '../../../support/subscriptions/throttled-sink.ts';
import { Ticker } from '../../../support/subscriptions/ticker.ts';

const CONNECTION = { client: undefined };

/** Subscription groups over one ticker, and a function that joins a throttled subscriber to a group. */
function createGroups({ before = async () => {}, padding = 0, lingerMs = 20, eventCost = 1 } = {}) {
  const ticker = new Ticker();
  const groups = new SubscriptionGroups(lingerMs, SUBSCRIPTION_LIMITS);
  let held = 0;
  const join = (after?: string, capacity = Number.POSITIVE_INFINITY, key = 'ticks', stream = {}): ThrottledSink => {
    const reader = new ThrottledSink();
    reader.capacity = capacity;
    const retainDocument = () => {
      held++;
      return () => void held--;
    };
    reader.subscriber = groups.join(
      { key, executeEvent: createTickEncoder(before, padding), priceEvent: () => eventCost, retainDocument },
      { ...ticker.stream(after), ...stream },
      reader,
      CONNECTION,
    );
    return reader;
  };
  return { ticker, groups, join, held: () => held };
}

const turns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

test('batch is delivered only to subscribers that joined before it, even if it executes later', async () => {
  const { opened: gate, open: release } = createGate();
  const { ticker, join } = createGroups({ before: () => gate });
  const early = join();
  ticker.emit(3);
  const late = join();
  ticker.emit(2);
  release();
  await waitUntil(() => late.events.length === 2, 'the second batch is delivered');
  expect([early.numbers, late.numbers]).toEqual([
    [1, 2, 3, 4, 5],
    [4, 5],
  ]);
});

test('backlog is delivered before live events that arrive during its replay', async () => {
  const { ticker, join } = createGroups();
  let release = () => {};
  for (let i = 0; i < 3; i++) ticker.emit(2);
  ticker.beforeReplay = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const reader = join('2');
  ticker.emit(2);
  await turns();
  expect(reader.numbers).toEqual([]);
  ticker.beforeReplay = async () => {};
  release();
  await waitUntil(() => reader.events.length === 6, 'all events are delivered');
  expect(reader.numbers).toEqual([3, 4, 5, 6, 7, 8]);
});

/** A backlog far in the past, which lasts until `resume`. */
function createPausedBacklog() {
  const [paused, allowed, resumed] = [createGate(), createGate(), createGate()];
  const backlog: SourceBacklog = async function* (_signal, live) {
    live.pause();
    paused.open();
    await allowed.opened;
    live.resume();
    resumed.open();
    yield [];
  };
  const resume = async () => {
    allowed.open();
    await resumed.opened;
  };
  return { backlog, paused: paused.opened, resume };
}

test('subscriber that leaves while its backlog is far in the past does not join its group again', async () => {
  const { ticker, join, groups } = createGroups();
  const { backlog, resume } = createPausedBacklog();
  const other = join();
  const { subscriber } = join(undefined, undefined, 'ticks', { backlog });
  await turns();
  subscriber!.leave();
  await resume();
  other.subscriber!.leave();
  await waitUntil(() => ticker.openStreams === 0, 'the stream without subscribers has ended');
  expect(groups.status).toMatchObject({ subscribers: 0, groups: 0 });
});

test('subscriber whose backlog is far in the past receives no new event before it, and ends at once with its stream', async () => {
  const { ticker, join, groups } = createGroups();
  const [one, two] = [createPausedBacklog(), createPausedBacklog()];
  const [late, later] = [one, two].map(({ backlog }) => join(undefined, undefined, 'ticks', { backlog }));
  await Promise.all([one.paused, two.paused]);
  ticker.emit();
  await one.resume();
  ticker.emit();
  await waitUntil(() => late!.events.length === 1, 'the next event is delivered');
  expect([late!.numbers, later!.subscriber!.queuedBytes]).toEqual([[2], 0]);
  ticker.end();
  expect([late!.ended, later!.ended]).toEqual([{ error: undefined }, { error: undefined }]);
  groups.stop();
});

test('slow subscriber gets SLOW_CONSUMER at 1,001 pending events, with the cursor of its last delivered event', async () => {
  const { ticker, join, groups } = createGroups();
  const slow = join(undefined, 3);
  const other = join();
  for (let i = 0; i < 1_003; i++) ticker.emit();
  await waitUntil(() => other.events.length === 1_003, 'the other subscriber has all events');
  expect(slow.ended).toBeUndefined();
  ticker.emit();
  await waitUntil(() => slow.ended !== undefined, 'the slow subscriber is ended');
  expect(slow.numbers).toEqual([1, 2, 3]);
  expect(slow.ended!.error).toMatchObject({
    code: 'SLOW_CONSUMER',
    extensions: { cursor: '3', limit: 1_000, actual: 1_001, retryable: true },
  });
  await waitUntil(() => other.events.length === 1_004, 'the other subscriber has the next event');
  expect(groups.status).toMatchObject({ subscribers: 1, slow: 1, sent: 1_007 });
});

test('subscriber may have 1 MiB of pending events, or a single larger event', async () => {
  const { ticker, join, groups } = createGroups({ padding: 512 * 1024 });
  const [one, two] = [join(undefined, 0), join(undefined, 1)];
  ticker.emit(2);
  await turns();
  expect(one.ended).toBeUndefined();
  ticker.emit();
  await turns();
  expect(one.ended!.error).toMatchObject({ code: 'SLOW_CONSUMER', extensions: { limit: 1_048_576, actual: 1_572_864 } });
  expect(one.ended!.error).toMatchObject({ message: expect.stringMatching(/Subscribe again\.$/) });
  expect(one.ended!.error.extensions).not.toHaveProperty('cursor');
  expect([two.ended, two.numbers]).toEqual([undefined, [1]]);
  ticker.emit(2);
  await turns();
  const message = expect.stringMatching(/Subscribe again after `cursor`\.$/);
  expect(two.ended!.error).toMatchObject({ message, extensions: { cursor: '1' } });
  expect(groups.queuedEvents.bytes).toBe(0);
  const large = createGroups({ padding: 2 * 1024 * 1024 });
  const reader = large.join(undefined, 0);
  large.ticker.emit();
  await turns();
  expect(reader.ended).toBeUndefined();
});

test('queued events are delivered in order, also when the client can read again before the queue is written', async () => {
  const { ticker, join } = createGroups({ padding: 10 });
  const reader = join(undefined, 0);
  ticker.emit(3);
  await turns();
  reader.read(1);
  expect([reader.numbers, reader.subscriber!.queuedBytes]).toEqual([[1], 20]);
  reader.capacity = 10;
  ticker.emit();
  await turns();
  reader.read(10);
  expect([reader.numbers, reader.subscriber!.queuedBytes]).toEqual([[1, 2, 3, 4], 0]);
  const resuming = join('0', 1);
  await waitUntil(() => resuming.subscriber!.queuedBytes === 20, 'the rest of the first batch waits');
  resuming.read(10);
  await waitUntil(() => resuming.events.length === 4, 'the backlog is read');
  expect([resuming.numbers, resuming.subscriber!.queuedBytes]).toEqual([[1, 2, 3, 4], 0]);
});

test.each([
  ['the last cursor', 'UPSTREAM_UNAVAILABLE', {}, '2'],
  ['its own cursor', 'UPSTREAM_UNAVAILABLE', { cursor: '1' }, '1'],
  ['no cursor, because it cannot be retried', 'BAD_USER_INPUT', {}, undefined],
] as const)('an error that ends a stream has %s', async (_case, code, extensions, cursor) => {
  const { ticker, join } = createGroups();
  const reader = join();
  const before = join(undefined, 0);
  ticker.emit(2);
  await turns();
  const error = new GraphError(code, 'gone', { ...extensions, detail: 1 });
  ticker.end(error);
  before.subscriber!.end(error);
  expect(reader.ended!.error).toMatchObject({ code, message: 'gone', extensions: { detail: 1 } });
  expect([reader, before].map(({ ended }) => ended!.error.extensions.cursor)).toEqual([cursor, error.extensions.cursor]);
});

test('a live query executes only the newest event that waits, and does not repeat an equal result', async () => {
  const executed: number[] = [];
  const { opened: gate, open: release } = createGate();
  const { ticker, groups } = createGroups();
  const sink = new ThrottledSink();
  const encode = createTickEncoder(() => gate);
  const executeEvent: EventExecutor = async (event) => {
    const { n } = (event.root as { ticks: { n: number } }).ticks;
    executed.push(n);
    return { ...(await encode(event)), digest: n < 6 ? 'equal' : 'other' };
  };
  const shared = { key: 'live', executeEvent, isLive: true, priceEvent: () => 1, retainDocument: () => () => {} };
  groups.join(shared, ticker.stream(), sink, CONNECTION);
  for (let i = 0; i < 4; i++) ticker.emit();
  release();
  for (let n = 4; n < 7; n++) {
    await waitUntil(() => executed.at(-1) === n, `event ${n} is executed`);
    await turns();
    ticker.emit();
  }
  await waitUntil(() => executed.at(-1) === 7, 'all events are executed');
  await turns();
  expect([executed, sink.numbers]).toEqual([
    [1, 4, 5, 6, 7],
    [1, 6],
  ]);
  groups.stop();
});

test.each([
  ['sixteen', 16, 1],
  ['as many as MAX_COST allows, here two,', 2, SUBSCRIPTION_LIMITS.MAX_COST / 2],
])('%s events of a group execute at the same time', async (_case, count, eventCost) => {
  let executions = 0;
  const { opened: gate, open: release } = createGate();
  const before = () => (++executions > count ? gate : Promise.resolve());
  const { ticker, join, groups } = createGroups({ before, eventCost });
  const reader = join();
  ticker.emit(40);
  await waitUntil(() => executions === 2 * count, 'the next events execute');
  await turns();
  expect([executions, groups.lag.events, reader.events.length]).toEqual([2 * count, 40 - count, count]);
  release();
  await waitUntil(() => reader.events.length === 40, 'all events are delivered');
  groups.stop();
});

test('a server accepts 100,000 subscriptions', () => {
  const { join, groups } = createGroups();
  for (let i = 0; i < 100_000; i++) join();
  expect(() => join()).toThrow(
    expect.objectContaining({
      code: 'TOO_MANY_SUBSCRIPTIONS',
      extensions: expect.objectContaining({ limit: 100_000, retryable: true }),
    }),
  );
  groups.stop();
});

test('a subscriber that loses its hold ends with the error, and releases the hold once', async () => {
  let released = 0;
  const error = new GraphError('STREAM_IN_USE', 'Another client has taken the stream.');
  const { join, groups } = createGroups();
  const hold: SourceHold = { release: () => void released++, lost: Promise.resolve(error) };
  const reader = join(undefined, undefined, 'ticks', { hold });
  await turns();
  expect([reader.ended?.error, released]).toEqual([error, 1]);
  groups.stop();
});

test('backlog is read only as fast as its subscriber reads', async () => {
  const { ticker, join } = createGroups();
  for (let i = 0; i < 100; i++) ticker.emit();
  let read = 0;
  ticker.beforeReplay = async () => void read++;
  const reader = join('0', 5);
  await turns(20);
  expect(reader.numbers).toEqual([1, 2, 3, 4, 5]);
  expect(read).toBeLessThan(8);
  reader.read(Number.POSITIVE_INFINITY);
  await waitUntil(() => reader.events.length === 100, 'the rest is delivered');
});

test('stream opens for the first subscriber, lingers after the last one leaves and is reused by one that joins meanwhile', async () => {
  const { ticker, join, groups, held } = createGroups({ lingerMs: 50 });
  const [a, b] = [join(), join()];
  a.subscriber!.leave();
  b.subscriber!.leave();
  ticker.emit();
  const c = join();
  ticker.emit();
  await waitUntil(() => c.events.length === 1, 'the next event is delivered');
  expect(c.numbers).toEqual([2]);
  expect({ opened: ticker.openedStreams, open: ticker.openStreams, held: held() }).toEqual({ opened: 1, open: 1, held: 1 });
  // The linger time of this second group ends later than the linger time of the first group would have ended.
  join(undefined, 1, 'other').subscriber!.leave();
  await waitUntil(() => groups.status.groups === 1, 'the other group is removed');
  ticker.emit();
  await waitUntil(() => c.events.length === 2, 'the stream is still open');
  c.subscriber!.leave();
  await waitUntil(() => groups.status.groups === 0, 'the group is removed');
  expect({ open: ticker.openStreams, held: held() }).toEqual({ open: 0, held: 0 });
  join();
  expect(ticker.openedStreams).toBe(3);
  groups.stop();
});

test('group delivers nothing to a subscriber that left and executes no event without subscribers', async () => {
  let executions = 0;
  const { ticker, join, groups } = createGroups({ before: async () => void executions++ });
  const reader = join();
  ticker.emit();
  reader.subscriber!.leave();
  reader.subscriber!.leave();
  ticker.emit();
  await turns();
  expect(reader.events).toEqual([]);
  expect(reader.ended).toBeUndefined();
  expect(executions).toBeLessThan(2);
  expect(groups.status.subscribers).toBe(0);
  groups.stop();
});

test.each([
  ['with an error', new GraphError('UPSTREAM_UNAVAILABLE', 'gone')],
  ['normally', undefined],
])(
  'stream that ends %s delivers its pending events before the end, and the next subscriber opens a new stream',
  async (_case, error) => {
    const { ticker, join, groups } = createGroups();
    const [fast, slow] = [join(), join(undefined, 1)];
    ticker.emit(2);
    ticker.end(error);
    const next = join();
    ticker.emit();
    await waitUntil(() => next.events.length === 1, 'the new stream delivers an event');
    expect([fast.numbers, fast.ended]).toEqual([[1, 2], { error }]);
    expect([slow.numbers, slow.ended]).toEqual([[1], undefined]);
    slow.read(5);
    expect([slow.numbers, slow.ended]).toEqual([[1, 2], { error }]);
    join().subscriber!.leave();
    expect(ticker.openedStreams).toBe(2);
    next.subscriber!.leave();
    await waitUntil(() => groups.status.groups === 0, 'both groups are removed');
    expect(ticker.openStreams).toBe(0);
  },
);

test('expired cursor ends only its own subscriber', async () => {
  const { ticker, join } = createGroups();
  const [expired, other] = [join('-1'), join()];
  ticker.emit();
  await waitUntil(
    () => expired.ended !== undefined && other.events.length === 1,
    'one subscriber has its error and the other its event',
  );
  expect(expired.ended!.error).toMatchObject({ code: 'CURSOR_EXPIRED' });
  expect(other.ended).toBeUndefined();
});

test('backlog stops when its subscriber leaves', async () => {
  const { ticker, join } = createGroups();
  for (let i = 0; i < 10; i++) ticker.emit();
  const reader = join('0', 2);
  await waitUntil(() => reader.events.length === 2, 'the replay has begun');
  expect(ticker.activeBacklogs).toBe(1);
  reader.subscriber!.leave();
  await waitUntil(() => ticker.activeBacklogs === 0, 'the backlog is stopped');
});

test('group with 10,000 events waiting for execution ends all its subscribers with SLOW_CONSUMER', async () => {
  const { opened: gate, open: release } = createGate();
  const { ticker, join, groups } = createGroups({ before: () => gate });
  const reader = join();
  ticker.emit();
  for (let i = 0; i < 10; i++) ticker.emit(1_000);
  expect(reader.ended).toBeUndefined();
  ticker.emit();
  expect(reader.ended!.error).toMatchObject({ code: 'SLOW_CONSUMER', extensions: { limit: 10_000, actual: 10_000 } });
  release();
  await turns();
  expect({ open: ticker.openStreams, ...groups.status }).toMatchObject({ open: 0, groups: 0, subscribers: 0 });
});

test('group whose stream cannot be opened retains nothing', () => {
  const groups = new SubscriptionGroups(20, SUBSCRIPTION_LIMITS);
  let held = 0;
  const retainDocument = () => {
    held++;
    return () => void held--;
  };
  const subscribe = () => {
    throw new GraphError('UPSTREAM_UNAVAILABLE', 'no');
  };
  const shared = { key: 'a', executeEvent: createTickEncoder(), priceEvent: () => 1, retainDocument };
  for (const _attempt of [1, 2]) expect(() => groups.join(shared, { subscribe }, new ThrottledSink(), CONNECTION)).toThrow('no');
  expect({ held, ...groups.status }).toMatchObject({ held: 0, groups: 0, subscribers: 0, cost: 0 });
});

test('groups reject a subscriber when their keys exceed 32 Mi characters', () => {
  const groups = new SubscriptionGroups(20, SUBSCRIPTION_LIMITS);
  const ticker = new Ticker();
  const join = (i: number) =>
    groups.join(
      { key: `${i}`.padEnd(1024 * 1024), executeEvent: createTickEncoder(), priceEvent: () => 1, retainDocument: () => () => {} },
      ticker.stream(),
      new ThrottledSink(),
      CONNECTION,
    );
  const first = join(0);
  for (let i = 1; i < 32; i++) join(i);
  const refusal = { limit: 32 * 1024 * 1024, retryable: true };
  expect(() => join(32)).toThrow(expect.objectContaining({ extensions: expect.objectContaining(refusal) }));
  expect(groups.status.groups).toBe(32);
  first.leave();
  ticker.end();
  join(33);
  groups.stop();
  expect(ticker.openStreams).toBe(0);
});

test('groups that one client has opened retain its part of the text, and leave the rest to other clients', () => {
  const ticker = new Ticker();
  const costs = { MAX_CLIENT_SUBSCRIPTION_COST: 100, MAX_SERVER_SUBSCRIPTION_COST: 400 };
  const groups = new SubscriptionGroups(60_000, { ...SUBSCRIPTION_LIMITS, ...costs });
  const documents = new DocumentCache();
  const join = (client: string, key: string, text = '{ a }') =>
    groups.join(
      {
        key,
        executeEvent: createTickEncoder(),
        priceEvent: () => 1,
        retainDocument: (retainText) => documents.retain(text, parse(text), retainText),
      },
      ticker.stream(),
      new ThrottledSink(),
      { client },
    );
  const refusal = (limit: number) =>
    expect.objectContaining({ code: 'TOO_MANY_SUBSCRIPTIONS', extensions: expect.objectContaining({ limit }) });
  const large = (i: number) => `${i}`.padEnd(1024 * 1024);
  // The group of a client that has left still lingers.
  join('a', large(0)).leave();
  for (let i = 1; i < 8; i++) join('a', large(i));
  expect(() => join('a', large(8))).toThrow(refusal(8 * 1024 * 1024));
  join('b', large(8));
  join('a', large(8));
  const document = (i: number) => `{ a${i} }`.padEnd(256 * 1024);
  for (let i = 0; i < 4; i++) join('c', `c${i}`, document(i));
  expect(() => join('c', 'c4', document(4))).toThrow(refusal(1024 * 1024));
  join('c', 'c4', document(0));
  join('b', 'b', document(4));
  groups.stop();
  for (let i = 0; i < 4; i++) join('c', `again${i}`, document(i + 5));
  groups.stop();
  expect({ open: ticker.openStreams, ...groups.status }).toMatchObject({ open: 0, groups: 0, cost: 0 });
});

test('queued events count once for all subscribers, until the last one has read them or has left', async () => {
  const { ticker, join, groups } = createGroups({ padding: 1_000 });
  const sharing = [join(undefined, 0), join(undefined, 0), join(undefined, 0)];
  ticker.emit(2);
  await turns();
  expect(groups.queuedEvents.bytes).toBe(2_000);
  expect(sharing.map(({ subscriber }) => subscriber!.queuedBytes)).toEqual([2_000, 2_000, 2_000]);
  // The backlog of a subscriber that resumes is executed for it alone.
  const resuming = join('0', 0);
  await waitUntil(() => resuming.subscriber!.queuedBytes === 2_000, 'the backlog waits for the subscriber');
  expect(groups.queuedEvents.bytes).toBe(4_000);
  resuming.subscriber!.leave();
  sharing[0]!.read(2);
  sharing[1]!.subscriber!.leave();
  expect(groups.queuedEvents.bytes).toBe(2_000);
  sharing[2]!.read(2);
  expect(groups.queuedEvents.bytes).toBe(0);
  groups.stop();
});

test('lag is the age of the oldest event that is not executed and counts the events of all groups', async () => {
  const { opened: gate, open: release } = createGate();
  const { ticker, join, groups } = createGroups({ before: () => gate });
  const readers = Array.from({ length: 10 }, (_, i) => join(undefined, undefined, `group ${i}`));
  expect(groups.lag).toEqual({ events: 0, seconds: 0 });
  const before = performance.now();
  ticker.emit(2);
  await turns();
  ticker.emit(3);
  expect(groups.lag.events).toBe(50);
  const { seconds } = groups.lag;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual((performance.now() - before) / 1_000);
  readers.pop()!.subscriber!.leave();
  expect(groups.lag.events).toBe(45);
  release();
  await waitUntil(() => readers.every(({ events }) => events.length === 5), 'all events are delivered');
  await waitUntil(() => groups.lag.events === 0, 'no event waits');
  expect(readers.map(({ numbers }) => numbers)).toEqual(readers.map(() => [1, 2, 3, 4, 5]));
  expect(groups.lag.seconds).toBe(0);
  groups.stop();
});

test('server that stops ends all groups and their costs', async () => {
  const { ticker, join, groups } = createGroups();
  const [reader, other] = [join(), join(undefined, undefined, 'other')];
  expect(groups.status.cost).toBe(2);
  groups.stop();
  expect([reader.ended, other.ended]).toEqual([{ error: undefined }, { error: undefined }]);
  expect({ open: ticker.openStreams, ...groups.status }).toMatchObject({ open: 0, groups: 0, subscribers: 0, cost: 0 });
});

test('subscribers that read missed events take turns and do not delay new events', async () => {
  let executions = 0;
  const { opened: gate, open: release } = createGate();
  let isReplaying = true;
  const before = () => {
    executions++;
    return isReplaying ? gate : Promise.resolve();
  };
  const { ticker, join, groups } = createGroups({ before });
  ticker.emit();
  const resuming = Array.from({ length: 20 }, () => join('0'));
  await waitUntil(() => executions === 8, 'eight subscribers execute');
  await turns();
  expect(executions).toBe(8);
  isReplaying = false;
  const current = join();
  ticker.emit();
  await waitUntil(() => current.events.length === 1, 'the new event is delivered');
  expect(executions).toBe(9);
  release();
  await waitUntil(() => resuming.every(({ events }) => events.length === 2), 'all events are delivered');
  expect(resuming.map(({ numbers }) => numbers)).toEqual(resuming.map(() => [1, 2]));
  expect(executions).toBe(21);
  groups.stop();
});
