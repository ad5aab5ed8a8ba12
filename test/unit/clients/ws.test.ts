import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { follow, type Interruption } from '../../../clients/js/src/index.ts';
import { createWebSocketClient } from '../../../clients/js/src/ws.ts';
import { cleanups } from '../../support/cleanups.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { startToyServer, waitUntil } from '../../support/graph/toy-server.ts';

const TICKS = 'subscription { ticks { n text } }';

/** A server, and a client of it. */
async function start(options: object = {}) {
  const toy = await startToyServer();
  const url = `${toy.url.replace('http', 'ws')}/graphql`;
  const client = createWebSocketClient({ url, webSocketImpl: WebSocket, ...options });
  cleanups.push(() => client.dispose());
  return { toy, client };
}

const untilCollected = (values: readonly WeakRef<object>[]) =>
  waitUntil(() => {
    collectGarbage();
    return values.filter((value) => value.deref() !== undefined).length < 10;
  }, 'the values are collected');

test('a WebSocket client retains no event that its consumer has dropped', async () => {
  const { toy, client } = await start();
  const seen: WeakRef<object>[] = [];
  const control = new AbortController();
  const reading = (async () => {
    for await (const { ticks } of follow<{ ticks: object }>(client, { query: TICKS, signal: control.signal }))
      seen.push(new WeakRef(ticks));
  })();
  await waitUntil(() => toy.state.openStreams === 1, 'the stream is open');
  for (let i = 1; i <= 50; i++) {
    toy.state.ticker().emit();
    await waitUntil(() => seen.length === i, `event ${i}`);
  }
  await untilCollected(seen);
  control.abort();
  await reading;
  expect(seen).toHaveLength(50);
});

test('a WebSocket client retains no operation that has completed', async () => {
  const { client } = await start({ lazyCloseTimeout: 60_000 });
  const operations: WeakRef<object>[] = [];
  for (let i = 0; i < 50; i++) {
    const results = client.iterate({ query: '{ answer }' });
    operations.push(new WeakRef(results));
    for await (const { data } of results) expect(data).toEqual({ answer: 42 });
  }
  await untilCollected(operations);
});

test('a subscription that starts while the connection of the last one closes is not interrupted', async () => {
  const { client } = await start();
  const interruptions: Interruption[] = [];
  const onInterruption = (interruption: Interruption) => interruptions.push(interruption);
  for (let i = 0; i < 5; i++)
    for await (const data of follow(client, { query: '{ answer }', onInterruption })) expect(data).toEqual({ answer: 42 });
  expect(interruptions).toEqual([]);
});

test('a disposed WebSocket client does not connect again for its subscriptions', async () => {
  const { toy, client } = await start();
  const events = follow(client, { query: TICKS, backoff: { firstMs: 1, maxMs: 1 }, maxAttempts: 3 });
  const next = events.next();
  await waitUntil(() => toy.state.openStreams === 1, 'the stream is open');
  await client.dispose();
  await expect(next).rejects.toThrow('The client has been disposed.');
  expect(await toy.metric('sockets')).toBe(0);
});

test('a variable that JSON does not have ends a subscription over a WebSocket at once', async () => {
  const { client } = await start();
  const interruptions: unknown[] = [];
  const events = follow(client, {
    ...{ query: TICKS, variables: { fromBlock: 5n }, backoff: { firstMs: 1, maxMs: 1 }, maxAttempts: 2 },
    onInterruption: ({ error }) => interruptions.push(error),
  });
  await expect(events.next()).rejects.toThrow('BigInt');
  expect(interruptions).toEqual([]);
});

test('a WebSocket client connects again after its `url` has failed', async () => {
  const { url } = await startToyServer();
  let requests = 0;
  const client = createWebSocketClient({
    webSocketImpl: WebSocket,
    async url() {
      requests += 1;
      if (requests === 1) throw new Error('no ticket');
      return `${url.replace('http', 'ws')}/graphql`;
    },
  });
  cleanups.push(() => client.dispose());
  const interruptions: unknown[] = [];
  const onInterruption = ({ error }: Interruption) => interruptions.push(error);
  const events = follow(client, { query: '{ answer }', backoff: { firstMs: 1, maxMs: 1 }, onInterruption });
  expect(await events.next()).toEqual({ done: false, value: { answer: 42 } });
  expect(interruptions).toEqual([new Error('no ticket')]);
  await events.return?.();
});

test('`dispose` does not fail with a connection that is being opened', async () => {
  const server = createServer((socket) => socket.destroy());
  cleanups.push(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createWebSocketClient({ url: `ws://127.0.0.1:${port}`, webSocketImpl: WebSocket });
  const next = client.iterate({ query: TICKS }).next();
  await Promise.all([client.dispose(), expect(next).rejects.toBeDefined()]);
});
