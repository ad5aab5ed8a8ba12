import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keccak256, Wallet } from 'ethers';
import { createSubscriptionClient, type SubscriptionClient } from '../../support/clients/subscription-client.ts';
import { startChainsGraph } from '../../support/graph/chains-graph.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import type { NodeProxy } from '../../support/proxies/node-proxy.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import type { SimChain } from '../../support/simulator/chain.ts';

/** Subscriptions, mutations and required blocks of other chains than the default one. */
let chains: readonly SimChain[];
let proxies: readonly NodeProxy[];
let graph: RunningGraph;
let client: SubscriptionClient;

beforeAll(async () => {
  ({ chains, proxies, graph } = await startChainsGraph());
});

beforeEach(() => {
  client = createSubscriptionClient(graph.url);
});

const headerOf = (i: number) => chains[i]!.head.header;
const UNKNOWN_CHAIN = {
  message: 'The server does not serve chain 3. Pass one of: 1, 5, 7.',
  extensions: { code: 'BAD_USER_INPUT' },
};

test('a subscription follows the chain that it names', async () => {
  const from = Number(headerOf(1).number) - 1;
  const query = `subscription ($chain: ChainId, $from: Long) { newHeads(chainId: $chain, fromBlock: $from) { number hash block { confirmations } } }`;
  const blocks = client.subscribe(query, { chain: 5, from });
  await blocks.waitForEvents(2);
  chains[1]!.mine();
  await blocks.waitForEvents(3);
  const { data, extensions } = blocks.events[2]!;
  const { number, hash, parentHash } = headerOf(1);
  expect(data).toEqual({ newHeads: { number, hash, block: { confirmations: '0x1' } } });
  expect(extensions).toEqual({ blocks: [{ chainId: '0x5', number, hash, parentHash }] });
});

test('equal subscriptions to two chains receive the events of their own chain', async () => {
  const query = 'subscription ($chain: ChainId) { newHeads(chainId: $chain, fromBlock: 1) { hash } }';
  const subscriptions = ['0x5', 7].map((chain) => client.subscribe(query, { chain }));
  const [five, seven] = await Promise.all(subscriptions.map((one, i) => one.waitForEvents(Number(headerOf(i + 1).number))));
  expect([five!.at(-1), seven!.at(-1)]).toEqual([1, 2].map((i) => ({ newHeads: { hash: headerOf(i).hash } })));
});

test('a removed block of another chain is named by its reorg', async () => {
  const reorgs = client.subscribe('subscription { reorgs(chainId: 7) { depth dropped { hash } added { hash } } }');
  const heads = client.subscribe('subscription { newHeads(chainId: 7, fromBlock: 1) { hash } }');
  await heads.waitForEvents(1);
  const removed = headerOf(2).hash;
  chains[2]!.reorg(1, 2);
  const [event] = await reorgs.waitForEvents(1);
  expect(event).toMatchObject({ reorgs: { depth: 1, dropped: [{ hash: removed }], added: [{}, { hash: headerOf(2).hash }] } });
});

test('a subscription to a chain that is not served fails', async () => {
  const { ended } = client.subscribe('subscription { newHeads(chainId: 3) { hash } }');
  expect(await ended).toMatchObject([{ path: ['newHeads'], ...UNKNOWN_CHAIN }]);
});

test('a live query is executed at the new heads of all chains that it reads', async () => {
  const live = client.subscribe('query @live { block { hash } five: chain(id: 5) { block { hash } } }');
  await live.waitForEvents(1);
  for (const i of [1, 0]) {
    chains[i]!.mine();
    const [own, five] = [headerOf(0).hash, headerOf(1).hash];
    const results = await live.waitUntil(({ block, five: { block: other } }: any) => block.hash === own && other.hash === five);
    expect(results.at(-1)).toEqual({ block: { hash: own }, five: { block: { hash: five } } });
  }
});

test('a live query takes no block of another chain', async () => {
  const { ended } = client.subscribe('query @live { chain(id: 5) { block { hash } } }', {}, { minBlock: '5=1' });
  expect(await ended).toMatchObject([{ message: expect.stringMatching(/^A live query reads other chains/) }]);
});

