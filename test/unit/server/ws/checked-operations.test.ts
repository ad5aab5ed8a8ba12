import { once } from 'node:events';
import { type AddressInfo, Server } from 'node:net';
import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../../../src/server/callers/api-keys.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { createGate } from '../../../support/gate.ts';
import { LIMITS, startToyServer, type ToyServer, waitUntil } from '../../../support/graph/toy-server.ts';

/** Operations of one socket that wait for one thing: the keys of tokens, or the primary process that checks their rates. */
const ROUTER = 'router-key-of-this-test';

type ToyServerOptions = NonNullable<Parameters<typeof startToyServer>[0]>;

async function connect({ url }: ToyServer, payload?: object): Promise<RawSocket> {
  const socket = await RawSocket.connect(url, { init: false });
  cleanups.push(() => socket.close());
  socket.send({ type: 'connection_init', payload });
  await socket.waitForMessage(({ type }) => type === 'connection_ack');
  return socket;
}

/** A server whose checks wait until the gate opens, and the number of operations that wait. */
async function startChecking(optionsOf: (check: <T>(value: T) => Promise<T>) => ToyServerOptions) {
  const { opened, open } = createGate();
  let waiting = 0;
  const toy = await startToyServer(
    optionsOf(async (value) => {
      waiting += 1;
      await opened;
      return value;
    }),
  );
  const openAfter = async (count: number) => {
    await waitUntil(() => waiting === count, `${count} operations wait`);
    open();
  };
  return { toy, openAfter };
}

/** As a worker, whose primary process checks the rates. */
const startWorkerChecking = (options: ToyServerOptions = {}) =>
  startChecking((check) => {
    let render: () => Promise<string>;
    const shared: ToyServerOptions['shared'] = {
      requestLimits: { check: () => check('address:1'), spend() {} },
      counts: { set() {}, others: () => 0 },
      async listen(server, host, port) {
        await once(Server.prototype.listen.call(server, { port, host }), 'listening');
        const { port: own } = server.address() as AddressInfo;
        return { url: `http://127.0.0.1:${own}`, close: () => void Server.prototype.close.call(server) };
      },
      attach({ registry }) {
        render = () => registry.metrics();
      },
      closeIdleElsewhere: async () => false,
      renderMetrics: () => render(),
    };
    return { ...options, shared };
  });

const startRouterChecking = (options: ToyServerOptions) =>
  startChecking((check) => ({
    ...options,
    callers: {
      apiKeys: parseApiKeys([`router=${ROUTER}`]),
      verifyToken: () => check({ app: 'user', expiresAt: Date.now() + 60_000 }),
    },
  }));

const forwarded = (query: string) => ({ query, extensions: { headers: { authorization: 'Bearer aaaa.bbbb.cccc' } } });
const errorsOf = ({ messages }: RawSocket) =>
  messages.filter(({ type }) => type === 'error').map(({ payload }) => payload[0].extensions.code);

test.each([
  ['MAX_SUBSCRIPTIONS', { maxSubscriptions: 1 }],
  ['MAX_SUBSCRIPTION_COST', { weights: { 'Tick.late': { calls: 1_000 } }, limits: { ...LIMITS, MAX_SUBSCRIPTION_COST: 1_500 } }],
])('%s counts all operations of one client of a router whose tokens are verified at once', async (_limit, options) => {
  const { toy, openAfter } = await startRouterChecking(options);
  const router = await connect(toy, { 'x-api-key': ROUTER });
  for (const id of ['a', 'b', 'c'])
    router.send({ id, type: 'subscribe', payload: forwarded(`subscription { ticks { ${id}: n late } }`) });
  await openAfter(3);
  await waitUntil(() => errorsOf(router).length === 2, 'two are rejected');
  expect(errorsOf(router)).toEqual(['TOO_MANY_SUBSCRIPTIONS', 'TOO_MANY_SUBSCRIPTIONS']);
  expect(await toy.metric('subscriptions')).toBe(1);
});

test('MAX_SUBSCRIPTIONS counts all operations whose rates the primary process checks at once', async () => {
  const { toy, openAfter } = await startWorkerChecking({ maxSubscriptions: 1 });
  const socket = await connect(toy);
  for (const id of ['a', 'b', 'c']) socket.subscribe(id, 'subscription { ticks { n } }');
  await openAfter(3);
  await waitUntil(() => errorsOf(socket).length === 2, 'two are rejected');
  expect(await toy.metric('subscriptions')).toBe(1);
});

test('an operation that its client has completed before its rate was checked does not start under the id of the next one', async () => {
  const { toy, openAfter } = await startWorkerChecking();
  const socket = await connect(toy);
  socket.subscribe('x', 'subscription { ticks(name: "a") { n } }');
  socket.send({ id: 'x', type: 'complete' });
  socket.subscribe('x', 'subscription { ticks(name: "b") { n } }');
  await openAfter(2);
  await waitUntil(() => toy.state.openStreams > 0, 'one runs');
  toy.state.ticker('a').emit();
  toy.state.ticker('b').emit(2);
  await socket.waitForResults('x', 2);
  expect(socket.resultsOf('x').map(({ data }) => data.ticks.n)).toEqual([1, 2]);
  socket.send({ id: 'x', type: 'complete' });
  await waitUntil(() => toy.state.openStreams === 0, 'none runs');
});

test('an operation whose client has left before its rate was checked does not start', async () => {
  const { toy, openAfter } = await startWorkerChecking();
  const socket = await connect(toy);
  socket.subscribe('x', 'subscription { ticks { n } }');
  await waitUntil(async () => (await toy.metric('sockets')) === 1, 'the client is connected');
  socket.close();
  await waitUntil(async () => (await toy.metric('sockets')) === 0, 'the client has left');
  await openAfter(1);
  await new Promise(setImmediate);
  expect(toy.state.openStreams).toBe(0);
});
