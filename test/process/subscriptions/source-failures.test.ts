import { expect, test } from '@jest/globals';
import { createReadinessProbe } from '../../../src/app/enabled-domains.ts';
import { probeNode } from '../../../src/snapshot/node-capabilities.ts';
import { HEAD_UNREADY_MS, headMetrics } from '../../../src/sync/head/head-status.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { blockOf } from '../../support/simulator/rpc-simulator.ts';
import { startFeed } from '../../support/subscriptions/feed-setup.ts';
import { startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

const LOGS = 'subscription ($after: String) { logs(after: $after) { cursor index blockNumber } }';

test('a logs subscription ends with the error of eth_getLogs and a cursor that resumes without loss', async () => {
  const chain = new SimChain({ seed: 4, maxLogsPerBlock: 3, blocks: 40 });
  const { node, url } = await startLiveGraph(chain, { timing: { sourceTimeoutMs: 300 } });
  const client = createSubscriptionClient(url);
  const logs = client.subscribe(LOGS);
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
  const again = client.subscribe(LOGS, { after: extensions.cursor });
  const missed = await again.waitForEvents(logsSince(reached).length);
  expect(missed.map(({ logs: { blockNumber, index } }) => [Number(blockNumber), Number(index)])).toEqual(
    logsSince(reached).map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)]),
  );
});

test('an invalid head is ignored, and a server without a valid one for 15 seconds is not ready', async () => {
  const chain = new SimChain({ seed: 6, blocks: 40 });
  const { node, upstream, follower, feed } = await startFeed(chain, {
    transports: 'both',
    // A connection that a busy machine answers late stays open.
    timing: { staleAfterMs: 60, pingIntervalMs: 4_000, pollingFallbackDelayMs: 1_000 },
  });
  const metric = (name: string) =>
    headMetrics(follower)
      .find((one) => one.name === name)!
      .value();
  /** The readiness check as if the head had been unknown for `ms` longer. */
  const isReadyAfter = async (ms: number) => {
    const { unknownMs } = follower.status;
    const status = { get: () => ({ ...follower.status, unknownMs: unknownMs === undefined ? undefined : unknownMs + ms }) };
    // Of any domain: no domain is enabled.
    const probe = createReadinessProbe({ node: upstream, follower: Object.create(follower, { status }), feed }, []);
    return probe(AbortSignal.timeout(60_000));
  };
  const absurd = {
    ...blockOf(chain.head),
    hash: `0x${'ab'.repeat(32)}`,
    parentHash: `0x${'cd'.repeat(32)}`,
    number: '0x1fffffffffffff',
  };
  await waitUntil(() => follower.status.transport === 'websocket', 'the WebSocket is connected');
  node.announce(absurd);
  await waitUntil(() => Number(metric('heads_unconfirmed_total')) > 0, 'the invalid head has been checked');
  expect(follower.window!.at(-1)!.hash).toBe(chain.head.hash);
  chain.mine();
  await waitUntil(() => metric('head_number') === 41, 'the next block is the head');
  await isReadyAfter(0);

  // From now on the node returns the invalid block as its head on every transport.
  node.intercept = (method, [ref]) => (method === 'eth_getBlockByNumber' && ref === 'latest' ? { result: absurd } : undefined);
  node.disconnect('reset');
  await waitUntil(() => Number(metric('head_unknown_seconds')) > 0, 'the head has expired');
  expect(metric('head_number')).toBeUndefined();
  // The node itself responds: only the head makes the server unready.
  expect(await probeNode(upstream, AbortSignal.timeout(60_000))).toBe('0x29');
  await expect(isReadyAfter(HEAD_UNREADY_MS)).rejects.toMatchObject({
    code: 'STALE_UPSTREAM',
    message: expect.stringMatching(/^No head of the chain has been confirmed for \d+ s\.$/),
  });
  node.intercept = undefined;
  await waitUntil(() => metric('head_number') === 41, 'the head is known again');
  expect(metric('head_unknown_seconds')).toBe(0);
  await isReadyAfter(HEAD_UNREADY_MS);
});

test('live queries end with the error that ends the follower', async () => {
  const chain = new SimChain({ seed: 8, blocks: 12 });
  const { node, url } = await startLiveGraph(chain);
  const client = createSubscriptionClient(url);
  const live = client.subscribe('query @live { block { number } }');
  await live.waitForEvents(1);
  node.chainId = '0x8';
  node.disconnect('reset');
  expect(await live.ended).toMatchObject([{ extensions: { code: 'UPSTREAM_CHAIN_CHANGED' } }]);
});
