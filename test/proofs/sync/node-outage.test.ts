import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { runSize } from '../../support/random-tests.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { respondFrom } from '../../support/simulator/rpc-simulator.ts';
import { type Script, type ScriptedNode, startScriptedNode } from '../../support/upstream/scripted-node.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Measures how fast the built program fails during an outage of the node, and how soon it recovers. */
let node: ScriptedNode;
let graph: RunningGraph;

const ROUNDS = runSize(1, 20);

const respondCorrectly = respondFrom(new SimChain({ seed: 1, blocks: 40 }));

beforeAll(async () => {
  node = await startScriptedNode(respondCorrectly);
  graph = await startGraph({ RPC_URL: withNodeKey(node.url), RPC_TIMEOUT_MS: '200', OPERATION_TIMEOUT_MS: '3000' });
});

test.each<[string, Script]>([
  ['resets every connection', ({ socket }) => void socket.resetAndDestroy()],
  ['does not respond', () => undefined],
])('open circuit rejects in under 50 ms while a node %s, and closes within 2 s of its recovery', async (_case, outage) => {
  const executeQuery = () => graph.execute('{ chainID block(number: 3) { hash } }');
  const rejectionMs: number[] = [];
  const recoveryMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    node.script = outage;
    while (!(await executeQuery()).errors?.some(({ extensions }) => extensions.code === 'UPSTREAM_CIRCUIT_OPEN'));
    for (let i = 0; i < 50; i++) {
      const started = performance.now();
      expect((await executeQuery()).errors![0]!.extensions.code).toBe('UPSTREAM_CIRCUIT_OPEN');
      rejectionMs.push(performance.now() - started);
    }
    expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
    node.script = respondCorrectly;
    const recoveredAt = performance.now();
    while ((await executeQuery()).errors) await sleep(10);
    recoveryMs.push(performance.now() - recoveredAt);
    await waitUntil(async () => (await fetch(`${graph.url}/readyz`)).ok, 'the server is ready');
  }
  const p99 = rejectionMs.sort((a, b) => a - b)[Math.ceil(rejectionMs.length * 0.99) - 1]!;
  const maxRecoveryMs = Math.max(...recoveryMs);
  process.stdout.write(
    `outage: ${rejectionMs.length} rejections, p99 ${p99.toFixed(1)} ms; recovered after ${maxRecoveryMs.toFixed(0)} ms at most\n`,
  );
  // The short run shares its machine with other tests, so its limits only distinguish a rejection from a timeout.
  expect(p99).toBeLessThan(runSize(500, 50));
  expect(maxRecoveryMs).toBeLessThan(runSize(10_000, 2_000));
});
