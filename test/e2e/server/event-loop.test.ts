import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import { addressOf, block, hashOf, logFixture, receiptFixture, transactionFixture } from '../../support/upstream/rpc-fixtures.ts';
import {
  duelFixture,
  type ScriptedWizardService,
  startScriptedWizardService,
} from '../../support/upstream/scripted-wizard-service.ts';

/**
 * Heavy operations of one client beside honest clients of the built program. An honest request that starts after the upstream has sent its
 * whole response, and ends before the heavy operation responds, was let through by the work of that operation. Counts such requests,
 * because times depend on the load of the machine: some hundred, 40 and 20 for the operations below; without yields at most 4, 11 and 5.
 */
let service: ScriptedWizardService;
let node: Server;
let graph: GraphProcess;

const BLOCK_COUNT = 20;
const TRANSACTIONS_PER_BLOCK = 250;
const LOG_COUNT = 20_000;
const HEAD = 0x40;

const hex = (value: number): string => `0x${value.toString(16)}`;
const blockHash = (height: number): string => hashOf(0xb00000 + height);
const transactionHash = (height: number, i: number): string => hashOf(0x70000000 + height * 10_000 + i);

const transactionsOf = (height: number) =>
  Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) =>
    transactionFixture({
      hash: transactionHash(height, i),
      blockHash: blockHash(height),
      blockNumber: hex(height),
      transactionIndex: hex(i),
      input: `0x${'ab'.repeat(600)}`,
    }),
  );

const blockAt = (height: number, full: boolean) =>
  block({
    number: hex(height),
    hash: blockHash(height),
    parentHash: blockHash(height - 1),
    transactions: full ? transactionsOf(height) : [],
  });

const receiptsOf = (height: number) =>
  Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, i) =>
    receiptFixture({
      transactionHash: transactionHash(height, i),
      transactionIndex: hex(i),
      blockHash: blockHash(height),
      blockNumber: hex(height),
      logs: [0, 1].map((n) =>
        logFixture({
          transactionHash: transactionHash(height, i),
          transactionIndex: hex(i),
          blockHash: blockHash(height),
          blockNumber: hex(height),
          logIndex: hex(2 * i + n),
          data: `0x${'cd'.repeat(64)}`,
        }),
      ),
    }),
  );

const LOGS = Array.from({ length: LOG_COUNT }, (_, i) =>
  logFixture({
    address: addressOf(i % 7),
    topics: [hashOf(i), hashOf(i * 3), hashOf(1)],
    data: hashOf(i),
    blockNumber: hex(1 + Math.floor(i / 1_000)),
    blockHash: blockHash(1 + Math.floor(i / 1_000)),
    transactionHash: transactionHash(1, i),
    logIndex: hex(i % 1_000),
  }),
);

/** A block by its height, its hash or a tag. */
const heightOf = (ref: string): number => {
  if (!ref.startsWith('0x')) return HEAD;
  return ref.length === 66 ? Number(BigInt(ref)) - 0xb00000 : Number(ref);
};

function resultOf(method: string, params: readonly any[]): unknown {
  if (method === 'eth_chainId') return '0x1';
  if (method === 'eth_blockNumber') return hex(HEAD);
  if (method.startsWith('eth_getBlockBy')) return blockAt(heightOf(params[0]), params[1]);
  if (method === 'eth_getBlockReceipts') return receiptsOf(heightOf(params[0]));
  return method === 'eth_getLogs' ? LOGS : undefined;
}

/** Serves any heights of one chain over HTTP. */
async function startNode(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const entries = [body].flat().map(({ id, method, params }) => {
      const result = resultOf(method, params);
      return {
        jsonrpc: '2.0',
        id,
        ...(result === undefined ? { error: { code: -32601, message: 'unknown method' } } : { result }),
      };
    });
    // The server also polls the head.
    if (/eth_getLogs|eth_getBlockReceipts/.test(text)) response.once('finish', recordSent);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(Array.isArray(body) ? entries : entries[0]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Time at which an upstream had sent its last response to a heavy operation. */
let sentAt = Number.POSITIVE_INFINITY;
const recordSent = (): void => {
  sentAt = performance.now();
};

const DUELS = JSON.stringify({
  duels: Array.from({ length: 22_000 }, (_, n) => duelFixture(n, { wizard1Id: String(n % 90), wizard2Id: String(n % 89) })),
});

const SETTINGS = { MAX_LOGS: String(LOG_COUNT), MAX_COST: '1000000', OPERATION_TIMEOUT_MS: '60000', RPC_TIMEOUT_MS: '60000' };

const startGraphOverStubs = (settings: Record<string, string>): Promise<GraphProcess> =>
  startGraph({
    RPC_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    WIZARDS_URL: service.url,
    WIZARDS_API_TOKEN: WIZARD_CREDENTIALS.token,
    WIZARDS_EMAIL: WIZARD_CREDENTIALS.email,
    LOG_LEVEL: 'warn',
    ...SETTINGS,
    ...settings,
  });

beforeAll(async () => {
  service = await startScriptedWizardService();
  service.script = (_path: string, response: ServerResponse) => {
    response.once('finish', recordSent);
    response.setHeader('content-type', 'application/json').end(DUELS);
    return 'handled';
  };
  node = await startNode();
  // The time of a busy machine must not end the operations.
  graph = await startGraphOverStubs({ MAX_EVENT_LOOP_MS: '60000' });
});

afterAll(async () => {
  node?.close();
  node?.closeAllConnections();
  await service?.stop();
});

beforeEach(() => {
  sentAt = Number.POSITIVE_INFINITY;
});

const post = (query: string, url = graph.url): Promise<Response> =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });

