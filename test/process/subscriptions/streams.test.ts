import { beforeAll, expect, test } from '@jest/globals';
import { stopAfterTests } from '../../support/cleanups.ts';
import { acknowledge, consume, execute } from '../../support/clients/stream-consumer.ts';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { sharedDevnet, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { APP_KEYS, CLIENT_HEADERS } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Named streams of the built program: two servers on one PostgreSQL, over a chain whose blocks do not change. */
const SHOP = CLIENT_HEADERS['x-api-key']!;
let servers: readonly [GraphProcess, GraphProcess];
const otherChain = new SimChain({ seed: 1, bloom: 'real' });

beforeAll(async () => {
  const postgres = await startTestPostgres();
  otherChain.mine(3);
  const node = await startSimNode({ chain: otherChain, chainId: '0x5' });
  stopAfterTests(() => node.stop());
  const settings = {
    ...upstreamSettings(sharedDevnet()),
    DATABASE_URL: await postgres.createDatabase(),
    API_KEYS: `shop=${SHOP},farm=${APP_KEYS.farm}`,
    CHAINS: writeChainsFile([{ id: 5, rpcUrl: node.url, rpcWsUrl: node.wsUrl }]),
  };
  // One after the other: the chain of the shared network is enough for both.
  servers = [await startGraph(settings), await startGraph({ ...settings, MAX_STREAMS: '3' })];
});

const cursorsOf = (events: readonly { cursor: string }[]) => events.map(({ cursor }) => cursor);

test('a stream continues after the last acknowledged event, through another server, and repeats what was not acknowledged', async () => {
  const all = consume(servers[0], 'subscription { logs(fromBlock: 0) { cursor } }');
  await all.waitFor(12);
  const query = 'subscription { logs(stream: "orders", fromBlock: 0) { cursor } }';
  const first = consume(servers[0], query);
  await first.waitFor(5);
  first.kill();
  // Nothing is acknowledged: the stream begins again.
  const second = consume(servers[1], query);
  await second.waitFor(5);
  expect(cursorsOf(second.events.slice(0, 5))).toEqual(cursorsOf(all.events.slice(0, 5)));
  const { data } = await acknowledge(servers[0], 'orders', second.events[2].cursor);
  expect(data).toEqual({ acknowledge: { name: 'orders', cursor: second.events[2].cursor, isActive: true } });
  second.kill();
  // The start of a later subscription does not count.
  const third = consume(servers[0], 'subscription { logs(stream: "orders") { cursor } }');
  await third.waitFor(9);
  expect(cursorsOf(third.events.slice(0, 9))).toEqual(cursorsOf(all.events.slice(3, 12)));
});

test('logPages and newHeads have streams, and a new stream without a start begins at the next block', async () => {
  const pages = consume(servers[0], 'subscription { logPages(stream: "pages", fromBlock: 0) { cursor nodes { cursor } } }');
  await pages.waitFor(2);
  const heads = consume(servers[0], 'subscription { newHeads(stream: "heads", fromBlock: 2) { hash number } }');
  await heads.waitFor(3);
  heads.kill();
  expect((await acknowledge(servers[1], 'heads', heads.events[1].hash)).code).toBeUndefined();
  // The start of a stream that exists does not count, even one for which no stream would be created.
  const again = consume(servers[1], 'subscription { newHeads(stream: "heads", fromBlock: 90000000) { hash number } }');
  await again.waitFor(1);
  expect(again.events[0].number).toBe('0x4');
  const wrong = await acknowledge(servers[0], 'heads', pages.events[0].cursor);
  expect(wrong.code).toBe('BAD_USER_INPUT');
  const live = consume(servers[0], 'subscription { newHeads(stream: "live") { number } }');
  await waitUntil(async () => (await execute(servers[0], '{ streams { name } }')).data.streams.length === 4, 'the streams exist');
  const { data } = await execute(servers[0], '{ block { number } streams { name subscription cursor fromBlock isActive } }');
  expect(data.streams).toEqual([
    { name: 'heads', subscription: 'newHeads', cursor: heads.events[1].hash, fromBlock: '0x2', isActive: true },
    {
      name: 'live',
      subscription: 'newHeads',
      cursor: null,
      fromBlock: `0x${(Number(data.block.number) + 1).toString(16)}`,
      isActive: true,
    },
    expect.objectContaining({ name: 'orders', subscription: 'logs', fromBlock: '0x0' }),
    { name: 'pages', subscription: 'logs', cursor: null, fromBlock: '0x0', isActive: true },
  ]);
  expect(live.events).toEqual([]);
  const misused = consume(servers[0], 'subscription { logs(stream: "heads") { cursor } }');
  await misused.waitForEnd();
  expect(misused.codes).toEqual(['BAD_USER_INPUT']);
});

test('a second consumer waits, and takes over when the first has disconnected', async () => {
  const query = 'subscription { newHeads(stream: "heads", fromBlock: 2) { number } }';
  const first = consume(servers[0], query);
  await first.waitFor(1);
  const second = consume(servers[1], query);
  await waitUntil(
    async () => (await execute(servers[1], '{ streams { isActive } }')).data.streams[0].isActive,
    'the stream is active',
  );
  expect(second.events).toEqual([]);
  first.kill();
  await second.waitFor(1);
  expect(second.codes).toEqual([]);
});

test('the streams of an application are its own, and need a caller', async () => {
  expect(await acknowledge(servers[0], 'heads', `0x${'a'.repeat(64)}`, APP_KEYS.farm)).toEqual({
    data: null,
    code: 'STREAM_NOT_FOUND',
  });
  expect((await execute(servers[0], '{ streams { name } }', APP_KEYS.farm)).data).toEqual({ streams: [] });
  expect((await execute(servers[0], 'mutation { deleteStream(name: "heads") }', APP_KEYS.farm)).data).toEqual({
    deleteStream: false,
  });
  expect((await execute(servers[0], 'mutation { acknowledge(stream: "heads", cursor: "no") { name } }')).code).toBe(
    'BAD_USER_INPUT',
  );
  const tooMany = consume(servers[1], 'subscription { logs(stream: "more") { cursor } }');
  await tooMany.waitForEnd();
  expect(tooMany.codes).toEqual(['TOO_MANY_STREAMS']);
});

test('a stream is not created with a start above the next block', async () => {
  const ahead = consume(servers[0], 'subscription { newHeads(stream: "ahead", fromBlock: 90000000) { number } }');
  await ahead.waitForEnd();
  expect(ahead.codes).toEqual(['BLOCK_NOT_AVAILABLE']);
  expect((await execute(servers[0], 'mutation { deleteStream(name: "ahead") }')).data).toEqual({ deleteStream: false });
});

test('a deleted stream ends its subscription', async () => {
  const consumer = consume(servers[0], 'subscription { newHeads(stream: "live") { number } }');
  await waitUntil(
    async () => (await execute(servers[0], '{ streams { name isActive } }')).data.streams[1].isActive,
    'the stream is active',
  );
  expect((await execute(servers[1], 'mutation { deleteStream(name: "live") }')).data).toEqual({ deleteStream: true });
  await consumer.waitForEnd();
  expect(consumer.codes).toEqual(['STREAM_IN_USE']);
});

test('a stream belongs to the chain of its subscription', async () => {
  const query = 'subscription { newHeads(stream: "five", chainId: 5, fromBlock: 1) { hash number } }';
  const first = consume(servers[0], query);
  await first.waitFor(2);
  expect((await acknowledge(servers[1], 'five', first.events[0].hash)).code).toBeUndefined();
  first.kill();
  const again = consume(servers[1], query);
  await again.waitFor(1);
  expect(again.events[0]).toEqual({ number: '0x2', hash: first.events[1].hash });
  const { data } = await execute(servers[0], '{ streams { name chainId } chain(id: 5) { streams { name } } }');
  expect(data.streams).toContainEqual({ name: 'five', chainId: '0x5' });
  expect(data.chain.streams.map(({ name }: { name: string }) => name)).toEqual(
    data.streams.map(({ name }: { name: string }) => name),
  );
  const misused = consume(servers[0], 'subscription { newHeads(stream: "five") { hash } }');
  await misused.waitForEnd();
  expect(misused.codes).toEqual(['BAD_USER_INPUT']);
});
