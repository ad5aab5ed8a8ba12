import { expect, test } from '@jest/globals';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A default chain of 3 blocks, and chain 5 of 6 blocks. */
async function setUp(chainId: string | null = '0x1') {
  const [first, second] = [3, 6].map((blocks) => new SimChain({ seed: blocks, bloom: 'real', blocks })) as [SimChain, SimChain];
  const [one, five] = await Promise.all([
    startSimNode({ chain: first, chainId }),
    startSimNode({ chain: second, chainId: '0x5' }),
  ]);
  const CHAINS = writeChainsFile([{ id: 5, rpcUrl: five.url, rpcWsUrl: five.wsUrl }]);
  const heads = [first, second].map(({ head: { header } }) => ({ block: { hash: header.hash } }));
  return { second, one, CHAINS, heads: heads as [object, object] };
}
const BOTH = '{ block { hash } chain(id: 5) { block { hash } } }';

test('a default node that responds over its WebSocket only does not null the data of an operation that reads another chain', async () => {
  const { one, CHAINS, heads } = await setUp();
  const graph = await serveGraph({ RPC_URL: `http://127.0.0.1:${await findFreePort()}`, RPC_WS_URL: one.wsUrl, CHAINS });
  expect((await graph.execute('{ block { hash } }')).data).toEqual(heads[0]);
  const { data, errors } = await graph.execute(BOTH);
  expect(errors).toBeUndefined();
  expect(data).toEqual({ ...heads[0], chain: heads[1] });
});

test('extensions.blocks has no null as a chain id', async () => {
  const { one, CHAINS, heads } = await setUp(null);
  const graph = await serveGraph({ RPC_URL: one.url, RPC_WS_URL: one.wsUrl, CHAINS });
  const { data, extensions } = await graph.execute(BOTH);
  expect(data).toEqual({ ...heads[0], chain: heads[1] });
  expect((extensions!.blocks as any[]).map(({ chainId }) => chainId)).not.toContain(null);
});

test('the error of an unknown chain names no chain 0', async () => {
  const { one, CHAINS } = await setUp(null);
  const graph = await serveGraph({ RPC_URL: one.url, RPC_WS_URL: one.wsUrl, CHAINS });
  const { errors } = await graph.execute('{ chain(id: 7) { chainID } }');
  expect(errors).toMatchObject([{ message: 'The server does not serve chain 7. Pass one of: 5.' }]);
});

test('a live query of another chain works after the default node has changed its chain', async () => {
  const { one, second, CHAINS, heads } = await setUp();
  const graph = await serveGraph({ RPC_URL: one.url, RPC_WS_URL: one.wsUrl, CHAINS });
  const query = 'query @live { chain(id: 5) { block { hash } } }';
  const before = createSubscriptionClient(graph.url).subscribe(query);
  await before.waitForEvents(1);
  one.chainId = '0x9';
  one.disconnect('close');
  await waitUntil(async () => (await graph.execute('{ block { hash } }')).errors !== undefined, 'the default chain has ended');
  // A query and a subscription of chain 5 work.
  expect((await graph.execute(BOTH)).data).toEqual({ block: null, chain: heads[1] });
  const after = createSubscriptionClient(graph.url).subscribe(query);
  expect(await after.waitForEvents(1)).toEqual([{ chain: heads[1] }]);
  second.mine();
  const { hash } = second.head.header;
  expect((await after.waitForEvents(2)).at(-1)).toEqual({ chain: { block: { hash } } });
  expect((await before.waitForEvents(2)).at(-1)).toEqual({ chain: { block: { hash } } });
});
