import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { execute, workerIds } from '../../support/graph/workers.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Workers of a server with several chains, whose file changes while they run. */
const chainOf = (blocks: number) => new SimChain({ seed: blocks, bloom: 'real', blocks });

/** Kills a worker and waits for the next one. */
async function replaceWorker(graph: GraphProcess) {
  const count = workerIds(graph).length;
  process.kill(workerIds(graph)[0]!, 'SIGKILL');
  await waitUntil(
    () => workerIds(graph).length > count || graph.output().includes('a worker cannot start'),
    'the worker is replaced',
  );
  expect(graph.output()).not.toContain('a worker cannot start');
}

test('a replaced worker serves the chains of the others, although the files of settings are invalid now', async () => {
  const [one, five] = await Promise.all([
    startSimNode({ chain: chainOf(3), chainId: '0x1' }),
    startSimNode({ chain: chainOf(6), chainId: '0x5' }),
  ]);
  const [CHAINS, variables] = [writeChainsFile([{ id: 5, rpcUrl: five.url }]), writeChainsFile([])];
  const graph = await startGraph({ RPC_URL: one.url, WORKERS: '2', CHAINS }, ['--env-file', variables]);
  // An operator edits them for the next restart of the server.
  for (const path of [CHAINS, variables]) writeFileSync(path, 'MAX_DEPTH=[');
  await replaceWorker(graph);
  // A new connection for each, so that both workers respond.
  for (let i = 0; i < 4; i++)
    expect(await execute(graph, '{ chain(id: 5) { block { number } } }')).toMatchObject({
      data: { chain: { block: { number: '0x6' } } },
    });
});

test('a worker is replaced although a default node that was down at the start has an id of the file', async () => {
  const port = await findFreePort();
  const five = await startSimNode({ chain: chainOf(6), chainId: '0x5' });
  const graph = await startGraph({
    RPC_URL: `http://127.0.0.1:${port}`,
    WORKERS: '2',
    CHAINS: writeChainsFile([{ id: 5, rpcUrl: five.url }]),
  });
  await startSimNode({ chain: chainOf(6), chainId: '0x5', port });
  await waitUntil(async () => (await graph.execute('{ block { hash } }')).errors === undefined, 'the default chain is served');
  await replaceWorker(graph);
});

test.each(['1', '2'])('with WORKERS=%s the log names the chain whose node cannot be reached', async (WORKERS) => {
  const { url } = await startSimNode({ chain: chainOf(3), chainId: '0x1' });
  const rpcUrl = `http://127.0.0.1:${await findFreePort()}`;
  const graph = await startGraph({ RPC_URL: url, WORKERS, CHAINS: writeChainsFile([{ id: 7, rpcUrl }]) });
  const lines = () =>
    graph
      .output()
      .split('\n')
      .filter((line) => line.includes('polling the node for its head failed'));
  await waitUntil(() => lines().length > 0, 'the log has the failure');
  expect(lines().map((line) => JSON.parse(line).chain)).toEqual([7]);
});
