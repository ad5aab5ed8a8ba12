import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { LOG_COUNT, TRANSACTIONS_PER_BLOCK } from '../support/upstream/busy-node.ts';
import { type BusyUpstreams, startBusyUpstreams } from '../support/upstream/busy-upstreams.ts';

/**
 * Heavy operations of one client beside honest clients of the built program. An honest request that starts after the upstream has sent its
 * whole response, and ends before the heavy operation responds, was let through by the work of that operation. Counts such requests,
 * because times depend on the load of the machine: some hundred, 40 and 20 for the operations below; without yields at most 4, 11 and 5.
 */
let upstreams: BusyUpstreams;
let graph: GraphProcess;

const BLOCK_COUNT = 20;

/** Time at which an upstream had sent its last response to a heavy operation. */
let sentAt = Number.POSITIVE_INFINITY;
const recordSent = (): void => {
  sentAt = performance.now();
};

const startGraphOverUpstreams = (settings: Record<string, string>): Promise<GraphProcess> =>
  startGraph({
    ...upstreams.settings,
    MAX_COST: '1000000',
    OPERATION_TIMEOUT_MS: '60000',
    RPC_TIMEOUT_MS: '60000',
    ...settings,
  });

beforeAll(async () => {
  upstreams = await startBusyUpstreams(22_000, recordSent);
  // The time of a busy machine must not end the operations.
  graph = await startGraphOverUpstreams({ MAX_EVENT_LOOP_MS: '60000' });
});

afterAll(() => upstreams?.stop());

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
  const strict = await startGraphOverUpstreams({ MAX_EVENT_LOOP_MS: '40' });
  const response = await post(`{ ${filters} }`, strict.url);
  expect(response.status).toBe(200);
  const { errors } = (await response.json()) as { errors: { extensions: Record<string, unknown> }[] };
  expect(errors[0]!.extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', setting: 'MAX_EVENT_LOOP_MS', limit: 40 });
  const { data } = (await (await post('{ __typename }', strict.url)).json()) as { data: unknown };
  expect(data).toEqual({ __typename: 'Query' });
});
