import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../src/server/callers/api-keys.ts';
import { cleanups } from '../support/cleanups.ts';
import { RawSocket } from '../support/clients/raw-socket.ts';
import { LIMITS, startToyServer, type ToyServer, waitUntil } from '../support/graph/toy-server.ts';

/** Routers that send the operations of many clients over one WebSocket, with the headers of each client in `extensions.headers`. */
const SHOP = 'shop-key-of-this-test';
const FARM = 'farm-key-of-this-test';
const ROUTER = 'router-key-of-this-test';
const TOKEN = 'aaaa.bbbb.cccc';
/** One event of `expensive` costs 1,001. */
const WEIGHTS = { 'Tick.late': { calls: 1_000 } };
const expensive = (name: string): string => `subscription { ticks { ${name}: n late } }`;
const PROXIES = ['127.0.0.0/8'];

let toy: ToyServer;
const start = async (options: Parameters<typeof startToyServer>[0] = {}): Promise<void> => {
  toy = await startToyServer({
    callers: { apiKeys: parseApiKeys([`shop=${SHOP}`, `farm=${FARM}`, `router=${ROUTER}`]) },
    ...options,
  });
};

async function connect(headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = await RawSocket.connect(toy.url, { headers, init: false });
  cleanups.push(() => socket.close());
  socket.send({ type: 'connection_init', payload: { 'x-api-key': ROUTER } });
  await socket.waitForMessage(({ type }) => type === 'connection_ack');
  return socket;
}

const subscribe = (socket: RawSocket, id: string, query: string, headers?: object): void =>
  socket.send({ id, type: 'subscribe', payload: { query, extensions: { headers } } });

const codeOf = async (socket: RawSocket, id: string) => (await socket.waitForEnd(id)).payload[0].extensions.code;

const subscriptionsAre = (count: number) =>
  waitUntil(async () => (await toy.metric('subscriptions')) === count, `${count} subscriptions`);

test('each operation over the socket of a router has the caller of its headers, and a wrong key fails it alone', async () => {
  await start({ authenticatedFields: new Set(['Query.big']) });
  const router = await connect();
  subscribe(router, 'shop', '{ big(size: 2) }', { 'X-Api-Key': SHOP });
  expect(await router.waitForResults('shop', 1)).toEqual([{ data: { big: 'xx' } }]);
  expect(toy.state.operations.at(-1)?.caller).toEqual({ app: 'shop' });
  subscribe(router, 'farm', '{ big(size: 2) }', { authorization: `Bearer ${FARM}`, 'x-api-key': null });
  expect(await router.waitForResults('farm', 1)).toEqual([{ data: { big: 'xx' } }]);
  expect(toy.state.operations.at(-1)?.caller).toEqual({ app: 'farm' });
  subscribe(router, 'wrong', '{ big(size: 2) }', { 'x-api-key': 'wrong' });
  expect(await codeOf(router, 'wrong')).toBe('UNAUTHENTICATED');
  for (const [id, headers] of Object.entries({ none: undefined, other: { 'x-request-id': '1' }, text: 'x', list: [SHOP] })) {
    subscribe(router, id, '{ big(size: 2) }', headers as object);
    expect(await router.waitForResults(id, 1)).toEqual([{ data: { big: 'xx' } }]);
    expect(toy.state.operations.at(-1)?.caller).toEqual({ app: 'router' });
  }
});

test('costs and running operations count for each caller, not for the socket of the router', async () => {
  await start({ weights: WEIGHTS, limits: { ...LIMITS, MAX_SUBSCRIPTION_COST: 2_500 }, maxSubscriptions: 3 });
  const router = await connect();
  for (const [app, key] of Object.entries({ shop: SHOP, farm: FARM }))
    for (const id of ['a', 'b']) subscribe(router, `${app} ${id}`, expensive(app + id), { 'x-api-key': key });
  for (const id of ['a', 'b']) subscribe(router, id, expensive(id));
  await subscriptionsAre(6);
  subscribe(router, 'costly', expensive('c'), { 'x-api-key': SHOP });
  const { payload } = await router.waitForEnd('costly');
  expect(payload[0].extensions).toMatchObject({
    code: 'TOO_MANY_SUBSCRIPTIONS',
    setting: 'MAX_SUBSCRIPTION_COST',
    actual: 3_003,
  });
  subscribe(router, 'third', expensive('shopa'), { 'x-api-key': SHOP });
  await subscriptionsAre(7);
  subscribe(router, 'fourth', expensive('shopa'), { 'x-api-key': SHOP });
  expect((await router.waitForEnd('fourth')).payload[0].extensions).toMatchObject({ setting: 'MAX_SUBSCRIPTIONS', actual: 4 });
  for (const id of ['shop a', 'shop b', 'third']) router.send({ id, type: 'complete' });
  await subscriptionsAre(4);
  for (const id of ['a', 'b']) subscribe(router, `again ${id}`, expensive(`again${id}`), { 'x-api-key': SHOP });
  await subscriptionsAre(6);
});

