import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { childProcessesOf } from '../../support/child-processes.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { dataOf } from '../../support/graph/results.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A server whose embedded network has two chains. */
const folder = createTemporaryFolder();
// As root, PostgreSQL runs as another user.
chmodSync(folder, 0o755);
const start = () => startGraph({ DEVNET_CHAINS: '2', DEVNET_LIFE: 'off', CONFIRMATIONS: '64', DATA_DIR: join(folder, 'data') });

const descriptionOf = async ({ url }: RunningGraph) => (await (await fetch(`${url}/devnet.json`)).json()) as DevnetDescription;

const CHAINS = '{ chains { chainID block { number hash } wizards(first: 1) { nodes { power createdBlock { hash } } } } }';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('two embedded chains have their own tournaments, end with the server, and continue after a restart', async () => {
  const graph = await start();
  expect(graph.output()).toContain('\n  chains      Test deployment (31338)\n');
  const description = await descriptionOf(graph);
  const { chains = [] } = description;
  expect([description, ...chains]).toMatchObject([
    { chainId: 31337, seed: 1 },
    { chainId: 31338, seed: 2, name: 'Test deployment' },
  ]);
  // Without this block, a new chain would have the blocks of the restored one.
  await rpc(chains[0]!.endpoints.http, 'evm_mine', []);
  const mined = async () => (await graph.execute('{ chain(id: 31338) { block { number } } }')).data.chain.block.number;
  await waitUntil(async () => Number(await mined()) > description.landmarks.lastBlock, 'the second chain has the mined block');
  const before = await dataOf(graph.execute(CHAINS));
  const [first, second] = before.chains.map(({ chainID, block, wizards }) => ({
    chainID,
    height: Number(block.number),
    ...wizards.nodes[0]!,
  }));
  expect([first!.chainID, second!.chainID]).toEqual(['0x7a69', '0x7a6a']);
  expect(second!.height).toBe(first!.height + 1);
  expect(second!.power).not.toBe(first!.power);
  expect(second!.createdBlock.hash).not.toBe(first!.createdBlock.hash);

  // CONFIRMATIONS is that of the default chain.
  const client = createSubscriptionClient(graph.url);
  for (const [chainId, { landmarks }] of [description, ...chains].map((one) => [one.chainId, one] as const)) {
    const query =
      'subscription ($hash: Bytes32!, $chainId: ChainId) { transactionStatus(hash: $hash, chainId: $chainId) { status } }';
    const [event] = await client.subscribe(query, { hash: landmarks.tokenTransfer, chainId }).waitForEvents(1);
    expect(event).toEqual({ transactionStatus: { status: chainId === 31337 ? 'MINED' : 'CONFIRMED' } });
  }
  client.close();

  const children = await childProcessesOf(graph.process.pid!);
  // Two times anvil and PostgreSQL, each with a watchdog.
  expect(children.length).toBe(6);
  expect(await graph.stop()).toBe(0);
  await waitUntil(() => !children.some(isRunning), 'all processes of the network have ended');

  const after = await start();
  expect(await dataOf(after.execute(CHAINS))).toEqual(before);
  await after.stop();
});

test('DEVNET_URL and CHAINS name further chains, each with its own services, and a subgraph serves the default chain', async () => {
  const network = await startGraph({ DEVNET_CHAINS: '2', DEVNET_LIFE: 'off' });
  const DEVNET_URL = (await descriptionOf(network)).nodeService.origin;
  const node = await startSimNode({ chain: new SimChain({ seed: 1 }), chainId: '0x5' });
  const file = join(createTemporaryFolder(), 'chains.json');
  writeFileSync(file, JSON.stringify([{ id: 5, name: 'Five', rpcUrl: node.url }]));
  // The default chain has another wizard service, whose token the further chains must not get.
  const settings = { DEVNET_URL, WIZARDS_URL: 'http://127.0.0.1:1', WIZARDS_API_TOKEN: 'token-of-the-default-chain' };
  const [graph, subgraph] = await Promise.all([
    serveGraph({ ...settings, CHAINS: file }),
    serveGraph({ DEVNET_URL, FEDERATED: 'on' }),
  ]);
  const { data, errors } = await graph.execute('{ chains { chainID wizards(first: 1) { totalCount } } }');
  expect(data.chains).toMatchObject([
    { chainID: '0x7a69', wizards: null },
    { chainID: '0x7a6a', wizards: { totalCount: expect.any(Number) } },
    { chainID: '0x5', wizards: null },
  ]);
  expect(errors).toMatchObject([
    { path: ['chains', 2, 'wizards'], extensions: { code: 'DOMAIN_NOT_CONFIGURED' } },
    { path: ['chains', 0, 'wizards'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  const { errors: refused } = await subgraph.execute('{ chain(id: 31338) { chainID } }');
  expect(refused).toMatchObject([{ message: 'The server does not serve chain 31338. Pass one of: 31337.' }]);
  await Promise.all([graph.stop(), subgraph.stop()]);
  await Promise.all([network.stop(), node.stop()]);
});
