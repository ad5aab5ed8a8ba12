import { beforeAll, expect, test } from '@jest/globals';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer, type ToyServer } from '../../support/graph/toy-server.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Clients that connect and disconnect in every way. */
let toy: ToyServer;

beforeAll(async () => {
  toy = await startToyServer({ timing: { heartbeatMs: 300, initTimeoutMs: 2_000, stallTimeoutMs: 300 } });
});

const queries = [
  'subscription ($after: String) { ticks(after: $after) { n } }',
  'subscription ($after: String) { ticks(after: $after) { n late text } }',
  'subscription { ticks(name: "b") { n } }',
  'subscription { refused { n } }',
  'query { held }',
  '{ answer }',
  '{ nonsense',
];

const GAUGES = ['sockets', 'event_streams', 'subscriptions', 'subscription_groups'];

/** One client, from its connection to one of many ends. */
async function runClient(next: () => number): Promise<void> {
  const pick = (count: number) => Math.floor(next() * count);
  const nap = () => new Promise((resolve) => setTimeout(resolve, pick(10)));
  const query = () => queries[pick(queries.length)]!;
  const variables = () => (next() < 0.5 ? {} : { after: String(pick(50) - 1) });
  if (next() < 0.25) {
    const client = await connectEventStream(toy.url, { query: query(), variables: variables() });
    await nap();
    return client.close();
  }
  const options = { init: next() < 0.9, ...(next() < 0.1 && { autoPong: false }) };
  // On a busy machine the server closes some as SLOW_CONSUMER.
  const socket = await RawSocket.connect(toy.url, options).catch(() => undefined);
  if (!socket) return;
  for (let i = pick(6); i >= 0; i--) {
    socket.subscribe(`${i}`, query(), variables());
    if (next() < 0.3) await nap();
    if (next() < 0.4) socket.send({ id: `${i}`, type: 'complete' });
  }
  await nap();
  const end = next();
  if (end < 0.3) socket.close();
  else if (end < 0.6) socket.ws.terminate();
  else if (end < 0.7) socket.send('nonsense');
  else if (end < 0.8) socket.ws.pause();
  if (end >= 0.7) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.ws.terminate();
  }
}

test('subscriber churn leaves no stream, socket or timer', async () => {
  const from = readSeed();
  process.stdout.write(`subscribers: SEED=${from}\n`);
  const next = random(from);
  toy.state.hold = Promise.resolve();
  const ticking = setInterval(() => {
    toy.state.ticker(next() < 0.7 ? 'a' : 'b').emit(1 + Math.floor(next() * 5), Math.floor(next() * 1_000));
    if (next() < 0.05) toy.state.ticker('a').end();
    if (next() < 0.3) toy.state.hold = new Promise((resolve) => setTimeout(resolve, next() * 20));
  }, 5);
  for (let done = 0; done < runSize(120, 10_000); done += 20) {
    await Promise.all(Array.from({ length: 20 }, () => runClient(next)));
  }
  clearInterval(ticking);
  for (const name of GAUGES)
    await waitUntil(async () => (await toy.metric(name)) === 0, `there are no ${name}, with SEED=${from}`);
  expect({ streams: toy.state.openStreams, opened: toy.state.ticker().openedStreams > 3 }).toEqual({ streams: 0, opened: true });
  expect(await toy.metric('events_sent_total')).toBeGreaterThan(runSize(0, 100));
});
