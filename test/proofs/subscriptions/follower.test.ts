import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { type ChainChange, type Follower, type FollowerOptions, startFollower } from '../../../src/sync/head/follower.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { cleanups } from '../../support/cleanups.ts';
import { assertNoSecret, withNodeKey } from '../../support/secrets.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { replayChain } from '../../support/simulator/chain-replay.ts';
import { type SimNode, startSimNode } from '../../support/simulator/node.ts';
import { pollUntil } from '../../support/subscriptions/feed-setup.ts';

/** The follower over real sockets and a simulated node with faults. */
const QUICK = {
  minBackoffMs: 1,
  maxBackoffMs: 20,
  minRecheckMs: 5,
  maxRecheckMs: 20,
  pollingFallbackDelayMs: 50,
  minPollIntervalMs: 2,
  maxPollIntervalMs: 5,
};

let chain: SimChain;
let node: SimNode;
let lines: string[];
let log: Logger;

beforeEach(async () => {
  chain = new SimChain({ seed: 1, blocks: 50 });
  node = await startSimNode({ chain });
  lines = [];
  const write = (line: string) => void lines.push(line);
  log = pino({ level: 'trace' }, { write });
  cleanups.push(() => node.stop());
});

afterEach(() => {
  assertNoSecret(lines.join(''), 'the log of a follower');
});

interface Following {
  readonly follower: Follower;
  readonly changes: ChainChange[];
  /** Resolves when the follower has the head of the chain. */
  caughtUp(): Promise<void>;
}

function start(options: Partial<FollowerOptions> = {}): Following {
  const { timing, ...others } = options;
  const follower = startFollower({
    url: withNodeKey(node.wsUrl),
    timeoutMs: 5_000,
    maxBatchSize: 100,
    log,
    timing: { ...QUICK, ...timing },
    ...others,
  });
  cleanups.push(() => follower.stop());
  const changes: ChainChange[] = [];
  follower.subscribe((change) => changes.push(change));
  const received = replayChain(follower);
  return { follower, changes, caughtUp: () => received.waitForHead(chain.head.hash) };
}

/** A polling source, as the graph creates it. */
function polling(): Pick<FollowerOptions, 'createSource'> {
  const upstream = createRpcNode({ urls: [withNodeKey(node.url)], maxBatchSize: 100, timeoutMs: 5_000, log });
  cleanups.push(() => upstream.close());
  return { createSource: upstream.createSession };
}

async function ready(options?: Partial<FollowerOptions>): Promise<Following> {
  const following = start(options);
  await following.follower.ready(AbortSignal.timeout(5_000));
  return following;
}

const messages = () => lines.map((line) => JSON.parse(line).msg as string);

test('follower has the head and its ancestors by height and hash after the start', async () => {
  const { follower, changes } = await ready();
  expect(follower.head).toMatchObject({ hash: chain.head.hash, number: '0x32', height: 50 });
  expect(follower.head!.header).toEqual({ ...chain.head.header, size: '0x220' });
  expect(follower.hashAt('0x28')).toBe(chain.main.at(40)!.hash);
  expect(follower.hashAt('0x33')).toBeUndefined();
  expect(follower.headerOf(chain.main.at(40)!.hash.toUpperCase().replace('X', 'x'))?.height).toBe(40);
  expect(follower.headerOf(`0x${'1'.repeat(64)}`)).toBeUndefined();
  expect(follower.status).toMatchObject({ state: 'live', transport: 'websocket', reorgs: 0, gaps: 0, reconnects: 0 });
  expect(follower.status.headAgeMs).toBeLessThan(5_000);
  expect(changes).toMatchObject([{ removed: [], added: [{ height: 50 }], hasGap: false }]);
});

describe('when a connection ends', () => {
  test('follower reports no head while it cannot reconnect, and again afterwards', async () => {
    const { follower, caughtUp } = await ready({ timing: { staleAfterMs: 60 } });
    node.upgradeRefusalStatus = 503;
    node.disconnect('reset');
    await pollUntil(() => follower.head === undefined);
    expect(follower.hashAt('0x32')).toBeUndefined();
    expect(follower.headerOf(chain.head.hash)).toBeUndefined();
    expect(follower.source).toBeUndefined();
    expect(follower.status).toMatchObject({ state: 'waiting', error: { code: 'UPSTREAM_UNAVAILABLE' } });
    // More than the follower would ever retry.
    await pollUntil(() => follower.status.reconnects > 20);
    node.upgradeRefusalStatus = undefined;
    chain.mine();
    await caughtUp();
    expect(follower.head?.hash).toBe(chain.head.hash);
    expect(follower.status.state).toBe('live');
  });
});