test('clients without a key count by the address that a listed router forwards; from another peer, with its socket', async () => {
  const limits = { ...LIMITS, MAX_SUBSCRIPTION_COST: 1_500, MAX_CLIENT_SUBSCRIPTION_COST: 1_500 };
  const from = (address: string) => ({ 'x-forwarded-for': address });
  await start({ callers: {}, weights: WEIGHTS, limits, trustedProxies: PROXIES });
  const [router, other] = [await connect(), await connect()];
  for (const [i, address] of ['198.51.100.4', '198.51.100.5', '198.51.100.6'].entries())
    subscribe(router, address, expensive(`t${i}`), from(address));
  await subscriptionsAre(3);
  subscribe(other, 'again', expensive('c'), from('198.51.100.4'));
  expect((await other.waitForEnd('again')).payload[0].extensions).toMatchObject({ setting: 'MAX_CLIENT_SUBSCRIPTION_COST' });

  await start({ callers: {}, weights: WEIGHTS, limits });
  const unlisted = await connect();
  subscribe(unlisted, 'first', expensive('a'), from('198.51.100.4'));
  await subscriptionsAre(1);
  subscribe(unlisted, 'second', expensive('b'), from('198.51.100.5'));
  expect((await unlisted.waitForEnd('second')).payload[0].extensions).toMatchObject({ setting: 'MAX_SUBSCRIPTION_COST' });
});

test('a listed router may send the subscriptions of 500 clients at once; another peer is closed with 4429', async () => {
  await start({ callers: {}, trustedProxies: PROXIES });
  const router = await connect();
  const send = (socket: RawSocket) => {
    for (let i = 0; i < 500; i++)
      subscribe(socket, String(i), 'subscription { ticks { n } }', { 'x-forwarded-for': `198.51.100.${i % 250}` });
  };
  send(router);
  await subscriptionsAre(500);
  const proxied = await connect({ 'x-forwarded-for': '198.51.100.4' });
  send(proxied);
  expect((await proxied.closed).code).toBe(4429);
});

test('a token that expires ends its operation alone', async () => {
  let expiresAt = 0;
  await start({
    callers: {
      apiKeys: parseApiKeys([`shop=${SHOP}`, `router=${ROUTER}`]),
      verifyToken: async () => ({ app: 'user', expiresAt }),
    },
  });
  const router = await connect();
  subscribe(router, 'shop', 'subscription { ticks { n } }', { 'x-api-key': SHOP });
  await subscriptionsAre(1);
  expiresAt = Date.now() + 100;
  subscribe(router, 'token', 'subscription { ticks { n } }', { authorization: `Bearer ${TOKEN}` });
  expect(await codeOf(router, 'token')).toBe('UNAUTHENTICATED');
  await subscriptionsAre(1);
  toy.state.ticker().emit();
  expect(await router.waitForResults('shop', 1)).toEqual([{ data: { ticks: { n: 1 } } }]);
});

test('without keys, a client of a local router is local unless it comes from elsewhere', async () => {
  await start({ callers: {}, authenticatedFields: new Set(['Query.big']) });
  const local = await connect();
  subscribe(local, 'key', '{ big(size: 2) }', { authorization: 'Bearer of-another-subgraph' });
  expect(await local.waitForResults('key', 1)).toEqual([{ data: { big: 'xx' } }]);
  subscribe(local, 'remote', '{ big(size: 2) }', {
    authorization: 'Bearer of-another-subgraph',
    'x-forwarded-for': '198.51.100.4',
  });
  expect(await codeOf(local, 'remote')).toBe('UNAUTHENTICATED');
  const page = await connect({ 'x-real-ip': '198.51.100.4' });
  subscribe(page, 'page', '{ big(size: 2) }', { authorization: 'Bearer anything' });
  expect(await codeOf(page, 'page')).toBe('UNAUTHENTICATED');
});