/** Sends requests one after the other until `isDone`; returns when they started and ended. */
async function sendHonestRequests(isDone: () => boolean): Promise<{ startedAt: number; endedAt: number }[]> {
  const requests: { startedAt: number; endedAt: number }[] = [];
  while (!isDone()) {
    const startedAt = performance.now();
    const { data } = (await (await post('{ __typename }')).json()) as { data: unknown };
    expect(data).toEqual({ __typename: 'Query' });
    requests.push({ startedAt, endedAt: performance.now() });
  }
  return requests;
}

/** Executes a heavy operation beside two honest clients. Returns its response and the number of requests that its work has let through. */
async function executeBesideClients(query: string) {
  let respondedAt = Number.POSITIVE_INFINITY;
  const isDone = () => respondedAt < Number.POSITIVE_INFINITY;
  const clients = [sendHonestRequests(isDone), sendHonestRequests(isDone)];
  const response = await post(query);
  respondedAt = performance.now();
  const text = await response.text();
  const honest = (await Promise.all(clients)).flat();
  const between = honest.filter(({ startedAt, endedAt }) => startedAt > sentAt && endedAt < respondedAt);
  return { body: JSON.parse(text), between: between.length };
}

const filters = Array.from(
  { length: 190 },
  (_, i) => `a${i}: duels(first: 1, filter: { startBlockFrom: ${i}, excludeInProgress: true }) { totalCount }`,
).join(' ');

test('honest requests complete while 190 filters over 22,000 duels are evaluated', async () => {
  const { body, between } = await executeBesideClients(`{ ${filters} }`);
  expect(body.errors).toBeUndefined();
  expect([body.data.a0, body.data.a189]).toEqual([{ totalCount: 22_000 }, { totalCount: 21_811 }]);
  expect(between).toBeGreaterThanOrEqual(16);
});

test('honest requests complete while a page of 20,000 logs is read and written', async () => {
  const { body, between } = await executeBesideClients(
    `{ logs(filter: { fromBlock: 1, toBlock: 21 }) { index data topics account { address } transaction { hash } } }`,
  );
  expect(body.errors).toBeUndefined();
  expect(body.data.logs).toHaveLength(LOG_COUNT);
  expect(between).toBeGreaterThanOrEqual(14);
});

test('honest requests complete while 20 full blocks are read and written', async () => {
  const { body, between } = await executeBesideClients(`{ blocks(from: 1, to: ${BLOCK_COUNT}) {
    hash transactions { hash value inputData from { address } } receipts { status logs { index data topics } } } }`);
  expect(body.errors).toBeUndefined();
  expect(body.data.blocks.map(({ receipts }: any) => receipts.length)).toEqual(
    Array.from({ length: BLOCK_COUNT }, () => TRANSACTIONS_PER_BLOCK),
  );
  expect(between).toBeGreaterThanOrEqual(8);
});

test('190 filters over 22,000 duels end with RESULT_TOO_LARGE when they use up MAX_EVENT_LOOP_MS', async () => {
  const strict = await startGraphOverStubs({ MAX_EVENT_LOOP_MS: '40' });
  const response = await post(`{ ${filters} }`, strict.url);
  expect(response.status).toBe(200);
  const { errors } = (await response.json()) as { errors: { extensions: Record<string, unknown> }[] };
  expect(errors[0]!.extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', setting: 'MAX_EVENT_LOOP_MS', limit: 40 });
  const { data } = (await (await post('{ __typename }', strict.url)).json()) as { data: unknown };
  expect(data).toEqual({ __typename: 'Query' });
});