test('each field of a mutation submits its transaction to the chain that it names', async () => {
  const wallet = new Wallet(keccak256('0x01'));
  const sign = (chainId: number) => wallet.signTransaction({ chainId, to: `0x${'1'.repeat(40)}`, gasLimit: 21_000 });
  const [five, seven] = [await sign(5), await sign(7)];
  for (const proxy of proxies) {
    proxy.takeCounts();
    proxy.intercept = ({ method, params }) =>
      method === 'eth_sendRawTransaction' ? { result: keccak256(params[0]) } : undefined;
  }
  const { data, errors } = await graph.execute(
    `mutation ($five: Bytes!, $seven: Bytes!) {
      five: sendRawTransaction(data: $five, chainId: 5)
      unknown: submitTransaction(input: { data: $seven }, chainId: 3) { hash }
      seven: submitTransaction(input: { data: $seven }, chainId: "0x7") { hash }
    }`,
    { five, seven },
  );
  for (const proxy of proxies) proxy.intercept = undefined;
  expect(data).toEqual({ five: keccak256(five), unknown: null, seven: { hash: keccak256(seven) } });
  expect(errors).toMatchObject([{ path: ['unknown'], ...UNKNOWN_CHAIN }]);
  expect(proxies.map((proxy) => proxy.takeCounts().methods.eth_sendRawTransaction)).toEqual([undefined, 1, 1]);
});

const post = async (query: string, headers: Record<string, string>, extensions = {}): Promise<any> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...CLIENT_HEADERS, ...headers } };
  return (await fetch(`${graph.url}/graphql`, { ...init, body: JSON.stringify({ query, extensions }) })).json();
};
const NUMBERS = '{ block { number } five: chain(id: 5) { block { number } } seven: chain(id: 7) { block { number } } }';

test('a request pins the block of each chain', async () => {
  const { hash, number } = headerOf(2);
  const { data, extensions } = await post(NUMBERS, { 'x-graph-block': `2, 5=0x3, 7=${hash}` });
  expect(data).toEqual({ block: { number: '0x2' }, five: { block: { number: '0x3' } }, seven: { block: { number } } });
  expect(extensions.blocks).toMatchObject([{ number: '0x2' }, { number: '0x3' }, { hash }]);
});

test('an operation waits for the minimum block of another chain', async () => {
  const height = Number(headerOf(1).number);
  const waiting = post(NUMBERS, { 'x-graph-min-block': `5=${height + 1}` }, { minBlock: `7=${Number(headerOf(2).number)}` });
  chains[1]!.mine();
  expect((await waiting).data.five.block).toEqual({ number: `0x${(height + 1).toString(16)}` });
});

test('a chain below its minimum block nulls its own branch', async () => {
  const { data, errors } = await post(NUMBERS, {}, { minBlock: '5=99' });
  expect(data).toEqual({ block: { number: headerOf(0).number }, five: null, seven: { block: { number: headerOf(2).number } } });
  expect(errors).toMatchObject([{ path: ['five'], extensions: { code: 'BLOCK_NOT_YET', minBlock: '0x63' } }]);
});

test.each(['3=1', '1=1'])('a request that names the block %p of a chain that is not a further one fails', async (header) => {
  const { data, errors } = await post('{ chainID }', { 'x-graph-block': header });
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ message: expect.stringContaining('with: 5, 7.'), extensions: { code: 'BAD_USER_INPUT' } }]);
});

const CURSORS = `fragment Cursors on ChainFields { blocksConnection(first: 1) { pageInfo { endCursor } }
  logsConnection(filter: {}, first: 1) { pageInfo { endCursor } } }`;

test.each(['blocksConnection', 'logsConnection'])('%s fails after a cursor of another chain', async (field) => {
  const { data } = await graph.execute(`{ chain(id: 5) { ...Cursors } } ${CURSORS}`);
  const cursor = (data.chain as any)[field].pageInfo.endCursor;
  const args = `${field === 'logsConnection' ? 'filter: {}, ' : ''}first: 1, after: "${cursor}"`;
  const { errors } = await graph.execute(`{ chain(id: 7) { ${field}(${args}) { nodes { __typename } } } }`);
  expect(errors).toMatchObject([{ path: ['chain', field], extensions: { code: 'CURSOR_EXPIRED' } }]);
});
