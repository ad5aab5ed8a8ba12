import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Devnet } from '../../devnet/src/index.ts';
import {
  createMiner,
  errorCodesOf,
  executeQuery,
  expectAgreement,
  newestBlocksQuery,
  type PinnedResponse,
  startQuietDevnet,
  word,
} from '../support/graph/consistent-reads.ts';
import { rpc } from '../support/graph/devnet-setup.ts';
import type { RunningGraph } from '../support/graph/running-graph.ts';
import { serveGraph } from '../support/graph/served-graph.ts';
import { type Relay, startRelay } from '../support/proxies/relay.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A graph over a load balancer with two nodes; the second lacks the newest three blocks. */
let fresh: Devnet;
let lagging: Devnet;
let relay: Relay;
let graph: RunningGraph;
let query: string;
let expected: PinnedResponse;
let nodeUrls: readonly [string, string];
let newestTransaction: string;

beforeAll(async () => {
  [fresh, lagging] = await Promise.all([startQuietDevnet(), startQuietDevnet()]);
  nodeUrls = [fresh.description.nodeService.http, lagging.description.nodeService.http];
  const base = fresh.description.landmarks.lastBlock;
  newestTransaction = await createMiner(fresh)(3);
  relay = await startRelay(nodeUrls[0]);
  graph = await serveGraph({ RPC_URL: relay.url, RPC_WS_URL: fresh.description.nodeService.ws, CACHE_BYTES: '0' });
  query = newestBlocksQuery(fresh.description.accounts[0]!.address, base, newestTransaction);
  expected = await executeQuery(graph, query);
  expect(expected.errors).toBeUndefined();
});

afterAll(async () => {
  await graph?.stop();
  await Promise.all([fresh?.stop(), lagging?.stop()]);
});

beforeEach(async () => {
  // Calls of the test before may still be in flight.
  await waitUntil(() => relay.pendingRequests === 0, 'the relay has no pending requests');
  relay.resetCounts();
});

function expectCorrectOrStale(response: PinnedResponse): void {
  const { data, errors, extensions } = response;
  expect(extensions).toEqual(expected.extensions);
  for (const code of errorCodesOf(response)) expect(['STALE_UPSTREAM', 'BLOCK_NOT_AVAILABLE']).toContain(code);
  if (!errors) expect(data).toEqual(expected.data);
  if (data) expectAgreement(data, expected.data, errors);
}

test('two devnets have the same history', async () => {
  const [a, b] = await Promise.all(nodeUrls.map((url) => rpc(url, 'eth_getBlockByNumber', ['0x1f', false])));
  expect(a).toEqual(b);
  expect(await rpc(nodeUrls[1], 'eth_blockNumber', [])).toBe('0x1f');
});

