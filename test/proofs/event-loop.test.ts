import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { postJson } from '../support/clients/post-json.ts';
import { field } from '../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../support/graph/running-graph.ts';
import { LOG_COUNT, TRANSACTIONS_PER_BLOCK } from '../support/upstream/busy-node.ts';
import { type BusyUpstreams, startBusyUpstreams } from '../support/upstream/busy-upstreams.ts';

/**
 * Heavy operations of one client beside honest clients of the built program. Measures the longest time in which no honest request ended,
 * as a share of the time from the upstream's response to the response of the heavy operation: a share does not depend on the load of the
 * machine. Measured: 0.02 to 0.23, beside a busy core and another suite up to 0.41; where the work of an operation does not yield, 0.61 to 0.73.
 */
let upstreams: BusyUpstreams;
let graph: GraphProcess;

const BLOCK_COUNT = 20;
const MAX_SHARE_WITHOUT_RESPONSE = 0.5;

/** Time at which an upstream started to send its last response to a heavy operation. */
let sentFrom = Number.POSITIVE_INFINITY;
const recordResponse = (): void => {
  sentFrom = performance.now();
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
  upstreams = await startBusyUpstreams(22_000, recordResponse);
  // The time of a busy machine must not end the operations.
  graph = await startGraphOverUpstreams({ MAX_EVENT_LOOP_MS: '60000' });
});

beforeEach(() => {
  sentFrom = Number.POSITIVE_INFINITY;
});

const post = (query: string, url = graph.url): Promise<Response> => postJson(`${url}/graphql`, { query });

/** Sends requests one after the other until `isDone`; returns the time at which each request ended. */
async function sendHonestRequests(isDone: () => boolean): Promise<number[]> {
  const ends: number[] = [];
  while (!isDone()) {
    const { data } = (await (await post('{ __typename }')).json()) as { data: unknown };
    expect(data).toEqual({ __typename: 'Query' });
    ends.push(performance.now());
  }
  return ends;
}

/** Executes a heavy operation beside two honest clients. Returns its response and the longest share of its time without an honest response. */
async function executeBesideClients(query: string) {
  let respondedAt = Number.POSITIVE_INFINITY;
  const isDone = () => respondedAt < Number.POSITIVE_INFINITY;
  const clients = [sendHonestRequests(isDone), sendHonestRequests(isDone)];
  const response = await post(query);
  respondedAt = performance.now();
  const text = await response.text();
  const ends = (await Promise.all(clients)).flat().filter((endedAt) => endedAt > sentFrom && endedAt < respondedAt);
  const times = [sentFrom, ...ends.sort((a, b) => a - b), respondedAt];
  const longest = Math.max(...times.slice(1).map((time, i) => time - times[i]!));
  return { body: JSON.parse(text), shareWithoutResponse: longest / (respondedAt - sentFrom) };
}

const filters = Array.from(
  { length: 190 },
  (_, i) => `a${i}: duels(first: 1, filter: { startBlockFrom: ${i}, excludeInProgress: true }) { totalCount }`,
).join(' ');

const LOGS = 'logs(filter: { fromBlock: 1, toBlock: 21 })';

test.each<[work: string, query: string, check: (data: any) => void]>([
  [
    '190 filters over 22,000 duels are evaluated',
    `{ ${filters} }`,
    ({ a0, a189 }) => expect([a0, a189]).toEqual([{ totalCount: 22_000 }, { totalCount: 21_811 }]),
  ],
  [
    'a page of 20,000 logs is read and written',
    `{ ${LOGS} { index data topics account { address } transaction { hash } } }`,
    ({ logs }) => expect(logs).toHaveLength(LOG_COUNT),
  ],
  [
    '20,000 logs are decoded',
    `{ ${LOGS} { decoded { name standard arguments { name type value account { address } } } } }`,
    ({ logs }) => expect(logs.filter(({ decoded }: any) => decoded?.standard === 'ERC-20')).toHaveLength(LOG_COUNT),
  ],
  [
    '20 full blocks are read and written',
    `{ blocks(from: 1, to: ${BLOCK_COUNT}) {
      hash transactions { hash value inputData from { address } } receipts { status logs { index data topics } } } }`,
    ({ blocks }) =>
      expect(blocks.map(field('receipts')).map(field('length'))).toEqual(Array(BLOCK_COUNT).fill(TRANSACTIONS_PER_BLOCK)),
  ],
])('honest requests complete while %s', async (_work, query, check) => {
  const shares: number[] = [];
  // Another process can occupy the machine during one of the measurements.
  for (let attempt = 0; attempt < 5 && Math.min(1, ...shares) >= MAX_SHARE_WITHOUT_RESPONSE; attempt++) {
    const { body, shareWithoutResponse } = await executeBesideClients(query);
    expect(body.errors).toBeUndefined();
    check(body.data);
    shares.push(shareWithoutResponse);
  }
  expect(Math.min(...shares)).toBeLessThan(MAX_SHARE_WITHOUT_RESPONSE);
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
