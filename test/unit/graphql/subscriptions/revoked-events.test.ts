import { expect, jest, test } from '@jest/globals';
import type { SourceEvent, SourceEventBatch, SourceStream, SourceStreamListener } from '../../../../src/graphql/stream.ts';
import { EncodedBody } from '../../../../src/graphql/subscriptions/event-execution.ts';
import { SubscriptionGroups } from '../../../../src/graphql/subscriptions/groups.ts';
import { SUBSCRIPTION_LIMITS, ThrottledSink } from '../../../support/subscriptions/throttled-sink.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const added = (cursor: string): SourceEvent => ({ root: {}, cursor });
const removed = (revokes: string): SourceEvent => ({ root: {}, cursor: `-${revokes}`, revokes });

/** One group over a stream that the test emits, and a node that lacks the blocks of some events. */
function createGroup() {
  const groups = new SubscriptionGroups(0, SUBSCRIPTION_LIMITS);
  const missing = new Set<string>();
  const executed: string[] = [];
  let listener: SourceStreamListener | undefined;
  /** What a subscriber that resumes now has missed. */
  let backlog: readonly string[] = [];
  const backlogAfter = (cursor: string | undefined) => {
    const events = backlog.slice(backlog.indexOf(cursor!) + 1).map(added);
    return async function* (): AsyncGenerator<SourceEventBatch> {
      yield events;
    };
  };
  const stream = (after: string | undefined): SourceStream => ({
    subscribe(given) {
      listener = given;
      return () => {};
    },
    backlog: after === undefined ? undefined : backlogAfter(after),
    backlogAfter,
  });
  const join = (after?: string) => {
    const sink = new ThrottledSink();
    const executeEvent = async ({ cursor, revokes }: SourceEvent) => {
      executed.push(cursor!);
      return { body: new EncodedBody([Buffer.from('{}')]), cursor, revokes, isBlockMissing: missing.has(cursor!) };
    };
    const operation = { key: 'logs', executeEvent, priceEvent: () => 1, retainDocument: () => () => {} };
    sink.subscriber = groups.join(operation, stream(after), sink, { client: undefined });
    return { cursors: () => sink.events.map(({ cursor }) => cursor), sink };
  };
  return {
    missing,
    executed,
    join,
    setBacklog: (cursors: readonly string[]) => {
      backlog = cursors;
    },
    emit: (...events: readonly SourceEvent[]) =>
      listener!.next(
        events,
        events.flatMap(({ revokes }) => revokes ?? []),
      ),
    revoke: (...cursors: readonly string[]) => listener!.next([], cursors),
  };
}

const waitForCursor = ({ cursors }: { cursors: () => readonly unknown[] }, cursor: string): Promise<void> =>
  waitUntil(() => cursors().includes(cursor), `${cursor} is delivered`);

test('an event whose block is missing and its removal are not delivered', async () => {
  const { missing, executed, join, emit } = createGroup();
  const subscriber = join();
  missing.add('a2');
  emit(added('a1'), added('a2'), added('a3'));
  await waitForCursor(subscriber, 'a1');
  emit(removed('a3'), removed('a2'), removed('a1'), added('b1'));
  await waitForCursor(subscriber, 'b1');
  expect(subscriber.cursors()).toEqual(['a1', '-a1', 'b1']);
  expect(executed).not.toContain('-a2');
});

test('events on top of a dropped event are dropped, too, although they can be read', async () => {
  const { missing, join, emit } = createGroup();
  const subscriber = join();
  missing.add('a');
  emit(added('a'));
  emit(added('child'));
  emit(removed('child'), added('sibling'));
  emit(removed('sibling'), removed('a'));
  emit(added('b'));
  await waitForCursor(subscriber, 'b');
  expect(subscriber.cursors()).toEqual(['b']);
});

test('an event that is added again after its removal is delivered', async () => {
  const { missing, join, emit } = createGroup();
  const subscriber = join();
  missing.add('a');
  emit(added('a'));
  await new Promise(setImmediate);
  missing.delete('a');
  emit(removed('a'));
  emit(added('a'), added('b'));
  await waitForCursor(subscriber, 'b');
  expect(subscriber.cursors().slice(-2)).toEqual(['a', 'b']);
});

test('an event whose block is missing for a moment is delivered once, before later events', async () => {
  const { missing, executed, join, emit } = createGroup();
  const subscriber = join();
  missing.add('a');
  emit(added('a'));
  emit(added('b'));
  await waitUntil(() => executed.includes('a'), 'the event is executed');
  missing.delete('a');
  await waitForCursor(subscriber, 'b');
  expect(subscriber.cursors()).toEqual(['a', 'b']);
});

test('an event whose block stays missing is delivered with its errors after ten seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const { missing, join, emit } = createGroup();
    const subscriber = join();
    missing.add('a');
    emit(added('a'), added('b'));
    await jest.advanceTimersByTimeAsync(9_000);
    expect(subscriber.cursors()).toEqual([]);
    for (let second = 0; second < 10; second++) await jest.advanceTimersByTimeAsync(1_000);
    expect(subscriber.cursors()).toEqual(['a', 'b']);
  } finally {
    jest.useRealTimers();
  }
});

test('the removal of a dropped event is delivered to a subscriber that joined between both', async () => {
  const { missing, executed, join, emit } = createGroup();
  const early = join();
  missing.add('a');
  emit(added('a'));
  await waitUntil(() => executed.includes('a'), 'the event is executed');
  const late = join();
  emit(removed('a'), added('b'));
  await Promise.all([waitForCursor(early, 'b'), waitForCursor(late, 'b')]);
  expect([early.cursors(), late.cursors()]).toEqual([['b'], ['-a', 'b']]);
});

test('a dropped event that has no removal event, such as a head, is followed by the new branch', async () => {
  const { missing, join, emit, revoke } = createGroup();
  const subscriber = join();
  missing.add('a');
  emit(added('a'));
  emit(added('child'));
  revoke('child', 'a');
  emit(added('b'));
  await waitForCursor(subscriber, 'b');
  expect(subscriber.cursors()).toEqual(['b']);
});

test('a resuming subscriber resumes again after its last event when a missed event cannot be read', async () => {
  const { missing, executed, join, emit, setBacklog } = createGroup();
  join();
  setBacklog(['a1', 'a2', 'a3']);
  missing.add('a3');
  const subscriber = join('a1');
  await waitUntil(() => executed.includes('a3'), 'the missed event is executed');
  // The group received the removal while the subscriber waited; its new backlog contains the whole change.
  setBacklog(['a1', 'a2', 'b3']);
  emit(removed('a3'), added('b3'));
  await waitForCursor(subscriber, 'b3');
  emit(added('c'));
  await waitForCursor(subscriber, 'c');
  expect(subscriber.cursors()).toEqual(['a2', 'b3', 'c']);
});

test('a missed event whose block stays missing executes again in doubling intervals', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  try {
    const { missing, executed, join, setBacklog } = createGroup();
    setBacklog(['a1', 'a2']);
    missing.add('a2');
    const subscriber = join('a1');
    for (let step = 0; step < 200; step++) await jest.advanceTimersByTimeAsync(100);
    expect(subscriber.cursors()).toEqual(['a2']);
    expect(executed.length).toBeLessThan(12);
  } finally {
    jest.useRealTimers();
  }
});
