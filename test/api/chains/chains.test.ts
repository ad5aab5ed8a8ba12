import { beforeAll, expect, test } from '@jest/globals';
import { CHAIN_IDS as IDS, startChainsGraph } from '../../support/graph/chains-graph.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import type { NodeProxy } from '../../support/proxies/node-proxy.ts';
import { scrapeMetrics } from '../../support/scrape.ts';
import type { SimChain } from '../../support/simulator/chain.ts';

let chains: readonly SimChain[];
let proxies: readonly NodeProxy[];
let graph: RunningGraph;

beforeAll(async () => {
  ({ chains, proxies, graph } = await startChainsGraph());
});

const heads = () => chains.map(({ head: { header } }) => ({ number: header.number, hash: header.hash }));
const HEAD = 'fragment Head on ChainFields { chainID block { number hash } }';

test('one operation reads each chain at its own block', async () => {
  const { data, errors, extensions } = await graph.execute(
    `{ ...Head five: chain(id: 5) { ...Head } chain(id: "0x7") { ...Head } } ${HEAD}`,
  );
  expect(errors).toBeUndefined();
  expect([data, data.five, data.chain]).toMatchObject(heads().map((block, i) => ({ chainID: IDS[i], block })));
  expect(extensions).toMatchObject({
    block: heads()[0],
    blocks: heads().map((block, i) => ({ chainId: IDS[i], ...block, parentHash: expect.any(String) })),
  });
});

test('a response of the default chain alone names no other block', async () => {
  const { extensions } = await graph.execute('{ block { number hash } }');
  expect(Object.keys(extensions!)).toEqual(['block']);
});

test('chains lists the served chains, the default one first', async () => {
  const { data } = await graph.execute('{ chains { chainID } }');
  expect(data).toEqual({ chains: IDS.map((chainID) => ({ chainID })) });
});

test('chain fails with the served ids for an unknown id, and serves the default chain by its id', async () => {
  const { data, errors } = await graph.execute('{ chain(id: 3) { chainID } default: chain(id: 1) { chainID } }');
  expect(data).toEqual({ chain: null, default: { chainID: '0x1' } });
  const message = 'The server does not serve chain 3. Pass one of: 1, 5, 7.';
  expect(errors).toMatchObject([{ path: ['chain'], message, extensions: { code: 'BAD_USER_INPUT' } }]);
});

test('two chains take the calls of each chain alone, in one POST for each', async () => {
  const BALANCES = `fragment Balances on ChainFields {
    a: account(address: "0x${'1'.repeat(40)}") { balance } b: account(address: "0x${'2'.repeat(40)}") { balance } }`;
  const requested = async (query: string) => {
    for (const proxy of proxies) proxy.takeCounts();
    expect((await graph.execute(`${query} ${BALANCES}`)).errors).toBeUndefined();
    return proxies.map((proxy) => proxy.takeCounts());
  };
  const [five, seven] = [
    await requested('{ chain(id: 5) { ...Balances } }'),
    await requested('{ chain(id: 7) { ...Balances } }'),
  ];
  const both = await requested('{ five: chain(id: 5) { ...Balances } seven: chain(id: 7) { ...Balances } }');
  expect(both).toEqual([five[0], five[1], seven[2]]);
  expect(both.map(({ http, calls }) => [http, calls])).toEqual([
    [0, 0],
    [1, 2],
    [1, 2],
  ]);
});

test('/metrics has the id of each chain in its metrics, and none in those of the server', async () => {
  const { text, labelsOf } = await scrapeMetrics(graph.url);
  const ids = ['1', '5', '7'];
  for (const [i, id] of ids.entries()) {
    expect(text).toContain(`grimoire_head_number{chain="${id}"} ${chains[i]!.head.height}\n`);
    expect(text).toContain(`grimoire_node_calls_total{chain="${id}",method="`);
    expect(text).toContain(`grimoire_logs_failing_seconds{chain="${id}"} 0\n`);
  }
  for (const name of ['node_retries_total', 'cache_bytes', 'upstream_verification_failures_total'])
    expect(labelsOf(`grimoire_${name}`)).toContain('chain');
  for (const name of ['operations_total', 'operation_duration_seconds_count'])
    expect(labelsOf(`grimoire_${name}`)).not.toContain('chain');
  expect(text).toMatch(/^grimoire_connections \d/m);
});

/** Posts a query without a key. */
const post = async (query: string, headers = {}): Promise<any> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ query }) };
  return (await fetch(`${graph.url}/graphql`, init)).json();
};

test.each(['chain(id: 5) { streams { name } }', 'chains { ... on ChainFields { streams { name } } }'])(
  'the fields of callers in %s need a caller',
  async (selection) => {
    expect((await post(`{ ${selection} }`)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  },
);

test('fields of another chain cost at least as much as those of the default chain', async () => {
  const costOf = async (query: string) => (await post(query, { 'x-graph-cost': '1' })).extensions.cost.estimate;
  const blocks = 'blocks(last: 50) { receipts { gasUsed } }';
  const ofDefault = await costOf(`{ ${blocks} }`);
  expect(ofDefault).toBeGreaterThan(100);
  // The height of the other chain, which bounds its blocks, is not known before the execution.
  expect(await costOf(`{ chain(id: 5) { ...F } } fragment F on ChainFields { ${blocks} }`)).toBeGreaterThan(ofDefault);
});

test('a chain whose node is down nulls its own branch', async () => {
  await proxies[2]!.stop();
  const { data, errors } = await graph.execute(`{ ...Balance chain(id: 5) { ...Balance } down: chain(id: 7) { ...Balance } }
    fragment Balance on ChainFields { account(address: "0x${'1'.repeat(40)}") { balance } }`);
  const { account, chain, down } = data as any;
  expect([account, chain.account]).toEqual([{ balance: expect.any(String) }, { balance: expect.any(String) }]);
  expect(down).toEqual({ account: null });
  expect(errors).toMatchObject([{ path: ['down', 'account', 'balance'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
});
