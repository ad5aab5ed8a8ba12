import { beforeAll, expect, test } from '@jest/globals';
import { acknowledge, consume, execute } from '../../support/clients/stream-consumer.ts';
import { sharedDevnet, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Named streams through kills of the client, of the servers and of PostgreSQL. */
const CLIENT_KILLS = runSize(20, 1_000);
const SERVER_KILLS = runSize(1, 100);
const DATABASE_KILLS = runSize(1, 100);

let postgres: TestPostgres;
let settings: Record<string, string>;
let all: string[];

beforeAll(async () => {
  postgres = await startTestPostgres();
  settings = {
    ...upstreamSettings(sharedDevnet()),
    DATABASE_URL: await postgres.createDatabase(),
    API_KEYS: `shop=${CLIENT_HEADERS['x-api-key']}`,
  };
});

/** Errors after which a client subscribes again: the lease of a killed server has not ended, or the database starts. */
const RETRYABLE = new Set<unknown>(['STREAM_IN_USE', 'STORE_UNAVAILABLE']);

/** A consumer that has received this many events. */
async function consumeEvents(server: GraphProcess, count: number) {
  for (;;) {
    const consumer = consume(server, LOGS);
    await waitUntil(() => consumer.events.length >= count || consumer.hasEnded, `${count} events or the end`);
    if (consumer.events.length >= count) return consumer;
    expect(consumer.codes.filter((code) => !RETRYABLE.has(code))).toEqual([]);
    consumer.kill();
  }
}

const LOGS = 'subscription { logs(stream: "orders", fromBlock: 0) { cursor } }';

test(`a consumer of a stream processes each event across ${CLIENT_KILLS} kills of its own, ${SERVER_KILLS} of servers and ${DATABASE_KILLS} of the database`, async () => {
  const draw = random(readSeed());
  const servers: GraphProcess[] = [await startGraph(settings), await startGraph(settings)];
  const whole = consume(servers[0]!, 'subscription { logs(fromBlock: 0) { cursor } }');
  const { data } = await execute(servers[0]!, '{ block { number } logs(filter: { fromBlock: 0 }) { cursor } }');
  all = data.logs.map(({ cursor }: { cursor: string }) => cursor);
  await whole.waitFor(all.length);
  expect(whole.events.map(({ cursor }) => cursor)).toEqual(all);
  const kills = { client: 0, server: 0, database: 0 };
  let rounds = 0;
  /** Number of events that are acknowledged. */
  let acknowledged = 0;
  while (kills.client < CLIENT_KILLS || kills.server < SERVER_KILLS || kills.database < DATABASE_KILLS) {
    const at = rounds++ % 2;
    const wanted = Math.min(all.length - acknowledged, 1 + Math.floor(draw() * 6));
    const consumer = await consumeEvents(servers[at]!, wanted);
    // What was not acknowledged is repeated, and nothing else.
    const received = consumer.events.map(({ cursor }) => cursor);
    expect(received).toEqual(all.slice(acknowledged, acknowledged + received.length));
    const processed = Math.floor(draw() * (wanted + 1));
    const cursor = processed > 0 ? received[processed - 1] : undefined;
    const draws = draw();
    if (kills.server < SERVER_KILLS && draws < 0.3) {
      servers[at]!.process.kill('SIGKILL');
      kills.server += 1;
      servers[at] = await startGraph(settings);
      if (cursor && (await acknowledge(servers[at]!, 'orders', cursor)).code === undefined) acknowledged += processed;
    } else if (kills.database < DATABASE_KILLS && draws < 0.6) {
      await postgres.kill();
      kills.database += 1;
      expect((await acknowledge(servers[at]!, 'orders', all[acknowledged]!)).code).toBe('STORE_UNAVAILABLE');
      await postgres.restart();
    } else {
      if (cursor && (await acknowledge(servers[1 - at]!, 'orders', cursor)).code === undefined) acknowledged += processed;
      kills.client += 1;
    }
    consumer.kill();
    if (acknowledged >= all.length - 1) {
      // Once more from the beginning.
      expect((await execute(servers[at]!, 'mutation { deleteStream(name: "orders") }')).data).toEqual({ deleteStream: true });
      acknowledged = 0;
    }
  }
  for (const server of servers) await server.stop();
});

test('a second consumer of a stream fails with STREAM_IN_USE while the first is connected', async () => {
  const server = await startGraph(settings);
  const first = consume(server, 'subscription { logs(stream: "one", fromBlock: 0) { cursor } }');
  await first.waitFor(1);
  const second = consume(server, 'subscription { logs(stream: "one", fromBlock: 0) { cursor } }');
  await second.waitForEnd();
  expect([second.events, second.codes, first.hasEnded]).toEqual([[], ['STREAM_IN_USE'], false]);
});
