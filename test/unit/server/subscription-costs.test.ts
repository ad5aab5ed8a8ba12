import { afterEach, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { parseApiKeys } from '../../../src/server/callers/api-keys.ts';
import { cleanups } from '../../support/cleanups.ts';
import { connectEventStream, type EventStreamClient } from '../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { LIMITS, startToyServer, type ToyServer, waitUntil } from '../../support/graph/toy-server.ts';

let toy: ToyServer;

afterEach(() => waitUntil(async () => (await toy.metric('event_streams')) === 0, 'the event streams are closed'));

/** A field `late` that costs 1,000, so that one event of `expensive` costs 1,001. */
const WEIGHTS = { 'Tick.late': { calls: 1_000 } };
const EVENT_COST = 1_001;
/** A subscription with one group for each name. */
const expensive = (name: string): string => `subscription { ticks { ${name}: n late } }`;

async function start(limits: Partial<typeof LIMITS> = {}, trustedProxies: string[] = []): Promise<void> {
  toy = await startToyServer({ weights: WEIGHTS, limits: { ...LIMITS, ...limits }, trustedProxies });
}

async function openSocket(headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = await RawSocket.connect(toy.url, { headers });
  cleanups.push(() => socket.close());
  return socket;
}

async function connectStream(query: string, headers: Record<string, string> = {}): Promise<EventStreamClient> {
  const stream = await connectEventStream(toy.url, { query }, { headers });
  cleanups.push(() => stream.close());
  return stream;
}

const costIs = (cost: number) =>
  waitUntil(async () => (await toy.metric('subscription_cost')) === cost, `the cost of the subscriptions is ${cost}`);

const excess = (setting: string, limit: number, groups: number) => ({
  code: 'TOO_MANY_SUBSCRIPTIONS',
  limit,
  actual: groups * EVENT_COST,
  setting,
});

test('WebSocket above MAX_SUBSCRIPTION_COST gets an error of the operation and may subscribe after completing another', async () => {
  await start({ MAX_SUBSCRIPTION_COST: 2_500 });
  const socket = await openSocket();
  for (const id of ['a', 'b', 'c']) socket.subscribe(id, expensive(id));
  const { type, payload } = await socket.waitForEnd('c');
  expect([type, payload[0].extensions]).toMatchObject(['error', excess('MAX_SUBSCRIPTION_COST', 2_500, 3)]);
  expect(payload[0].message).toMatch(/3003.*2500 \(MAX_SUBSCRIPTION_COST\)/);
  // An equal subscription shares the execution, so it adds no cost.
  socket.subscribe('a again', expensive('a'));
  socket.subscribe('query', '{ answer }');
  expect(await socket.waitForResults('query', 1)).toEqual([{ data: { answer: 42 } }]);
  await costIs(2 * EVENT_COST);
  socket.send({ id: 'b', type: 'complete' });
  socket.subscribe('d', expensive('d'));
  await waitUntil(async () => (await toy.metric('subscriptions')) === 3, 'the third group is joined');
  toy.state.ticker().emit();
  expect(await socket.waitForResults('d', 1)).toEqual([{ data: { ticks: { d: 1, late: 1 } } }]);
  expect(socket.resultsOf('a again')).toEqual([{ data: { ticks: { a: 1, late: 1 } } }]);
});

test('clients behind a trusted proxy are counted by their forwarded addresses', async () => {
  await start({ MAX_CLIENT_SUBSCRIPTION_COST: 1_500 }, ['127.0.0.0/8']);
  const behind = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` });
  const first = await openSocket(behind('198.51.100.4'));
  first.subscribe('a', expensive('a'));
  await connectStream(expensive('b'), behind('198.51.100.5'));
  await costIs(2 * EVENT_COST);
  const error = { extensions: excess('MAX_CLIENT_SUBSCRIPTION_COST', 1_500, 2) };
  const again = await openSocket(behind('198.51.100.5'));
  again.subscribe('c', expensive('c'));
  expect((await again.waitForEnd('c')).payload).toMatchObject([error]);
  const stream = await connectStream(expensive('d'), behind('198.51.100.4'));
  expect((await stream.waitForEvents(1))[0]!.data).toMatchObject({ errors: [error] });
});

test('costs return to zero when clients complete, disconnect, fail or are refused, and when streams end', async () => {
  await start();
  const [completing, closing, terminated, failing] = await Promise.all(Array.from({ length: 4 }, () => openSocket()));
  for (const socket of [completing, closing, terminated, failing]) socket!.subscribe('a', expensive('a'));
  completing!.subscribe('b', expensive('b'));
  closing!.subscribe('c', expensive('c'));
  terminated!.subscribe('d', expensive('d'));
  const [stream, ended] = [
    await connectStream(expensive('e')),
    await connectStream('subscription { ticks(name: "z") { late } }'),
  ];
  failing!.subscribe('refused', 'subscription { refused { late } }');
  failing!.subscribe('expired', 'subscription { ticks(after: "-1") { late } }');
  await Promise.all([failing!.waitForEnd('refused'), failing!.waitForEnd('expired')]);
  await costIs(6 * EVENT_COST);
  for (const id of ['a', 'b']) completing!.send({ id, type: 'complete' });
  toy.state.ticker('z').end(new GraphError('UPSTREAM_UNAVAILABLE', 'gone'));
  await ended.ended;
  await costIs(4 * EVENT_COST);
  closing!.close();
  terminated!.ws.terminate();
  stream.close();
  await costIs(EVENT_COST);
  toy.state.ticker().end();
  await failing!.waitForEnd('a');
  await costIs(0);
});

test('applications at one address have separate limits, on both transports, also if the address is unknown', async () => {
  const callers = { apiKeys: parseApiKeys(['shop=shop-key-of-this-test', 'farm=farm-key-of-this-test']) };
  toy = await startToyServer({ weights: WEIGHTS, limits: { ...LIMITS, MAX_CLIENT_SUBSCRIPTION_COST: 2_500 }, callers });
  const withKey = (app: string) => {
    const key = `${app}-key-of-this-test`;
    return { authorization: `Bearer ${key}`, 'x-api-key': key };
  };
  const [shop, farm] = [await openSocket(withKey('shop')), await openSocket(withKey('farm'))];
  for (const id of ['a', 'b', 'c']) shop.subscribe(id, expensive(id));
  const { payload } = await shop.waitForEnd('c');
  expect(payload[0].extensions).toMatchObject(excess('MAX_CLIENT_SUBSCRIPTION_COST', 2_500, 3));
  for (const id of ['d', 'e']) farm.subscribe(id, expensive(id));
  await costIs(4 * EVENT_COST);
  const refused = await connectStream(expensive('f'), withKey('farm'));
  await refused.ended;
  expect(refused.events[0]!.data.errors[0].extensions).toMatchObject(excess('MAX_CLIENT_SUBSCRIPTION_COST', 2_500, 3));
  const unlisted = { 'x-forwarded-for': '192.0.2.1' };
  for (const id of ['g', 'h']) await connectStream(expensive(id), { ...withKey('farm'), ...unlisted });
  await costIs(6 * EVENT_COST);
  const last = await connectStream(expensive('i'), { ...withKey('farm'), ...unlisted });
  await last.ended;
  expect(last.events[0]!.data.errors[0].extensions).toMatchObject(excess('MAX_CLIENT_SUBSCRIPTION_COST', 2_500, 3));
});
