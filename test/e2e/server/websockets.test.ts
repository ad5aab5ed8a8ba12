import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** The built program over WebSocket and event streams. */
let graph: RunningGraph;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_LIFE: 'off', MAX_SUBSCRIPTIONS: '2' });
});

afterAll(() => graph?.stop());

const QUERY = '{ chainID block(number: 1) { number transactionCount } }';

test('a query returns the same response over HTTP, WebSocket and SSE', async () => {
  const { data } = await graph.execute(QUERY);
  const socket = await RawSocket.connect(graph.url);
  socket.subscribe('1', QUERY);
  const [over] = await socket.waitForResults('1', 1);
  const events = await connectEventStream(graph.url, { query: QUERY });
  await events.ended;
  expect(data.block.number).toBe('0x1');
  expect(over.data).toEqual(data);
  expect(events.events[0]!.data.data).toEqual(data);
  socket.close();
});

test('300 silent WebSocket connections are closed after the init timeout', async () => {
  const one = async () => {
    const socket = await RawSocket.connect(graph.url, { init: false });
    const from = performance.now();
    const { code } = await socket.closed;
    return { code, stayed: performance.now() - from };
  };
  const all = await Promise.all(Array.from({ length: 300 }, one));
  expect(new Set(all.map(({ code }) => code))).toEqual(new Set([4408]));
  expect(Math.max(...all.map(({ stayed }) => stayed))).toBeLessThan(5_000);
});

test('SIGTERM closes WebSockets with 1001 and exits with status 0', async () => {
  const socket = await RawSocket.connect(graph.url);
  const stopped = graph.stop();
  expect((await socket.closed).code).toBe(1001);
  expect(await stopped).toBe(0);
});
