import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';

/**
 * At full size: one application with 198 webhooks for one address, a transaction of that address with 8,700 `Transfer` logs, and 11 with 120 KB of calldata,
 * beside an application with one webhook. Measured: its events after 0.6 s, `{ __typename }` at most 58 ms for 99 of 100 requests, 490 MiB.
 * With a copy of the body for each registration: no event within 20 s, no response for 26 s, 3.4 GiB.
 */
const isWhole = 'PROVE' in globalThis;
const WEBHOOKS = isWhole ? 99 : 30;
const LOGS = isWhole ? 8_700 : 2_900;
const LARGE_TRANSACTIONS = isWhole ? 11 : 4;
const CALLDATA_BYTES = 120_000;
/** Blocks with a transfer of the other application, during the attack and without it. */
const OTHER_BLOCKS = 8;

/** At the small size, for a machine that runs other tests: without the limits of derivation, nothing of others arrives before the attack ends. */
const MAX_EVENT_MS = isWhole ? 2_000 : 15_000;
const MAX_P99_MS = isWhole ? 100 : 1_000;
const MAX_RSS_MIB = 700;

/** Emits as many transfers of 0 from and to the caller as the calldata states: 56 bytes. */
const RUNTIME =
  '5f355b801560365733337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa3600190036002565b00';
const INIT_CODE = `0x60388060095f395ff3${RUNTIME}`;

/** A receiver in its own process that counts deliveries: GET responds with the count. */
const COUNTING_RECEIVER = `
  let count = 0;
  const server = require('node:http').createServer((request, response) => {
    if (request.method === 'GET') return response.end(String(count));
    request.resume().on('end', () => { count += 1; response.end(); });
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

let postgres: TestPostgres;
let devnet: Devnet;
let graph: GraphProcess;
let receiver: TestReceiver;
let counter: ChildProcess;
let counterUrl: string;
let databaseUrl: string;

const call = (method: string, ...params: unknown[]): Promise<any> => rpc(devnet.description.endpoints.http, method, params);
const account = (i: number): string => devnet.description.accounts[i]!.address.toLowerCase();

beforeAll(async () => {
  counter = spawn(process.execPath, ['-e', COUNTING_RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(counter.stdout!, 'data');
  counterUrl = `http://127.0.0.1:${Number(port)}/`;
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
  receiver = await startReceiver();
  devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
  const { http, ws } = devnet.description.endpoints;
  graph = await startGraph({
    RPC_URL: http,
    RPC_WS_URL: ws,
    DATABASE_URL: databaseUrl,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    API_KEYS: 'attacker=key-of-the-first-application,shop=key-of-the-shop-itself',
    LOG_LEVEL: 'info',
  });
  const metrics = async () => (await fetch(`${graph.url}/metrics`)).text();
  await waitUntil(
    async () => /^grimoire_webhook_derivation_height \d/m.test(await metrics()),
    'the server derives events from the first block on',
  );
});

afterAll(async () => {
  await graph?.stop();
  await devnet?.stop();
  await Promise.all([receiver?.close(), postgres?.stop()]);
  counter?.kill();
});

const register = (id: string, app: string, type: string, url: string, address: string): Promise<unknown> =>
  runSql(
    databaseUrl,
    `insert into webhooks (id, app, type, url, token) values ('${id}', '${app}', '${type}', '${url}', 'whsec_AAAA');
     insert into webhook_addresses values ('${id}', '${address}')`,
  );

const post = async (query: string): Promise<any> => {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'key-of-the-shop-itself' };
  return (await fetch(`${graph.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
};

/** Sends one request after the other until `isDone`; returns the sorted times to their responses. */
async function measureRequests(isDone: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isDone()) {
    const start = performance.now();
    await post('{ __typename }');
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times.sort((a, b) => a - b);
}

const send = (transaction: object): Promise<string> =>
  call('eth_sendTransaction', { from: account(1), gas: '0x1c9c380', ...transaction });

/** Mines a transfer of the shop twice a second for some blocks. Returns the longest times from a block to its event and to its delivery. */
async function measureShop(): Promise<{ event: number; delivery: number }> {
  let [event, delivery] = [0, 0];
  for (let block = 0; block < OTHER_BLOCKS; block++) {
    const delivered = receiver.received.length;
    const hash = await call('eth_sendTransaction', { from: account(0), to: account(2), value: '0x1', gas: '0x5208' });
    await call('evm_mine');
    const start = performance.now();
    const { blockNumber } = await call('eth_getTransactionReceipt', hash);
    await Promise.all([
      waitUntil(async () => {
        const { data } = await post(
          '{ webhookEvents(first: 1) { nodes { ... on AddressActivityEvent { activity { blockNumber } } } } }',
        );
        return data.webhookEvents.nodes[0]?.activity[0].blockNumber === blockNumber;
      }, 'the event of the shop is in the graph').then(() => {
        event = Math.max(event, performance.now() - start);
      }),
      waitUntil(() => receiver.received.length > delivered, 'the delivery of the shop arrives').then(() => {
        delivery = Math.max(delivery, performance.now() - start);
      }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 500 - (performance.now() - start))));
  }
  return { event, delivery };
}

const percentile99 = (times: readonly number[]): number => times[Math.floor(times.length * 0.99)]!;

async function measureAll() {
  let isDone = false;
  const [times, shop] = await Promise.all([
    measureRequests(() => isDone),
    measureShop().finally(() => {
      isDone = true;
    }),
  ]);
  return { p99: percentile99(times), ...shop };
}

const peakMiB = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${graph.process.pid}/status`, 'utf8'))![1]) / 1024;

test('an application whose block has hundreds of megabytes of deliveries delays neither the events of others nor the server', async () => {
  await register('shop', 'shop', 'ADDRESS_ACTIVITY', receiver.url, account(2));
  const quiet = await measureAll();
  for (let i = 0; i < WEBHOOKS; i++) {
    await register(`activity${i}`, 'attacker', 'ADDRESS_ACTIVITY', counterUrl, account(1));
    await register(`mined${i}`, 'attacker', 'MINED_TRANSACTION', counterUrl, account(1));
  }
  const created = await send({ data: INIT_CODE });
  await call('evm_mine');
  const { contractAddress } = await call('eth_getTransactionReceipt', created);
  await send({ to: contractAddress, data: `0x${LOGS.toString(16).padStart(64, '0')}`, gas: '0x1000000' });
  for (let i = 0; i < LARGE_TRANSACTIONS; i++)
    await send({ to: account(3), data: `0x${'00'.repeat(CALLDATA_BYTES)}`, gas: '0x12c000' });
  const attacked = await measureAll();
  const parts = Math.ceil(LOGS / 500);
  const expected = WEBHOOKS * (parts + LARGE_TRANSACTIONS + 2);
  await waitUntil(async () => Number(await (await fetch(counterUrl)).text()) >= expected, 'all deliveries arrive', 120_000);
  expect(attacked.event).toBeLessThan(MAX_EVENT_MS + 10 * quiet.event);
  expect(attacked.p99).toBeLessThan(MAX_P99_MS + 5 * quiet.p99);
  if (process.platform === 'linux') expect(peakMiB()).toBeLessThan(MAX_RSS_MIB);
  const bytes = await runSql(databaseUrl, 'select sum(octet_length(body))::integer as bytes from webhook_delivery_bodies');
  expect(bytes[0]!.bytes).toBeLessThan(LOGS * 520 + LARGE_TRANSACTIONS * 2 * CALLDATA_BYTES);
});