// Before the tests in which the node lacks blocks, whose last retries could add to its requests.
test('a lagging node serves blocks that it has without a retry', async () => {
  relay.route = () => nodeUrls[1];
  const { revertedTransaction } = fresh.description.landmarks;
  const { data, errors } = await executeQuery(
    graph,
    `{ block(number: 31) { transactionCount } transaction(hash: "${revertedTransaction}") { status confirmations } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.transaction.status).toBe('0x0');
  expect(relay.resetCounts()).toBeLessThan(5);
});

test.each([
  ['alternates between both nodes', (post: number) => post % 2],
  ['alternates, starting with the lagging node', (post: number) => (post + 1) % 2],
  ['sends the first three requests to the lagging node', (post: number) => (post < 3 ? 1 : 0)],
  ['sends every third request to the lagging node', (post: number) => (post % 3 === 1 ? 1 : 0)],
])('a load balancer that %s changes nothing in the response', async (_policy, pick) => {
  relay.route = (post) => nodeUrls[pick(post)]!;
  const { data, errors, extensions } = await executeQuery(graph, query);
  expect({ errors, extensions }).toEqual({ errors: undefined, extensions: expected.extensions });
  expect(data).toEqual(expected.data);
});

test('a load balancer that sends every request to a lagging node leaves correct values or STALE_UPSTREAM', async () => {
  relay.route = () => nodeUrls[1];
  const response = await executeQuery(graph, query);
  expect(errorCodesOf(response)).toContain('STALE_UPSTREAM');
  expectCorrectOrStale(response);
});

// How many requests the operation needs depends on how its calls fall into batches, so it may need no more than the first ones.
test('a load balancer that sends only the first requests to the up-to-date node leaves correct values or STALE_UPSTREAM', async () => {
  const { ws } = fresh.description.nodeService;
  const executeBehindBalancer = async (first: number) => {
    const ownRelay = await startRelay(nodeUrls[0]);
    const ownGraph = await serveGraph({ RPC_URL: ownRelay.url, RPC_WS_URL: ws, CACHE_BYTES: '0' });
    await waitUntil(() => ownRelay.pendingRequests === 0, 'the relay has no pending requests');
    ownRelay.resetCounts();
    ownRelay.route = (post) => nodeUrls[post < first ? 0 : 1];
    return executeQuery(ownGraph, query);
  };
  for (const response of await Promise.all([1, 2, 3].map(executeBehindBalancer))) expectCorrectOrStale(response);
});

// One operation per field: a null at the root would hide the others.
test('a lagging node makes each field of a newer block STALE_UPSTREAM, never null, empty or outdated', async () => {
  const { hash } = expected.data.block;
  const token = fresh.description.contracts[0]!.address;
  const queries = [
    '{ block { transactions { hash } } }',
    '{ block { receipts { status } } }',
    '{ block { nextBaseFeePerGas } }',
    '{ block(number: 33) { transactionCount } }',
    `{ block(hash: "${hash}") { size } }`,
    `{ block(hash: "${hash}") { transactionAt(index: 0) { value } } }`,
    '{ blocks(from: 30) { size } }',
    '{ logs(filter: { fromBlock: 20 }) { data } }',
    '{ logs(filter: {}) { data } }',
    `{ account(address: "${token}") { storage(slot: "0x${word(0)}") balance } }`,
    `{ transaction(hash: "${newestTransaction}") { value state } }`,
    `{ receipt(hash: "${newestTransaction}") { status } }`,
  ];
  const executeAll = () => Promise.all(queries.map((one) => executeQuery(graph, one)));
  relay.route = () => nodeUrls[0];
  const upToDate = await executeAll();
  relay.route = () => nodeUrls[1];
  const responses = await executeAll();
  for (const [i, response] of responses.entries()) {
    const result = { query: queries[i], errors: upToDate[i]!.errors, codes: [...new Set(errorCodesOf(response))] };
    expect(result).toEqual({ query: queries[i], errors: undefined, codes: ['STALE_UPSTREAM'] });
    if (response.data) expectAgreement(response.data, upToDate[i]!.data, response.errors);
  }
});

test('a transaction that neither of two nodes has is null', async () => {
  relay.route = (post) => nodeUrls[post % 2]!;
  const unknown = await executeQuery(
    graph,
    `{ transaction(hash: "0x${'1'.repeat(64)}") { value } receipt(hash: "0x${'1'.repeat(64)}") { status } }`,
  );
  expect({ data: unknown.data, errors: unknown.errors }).toEqual({
    data: { transaction: null, receipt: null },
    errors: undefined,
  });
});

test('a graph that polls a load balancer never returns to an older head', async () => {
  relay.route = (post) => nodeUrls[post % 3 === 1 ? 1 : 0]!;
  const polling = await serveGraph({ RPC_URL: relay.url, CACHE_BYTES: '0' });
  const { number } = expected.data.block;
  const headNumber = async () => ((await (await fetch(`${polling.url}/readyz`)).json()) as any).head?.number;
  await waitUntil(async () => (await headNumber()) === number, 'the graph has the newest head');
  for (let i = 0; i < 3; i++) {
    expectCorrectOrStale(await executeQuery(polling, query));
  }
  await polling.stop();
});
