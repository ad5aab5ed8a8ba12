import { createServer } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { findFreePort } from '../../support/reserved-port.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { startTestServer } from '../../support/test-server.ts';
import { startScriptedWizardService, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const OPERATION_TIMEOUT_MS = 500;
/** Chains of different heights. */
const [first, second] = [3, 6].map((blocks) => new SimChain({ seed: blocks, bloom: 'real', blocks })) as [SimChain, SimChain];
const HEAD = 'fragment Head on ChainFields { block { hash } }';
const headOf = ({ head }: SimChain) => ({ block: { hash: head.header.hash } });

const readinessOf = async ({ url }: RunningGraph) => {
  const response = await fetch(`${url}/readyz`);
  return { httpStatus: response.status, ...((await response.json()) as { degraded?: object[] }) };
};

/** Serves chain 1, which works, and three further chains: 5 works, the node of 6 has the id 9, and the node of 7 accepts requests and never responds. */
let graph: RunningGraph;

beforeAll(async () => {
  const [one, five, nine] = await Promise.all([
    startSimNode({ chain: first, chainId: '0x1' }),
    startSimNode({ chain: second, chainId: '0x5' }),
    startSimNode({ chain: second, chainId: '0x9' }),
  ]);
  const service = await startScriptedWizardService();
  service.wizards = [wizardFixture(1)];
  const silent = await startTestServer(createServer(() => {}));
  graph = await serveGraph({
    RPC_URL: one.url,
    CHAINS: writeChainsFile([
      { id: 5, rpcUrl: five.url },
      { id: 6, rpcUrl: nine.url },
      { id: 7, rpcUrl: silent.url },
    ]),
    OPERATION_TIMEOUT_MS: String(OPERATION_TIMEOUT_MS),
    ...service.settings,
  });
});

test('a chain whose node has another id fails by itself', async () => {
  const { data, errors } = await graph.execute(`{ ...Head chain(id: 5) { ...Head } other: chain(id: 6) { ...Head } } ${HEAD}`);
  expect(data).toEqual({ ...headOf(first), chain: headOf(second), other: { block: null } });
  const message = expect.stringContaining('The node has an endpoint of chain 9 instead of chain 6.');
  expect(errors).toMatchObject([{ path: ['other', 'block'], message, extensions: { code: 'UPSTREAM_CHAIN_CHANGED' } }]);
});

test('a chain whose node never responds fails at the deadline, and the others have their data', async () => {
  const startedAt = performance.now();
  const { data, errors } = await graph.execute(`{ ...Head chain(id: 5) { ...Head } silent: chain(id: 7) { ...Head } } ${HEAD}`);
  expect(performance.now() - startedAt).toBeGreaterThan(OPERATION_TIMEOUT_MS - 50);
  expect(data).toEqual({ ...headOf(first), chain: headOf(second), silent: { block: null } });
  expect(errors).toMatchObject([{ path: ['silent', 'block'], extensions: { code: 'TIMEOUT' } }]);
});

test('/readyz is 200 and names the failing chains', async () => {
  const { httpStatus, degraded } = await readinessOf(graph);
  expect([httpStatus, degraded]).toMatchObject([
    200,
    [
      { chain: '0x6', code: 'UPSTREAM_CHAIN_CHANGED' },
      { chain: '0x7', code: expect.stringMatching(/^UPSTREAM_/) },
    ],
  ]);
});

test('a chain without a wizard service fails with DOMAIN_NOT_CONFIGURED in these fields alone', async () => {
  const { data, errors } = await graph.execute(`{
    wizards { nodes { id } }
    chain(id: 5) { ...Head wizards { nodes { id } } }
  } ${HEAD}`);
  expect(data).toEqual({ wizards: { nodes: [{ id: '1' }] }, chain: { ...headOf(second), wizards: null } });
  expect(errors).toMatchObject([{ path: ['chain', 'wizards'], extensions: { code: 'DOMAIN_NOT_CONFIGURED' } }]);
});

test('CHAINS must not name the default chain', async () => {
  const { url } = await startSimNode({ chain: first, chainId: '0x1' });
  const CHAINS = writeChainsFile([
    { id: 5, rpcUrl: url },
    { id: 1, rpcUrl: url },
  ]);
  await expect(serveGraph({ RPC_URL: url, CHAINS })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: `The file "${CHAINS}" of CHAINS has the id 1 of the default chain.`,
  });
});

test('CHAINS serves the default chain by its id if the node of the default chain was down at the start', async () => {
  const port = await findFreePort();
  const { url } = await startSimNode({ chain: second, chainId: '0x1' });
  const twice = await serveGraph({ RPC_URL: `http://127.0.0.1:${port}`, CHAINS: writeChainsFile([{ id: 1, rpcUrl: url }]) });
  const query = `{ chain(id: 1) { ...Head } } ${HEAD}`;
  expect((await twice.execute(query)).data).toEqual({ chain: headOf(second) });
  expect((await readinessOf(twice)).httpStatus).toBe(503);
  await startSimNode({ chain: first, chainId: '0x1', port });
  await waitUntil(async () => (await readinessOf(twice)).httpStatus === 200, 'the default chain is served');
  expect((await twice.execute(`{ ...Head chain(id: 1) { ...Head } } ${HEAD}`)).data).toEqual({
    ...headOf(first),
    chain: headOf(second),
  });
});
