import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../../../src/server/callers/api-keys.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { LIMITS, startToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** Clients that are no routers and name addresses in the messages of their operations. */
const KEY = 'shop-key-of-this-test';
const LIMITED = { weights: { 'Tick.late': { calls: 1_000 } }, limits: { ...LIMITS, MAX_CLIENT_SUBSCRIPTION_COST: 1_500 } };

/** Connects through a reverse proxy, which appends the address of its client. */
async function connectProxied(url: string): Promise<RawSocket> {
  const socket = await RawSocket.connect(url, { headers: { 'x-forwarded-for': '198.51.100.4' } });
  cleanups.push(() => socket.close());
  return socket;
}

/** Sends an operation that names another address than the others. */
const send = (socket: RawSocket, id: number, query: string, headers: object = {}): void =>
  socket.send({
    ...{ id: String(id), type: 'subscribe' },
    payload: { query, extensions: { headers: { 'x-forwarded-for': `203.0.113.${id}`, ...headers } } },
  });

const errorsOf = ({ messages }: RawSocket): number => messages.filter(({ type }) => type === 'error').length;
const subscription = (id: number): string => `subscription { ticks { a${id}: n late } }`;

test('a client behind a reverse proxy does not choose the address that counts its requests', async () => {
  const toy = await startToyServer({ trustedProxies: ['127.0.0.0/8'], rateLimits: { requestsPerMinute: 2 } });
  const client = await connectProxied(toy.url);
  for (let id = 1; id <= 6; id++) send(client, id, '{ answer }');
  await waitUntil(() => errorsOf(client) === 4, 'the others are rejected');
  expect(client.messages.filter(({ type }) => type === 'next')).toHaveLength(2);
});

test('a client behind a reverse proxy does not choose the address that counts its subscriptions', async () => {
  const toy = await startToyServer({ trustedProxies: ['127.0.0.0/8'], ...LIMITED });
  const client = await connectProxied(toy.url);
  for (let id = 1; id <= 5; id++) send(client, id, subscription(id));
  await waitUntil(() => errorsOf(client) === 4, 'the others are rejected');
  expect(await toy.metric('subscriptions')).toBe(1);
});

test('a client with a key has the limits of its application, whatever address its messages name', async () => {
  const toy = await startToyServer({ callers: { apiKeys: parseApiKeys([`shop=${KEY}`]) }, ...LIMITED });
  const client = await RawSocket.connect(toy.url, { init: false });
  cleanups.push(() => client.close());
  client.send({ type: 'connection_init', payload: { 'x-api-key': KEY } });
  await client.waitForMessage(({ type }) => type === 'connection_ack');
  client.send({ id: '0', type: 'subscribe', payload: { query: subscription(0) } });
  await waitUntil(async () => (await toy.metric('subscriptions')) === 1, 'the first subscription runs');
  send(client, 1, subscription(1), { 'x-api-key': KEY });
  await waitUntil(() => errorsOf(client) === 1, 'the second one is rejected');
  expect(await toy.metric('subscriptions')).toBe(1);
});
