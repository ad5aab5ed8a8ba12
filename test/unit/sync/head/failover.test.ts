import { expect, test } from '@jest/globals';
import { createChainFeed } from '../../../../src/sync/feed.ts';
import { startFollower } from '../../../../src/sync/head/follower.ts';
import { createRpcNode } from '../../../../src/upstream/rpc/node.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { log } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { type SimNode, startSimNode } from '../../../support/simulator/node.ts';
import { blockOf } from '../../../support/simulator/rpc-simulator.ts';
import { FAST_TIMING } from '../../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../../support/subscriptions/log-replay.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** Invalid responses of the first of two endpoints. */
const INVALID_RESPONSES: [string, NonNullable<SimNode['intercept']>][] = [
  [
    'logs of another block',
    (method) => (method === 'eth_getLogs' ? { result: [{ blockHash: `0x${'0'.repeat(64)}` }] } : undefined),
  ],
  ['a list with null in place of logs', (method) => (method === 'eth_getLogs' ? { result: [null] } : undefined)],
  ['no logs', (method) => (method === 'eth_getLogs' ? { result: [] } : undefined)],
  ['heads whose hash is a number', (_method, [ref]) => (ref === 'latest' ? { result: { number: '0x1', hash: 5 } } : undefined)],
  ['lists in place of heads', (method) => (method.startsWith('eth_getBlockBy') ? { result: [] } : undefined)],
];

test.each(INVALID_RESPONSES)('log subscription uses the next endpoint when the first one returns %s', async (_case, invalid) => {
  const chain = new SimChain({ seed: 81, bloom: 'real', blocks: 40 });
  const [wrong, right] = [await startSimNode({ chain }), await startSimNode({ chain })];
  wrong.intercept = invalid;
  const node = createRpcNode({ urls: [wrong.url, right.url], maxBatchSize: 100, timeoutMs: 2_000, log });
  cleanups.push(() => node.close());
  const follower = startFollower({
    createSource: node.createSession,
    timeoutMs: 2_000,
    maxBatchSize: 100,
    log,
    timing: FAST_TIMING,
  });
  cleanups.push(() => follower.stop());
  await follower.ready(AbortSignal.timeout(60_000));
  const feed = createChainFeed({
    follower,
    createSource: node.createSession,
    timeoutMs: 2_000,
    log,
    timing: FAST_TIMING,
    lingerMs: 20,
  });
  cleanups.push(() => feed.stop());
  const replay = createLogReplay(chain.head.hash);
  feed.subscribeLogs(replay);
  for (let i = 0; i < 3; i++) {
    chain.reorg(i, 2 * i + 2);
    await replay.waitForBlock(chain.head.hash);
  }
  expect(logDifferences(replay, chain.main)).toEqual([]);
});

test.each([['ws'], ['http']] as const)(
  'a forged head is not followed, and the status names the setting: %s',
  async (transport) => {
    const chain = new SimChain({ seed: 82, blocks: 40 });
    const node = await startSimNode({ chain });
    const forged = (header: object) => ({ ...header, stateRoot: `0x${'99'.repeat(32)}` });
    node.intercept = (method, [ref]) =>
      method.startsWith('eth_getBlockBy')
        ? { result: forged(blockOf(ref === 'latest' ? chain.head : (chain.block(ref) ?? chain.main.at(Number(ref))!))) }
        : undefined;
    const upstream = createRpcNode({ urls: [node.url], maxBatchSize: 100, timeoutMs: 2_000, log });
    cleanups.push(() => upstream.close());
    const follower = startFollower({
      ...(transport === 'ws' ? { url: node.wsUrl } : { createSource: upstream.createSession }),
      headerChecks: upstream.headerChecks,
      ...{ timeoutMs: 2_000, maxBatchSize: 100, log, timing: FAST_TIMING },
    });
    cleanups.push(() => follower.stop());
    await waitUntil(() => follower.status.error?.message.includes('HEADER_CHECKS=report') ?? false, 'the status has the reason');
    expect(follower.window).toBeUndefined();
    node.intercept = undefined;
    await follower.ready(AbortSignal.timeout(60_000));
    expect(follower.head?.hash).toBe(chain.head.hash);
  },
);
