import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { runSize } from '../../support/random-tests.ts';
import { withNodeKey } from '../../support/secrets.ts';
import { resultOf, type Script, type ScriptedNode, startScriptedNode } from '../../support/upstream/scripted-node.ts';

/** A node that dies and comes back, under the real program: how fast it fails, and how soon it is back. */
let node: ScriptedNode;
let graph: RunningGraph;

afterEach(async () => {
  await graph?.stop();
  await node?.stop();
});

const ROUNDS = runSize(2, 20);

const respondCorrectly: Script = ({ body }) => {
  const entryOf = (call: any) => ({ ...resultOf(call), result: '0x7' });
  return Array.isArray(body) ? body.map(entryOf) : entryOf(body);
};

test.each<[string, Script]>([
  ['resets every connection', ({ socket }) => void socket.resetAndDestroy()],
  ['says nothing any more', () => undefined],
])(
  'while a node %s, refusals take under 50 ms once it is given up, and answers come within 2 s of its return',
  async (_case, dead) => {
    node = await startScriptedNode(respondCorrectly);
    graph = await startGraph({ RPC_URL: withNodeKey(node.url), RPC_TIMEOUT_MS: '200', OPERATION_TIMEOUT_MS: '3000' });
    const ask = () => graph.execute('{ chainID gasPrice }');
    const refusals: number[] = [];
    const returns: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      node.script = dead;
      while (!(await ask()).errors?.some(({ extensions }) => extensions.code === 'UPSTREAM_CIRCUIT_OPEN'));
      for (let i = 0; i < 50; i++) {
        const started = performance.now();
        expect((await ask()).errors![0]!.extensions.code).toBe('UPSTREAM_CIRCUIT_OPEN');
        refusals.push(performance.now() - started);
      }
      expect((await fetch(`${graph.url}/readyz`)).status).toBe(503);
      node.script = respondCorrectly;
      const back = performance.now();
      while ((await ask()).errors) await sleep(10);
      returns.push(performance.now() - back);
      expect((await fetch(`${graph.url}/readyz`)).status).toBe(200);
    }
    const p99 = refusals.sort((a, b) => a - b)[Math.ceil(refusals.length * 0.99) - 1]!;
    const longest = Math.max(...returns);
    process.stdout.write(
      `outage: ${refusals.length} refusals, p99 ${p99.toFixed(1)} ms; back after ${longest.toFixed(0)} ms at most\n`,
    );
    // The short run shares its machine with other tests, so it only tells a refusal from a wait.
    expect(p99).toBeLessThan(runSize(500, 50));
    expect(longest).toBeLessThan(runSize(10_000, 2_000));
  },
);
