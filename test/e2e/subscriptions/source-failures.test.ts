import { expect, test } from '@jest/globals';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { startSimNode } from '../../support/simulator/node.ts';
import { blockOf } from '../../support/simulator/rpc-simulator.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';

const LOGS = 'subscription ($after: String) { logs(after: $after) { cursor index blockNumber } }';

test('a logs subscription ends with the error of eth_getLogs and a cursor that resumes without loss', async () => {
  const chain = new SimChain({ seed: 4, maxLogsPerBlock: 3 });
  chain.mine(40);
  const { node, url } = await startLiveGraph(chain, { timing: { sourceTimeoutMs: 300 } });
  const client = createSubscriptionClient(url);
  const logs = client.subscribe<any>(LOGS);
  // Operations of one connection start in the order in which they arrive.
  await client.subscribe('{ __typename }').ended;
  const from = chain.head.height;
  const logsSince = (height: number) =>
    Array.from({ length: chain.head.height - height }, (_none, i) => chain.main.at(height + 1 + i)!).flatMap(
      (block) => block.logs,
    );
  while (logsSince(from).length < 3) chain.mine();
  const emitted = await logs.waitForEvents(logsSince(from).length);
  const reached = chain.head.height;
  node.intercept = (method) => (method === 'eth_getLogs' ? { error: { code: -32000, message: 'refused' } } : undefined);
  while (logsSince(reached).length < 3) chain.mine();
  const [{ extensions }] = (await logs.ended) as [any];
  expect(extensions).toMatchObject({ code: 'UPSTREAM_ERROR', retryable: true, cursor: emitted.at(-1)!.logs.cursor });
  node.intercept = undefined;
  const again = client.subscribe<any>(LOGS, { after: extensions.cursor });
  const missed = await again.waitForEvents(logsSince(reached).length);
  expect(missed.map(({ logs: { blockNumber, index } }) => [Number(blockNumber), Number(index)])).toEqual(
    logsSince(reached).map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)]),
  );
});

test('an invalid head is ignored, and /readyz is 503 after 15 seconds without a valid one', async () => {
  const chain = new SimChain({ seed: 6 });
  chain.mine(40);
  const node = await startSimNode({ chain });
  const graph = await startGraph({ RPC_URL: node.url, RPC_WS_URL: node.wsUrl });
  const metric = async (name: string) =>
    Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(await (await fetch(`${graph.url}/metrics`)).text())?.[1]);
  const readyz = async () => {
    const response = await fetch(`${graph.url}/readyz`);
    return { status: response.status, body: (await response.json()) as any };
  };
  const settled = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await settled(async () => (await readyz()).body.head?.transport === 'websocket');
  const absurd = {
    ...blockOf(chain.head),
    hash: `0x${'ab'.repeat(32)}`,
    parentHash: `0x${'cd'.repeat(32)}`,
    number: '0x1fffffffffffff',
  };
  node.announce(absurd);
  await settled(async () => (await metric('heads_unconfirmed_total')) === 1);
  expect(await metric('head_number')).toBe(40);
  chain.mine();
  await settled(async () => (await metric('head_number')) === 41);
  expect(await readyz()).toMatchObject({ status: 200, body: { head: { number: '0x29', state: 'live' } } });

  // From now on the node returns the invalid block as its head on every transport.
  node.intercept = (method, [ref]) => (method === 'eth_getBlockByNumber' && ref === 'latest' ? { result: absurd } : undefined);
  node.disconnect('reset');
  const since = performance.now();
  await settled(async () => (await readyz()).status === 503);
  expect(performance.now() - since).toBeGreaterThan(14_000);
  expect(performance.now() - since).toBeLessThan(40_000);
  const { code, message } = (await readyz()).body;
  expect({ code, message }).toEqual({
    code: 'STALE_UPSTREAM',
    message: expect.stringMatching(/^No head of the chain has been confirmed for \d+ s\.$/),
  });
  expect(await metric('head_unknown_seconds')).toBeGreaterThan(15);
  node.intercept = undefined;
  await settled(async () => (await readyz()).status === 200);
  expect(await metric('head_unknown_seconds')).toBe(0);
  await graph.stop();
}, 90_000);