test('follower accepts the lower head of a restarted devnet within seconds', async () => {
  chain = new SimChain({ seed: 1, blocks: 400 });
  await node.stop();
  node = await startSimNode({ chain });
  const port = Number(new URL(node.url).port);
  const { follower, changes } = await ready();
  await node.stop();
  chain = new SimChain({ seed: 2, genesisTime: 1_800_000_000, blocks: 3 });
  node = await startSimNode({ chain, port });
  await pollUntil(() => follower.head?.hash === chain.head.hash);
  expect(changes.at(-1)).toMatchObject({ removed: [], added: [{ height: 3 }], hasGap: true });
  chain.mine();
  await pollUntil(() => follower.head?.hash === chain.head.hash);
  expect(follower.status).toMatchObject({ state: 'live', gaps: 1 });
});

test('follower accepts an older head after the node has returned it for `staleAfterMs`', async () => {
  // The blocks share one second, so that the silence threshold is short.
  chain = new SimChain({ seed: 2, blockSeconds: 0, blocks: 50 });
  await node.stop();
  node = await startSimNode({ chain });
  const { follower, changes } = await ready({ timing: { minSilenceMs: 200, staleAfterMs: 1 } });
  const seen: { head: unknown; changes: number }[] = [];
  node.intercept = (_method, [ref]) => {
    if (ref === 'latest') seen.push({ head: follower.head, changes: changes.length });
    return undefined;
  };
  chain.reorg(3, 0);
  await pollUntil(() => follower.head?.hash === chain.head.hash);
  // The old head expired before the new head was accepted.
  expect(seen).toContainEqual({ head: undefined, changes: 1 });
  expect(changes.at(-1)).toMatchObject({ removed: [{ height: 50 }, { height: 49 }, { height: 48 }], added: [], hasGap: false });
});

test.each([401, 403])('follower connects again after a handshake rejected with %s', async (status) => {
  node.upgradeRefusalStatus = status;
  const { follower, caughtUp } = start({ timing: { rejectedRetryMs: 5 } });
  await pollUntil(() => follower.status.reconnects > 2);
  expect(follower.status).toMatchObject({ state: 'connecting', error: { code: 'UPSTREAM_AUTH', endpoint: node.wsUrl } });
  node.upgradeRefusalStatus = undefined;
  await caughtUp();
});

describe('fatal errors', () => {
  test('follower fails permanently when the node serves another chain after a reconnect', async () => {
    const { follower, changes } = await ready();
    node.chainId = '0x8';
    node.disconnect('reset');
    expect(await follower.ended).toMatchObject({
      code: 'UPSTREAM_CHAIN_CHANGED',
      message: 'The node has an endpoint of chain 8 instead of chain 7.',
      endpoint: node.wsUrl,
    });
    expect(messages()).toContain('following the chain ended with a fatal error; correct the endpoint and restart the server');
    chain.mine();
    expect(follower.head).toBeUndefined();
    expect(changes).toHaveLength(1);
    await expect(follower.ready(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: 'UPSTREAM_CHAIN_CHANGED' });
  });

  test.each<[string, () => Partial<FollowerOptions>]>([
    ['over a WebSocket', () => ({})],
    ['with polling', () => ({ url: undefined, ...polling() })],
  ])('follower fails permanently for a chain other than the expected one %s', async (_case, options) => {
    const { follower } = start({ chainId: '0x9', ...options() });
    await expect(follower.ready(AbortSignal.timeout(5_000))).rejects.toMatchObject({ code: 'UPSTREAM_CHAIN_CHANGED' });
    expect(follower.status.state).toBe('fatal');
  });
});

describe('stop', () => {
  test('follower stop at any time leaves no socket and no pending call', async () => {
    for (const wait of [0, 1, 3, 10, 30]) {
      const { follower } = start(polling());
      await new Promise((resolve) => setTimeout(resolve, wait));
      await follower.stop();
      await follower.stop();
      await pollUntil(() => node.sockets.size === 0);
      const before = node.totalCalls();
      chain.mine();
      expect(follower.head).toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(node.totalCalls()).toBe(before);
    }
  });
});
