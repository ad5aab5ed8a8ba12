import { expect, test } from '@jest/globals';
import { SubscriptionGroups } from '../../../src/graphql/subscriptions/groups.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { createTickEncoder, SUBSCRIPTION_LIMITS, ThrottledSink } from '../../support/subscriptions/throttled-sink.ts';
import { Ticker } from '../../support/subscriptions/ticker.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface SubscriberState {
  readonly reader: ThrottledSink;
  /** The event after which it resumed or joined. */
  readonly behind: number;
  hasLeft: boolean;
}

/** Asserts that a member received every event after its position, in order and once. */
function checkDelivery({ reader, behind, hasLeft }: SubscriberState, last: number): void {
  const expected = Array.from({ length: reader.events.length }, (_, i) => behind + 1 + i);
  expect(reader.numbers).toEqual(expected);
  if (reader.ended) {
    expect(reader.ended.error).toMatchObject({ code: 'SLOW_CONSUMER' });
    const { cursor } = reader.ended.error.extensions;
    expect(cursor).toBe(reader.events.length === 0 ? undefined : String(reader.numbers.at(-1)));
  } else if (!hasLeft) expect(behind + reader.events.length).toBe(last);
}

/** Runs random actions on one group. */
async function live(from: number, steps: number): Promise<{ cut: number; resumed: number }> {
  const next = random(from);
  const pick = (count: number) => Math.floor(next() * count);
  const nap = (): Promise<void> => (next() < 0.5 ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve)));
  const ticker = new Ticker();
  ticker.beforeReplay = () => (next() < 0.1 ? nap() : Promise.resolve());
  const groups = new SubscriptionGroups(1, SUBSCRIPTION_LIMITS);
  // So large that 17 queued events are too many.
  const executeEvent = createTickEncoder(() => (next() < 0.1 ? nap() : Promise.resolve()), 64 * 1024);
  const all: SubscriberState[] = [];
  let last = 0;
  let resumed = 0;
  const join = (after: number | undefined): void => {
    const reader = new ThrottledSink();
    const place = after === undefined ? undefined : String(after);
    reader.capacity = next() < 0.5 ? Number.POSITIVE_INFINITY : pick(20);
    reader.subscriber = groups.join(
      { key: '', executeEvent, priceEvent: () => 1, retainDocument: () => () => {} },
      ticker.stream(place),
      reader,
      { client: undefined },
    );
    all.push({ reader, behind: after ?? last, hasLeft: false });
  };
  const there = () => all.filter(({ reader, hasLeft }) => !hasLeft && !reader.ended);
  for (let step = 0; step < steps; step++) {
    const someone = there()[pick(there().length)];
    const chance = next();
    if (chance < 0.35) {
      const count = 1 + pick(20);
      last += count;
      ticker.emit(count);
    } else if (chance < 0.5) join(undefined);
    else if (chance < 0.65) join(pick(last + 1));
    else if (chance < 0.7 && someone) {
      someone.hasLeft = true;
      someone.reader.subscriber!.leave();
    } else if (chance < 0.85) someone?.reader.read(pick(60));
    else await nap();
    for (const { reader } of all.filter(({ reader }) => reader.ended && reader.events.length > 0)) {
      if (next() > 0.02) continue;
      resumed++;
      join(reader.numbers.at(-1)!);
    }
  }
  const isDone = () => {
    for (const { reader } of there()) reader.read(Number.POSITIVE_INFINITY);
    return there().every(({ reader, behind }) => behind + reader.events.length === last);
  };
  await waitUntil(isDone, 'every remaining subscriber has every event');
  for (const someone of all) checkDelivery(someone, last);
  for (const { reader } of there()) reader.subscriber!.leave();
  await waitUntil(() => groups.status.groups === 0 && ticker.activeBacklogs === 0, 'nothing is left');
  expect({ subscribers: groups.status.subscribers, open: ticker.openStreams }).toEqual({ subscribers: 0, open: 0 });
  return { cut: groups.status.slow, resumed };
}

test('subscription group delivers each event after a position once, under random actions', async () => {
  const from = readSeed();
  process.stdout.write(`interleavings: SEED=${from}\n`);
  let cut = 0;
  let resumed = 0;
  for (let i = 0; i < runSize(12, 2_000); i++) {
    const emitted = await live(from + i, 120).catch((error) => {
      throw new Error(`SEED=${from + i}: ${error.stack}`);
    });
    cut += emitted.cut;
    resumed += emitted.resumed;
  }
  process.stdout.write(`subscription groups: ${cut} slow consumers, ${resumed} resumed\n`);
  // The run must have covered these cases.
  expect(Math.min(cut, resumed)).toBeGreaterThanOrEqual(runSize(0, 1));
});
