import { expect, test } from '@jest/globals';
import { type Follower, type FollowerOptions, startFollower } from '../../../src/sync/head/follower.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { createCleanups } from '../../support/cleanups.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { log } from '../../support/silent-log.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { chainDifferences, replayChain } from '../../support/simulator/chain-replay.ts';
import { type DisconnectKind, startSimNode } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';

/** Runs the follower over nodes that reorganise, disconnect and lag, and compares its chain with the node's. */
const SEED = readSeed();
/** Short waits between connections, so that the run spends its time on reorgs. */
const FAST_TIMING = { minBackoffMs: 1, maxBackoffMs: 20, pingIntervalMs: 40, minRecheckMs: 2, maxRecheckMs: 20 };

const cleanups = createCleanups();

async function follow(options: Partial<FollowerOptions>): Promise<Follower> {
  const follower = startFollower({ timeoutMs: 2_000, maxBatchSize: 100, log, timing: FAST_TIMING, ...options });
  cleanups.push(() => follower.stop());
  await follower.ready(AbortSignal.timeout(60_000));
  return follower;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const DISCONNECT_KINDS: readonly DisconnectKind[] = ['reset', 'half a frame', 'close'];
const REORGS = Math.ceil(runSize(100, 10_000) / DIALECTS.length);

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `follower has the chain of the node after each of ${REORGS} reorgs with disconnects: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: from, blocks: 40 });
    const node = await startSimNode({ chain, dialect });
    const follower = await follow({ url: node.wsUrl });
    const replay = replayChain(follower);
    let reorgCount = 0;
    /** Whether a disconnect is scheduled that has not happened yet. */
    let isDisconnectScheduled = false;
    const disconnectCount = () => Object.values(node.disconnects).reduce((sum, count) => sum + count, 0);
    for (let round = 0; round < REORGS; round++) {
      const [countBefore, { height }] = [disconnectCount(), chain.head];
      node.announcesBeforeReply = draw() < 0.5;
      if (draw() < 0.6) {
        isDisconnectScheduled = true;
        node.disconnect(draw() < 0.03 ? 'silence' : DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 8));
      }
      // Sometimes several reorgs follow each other at once.
      for (let burst = draw() < 0.2 ? upTo(3) : 1; burst > 0; burst--) {
        // Keep reorgs within the blocks that the follower has read.
        chain.mine(Math.max(0, 40 - chain.head.height));
        const depth = upTo(16);
        chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth));
        reorgCount += 1;
        for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
        if (draw() < 0.5) await nextTurn();
      }
      // After a disconnect the follower does not accept an unannounced lower head until the chain is higher.
      if (isDisconnectScheduled) chain.mine(Math.max(0, height + 1 - chain.head.height));
      await replay.waitForHead(chain.head.hash);
      expect(chainDifferences(replay, chain.main)).toEqual([]);
      isDisconnectScheduled &&= disconnectCount() === countBefore;
    }
    const { reorgs, gaps, reconnects, malformed } = follower.status;
    process.stdout.write(
      `follower: ${reorgCount} reorgs, ${reorgs} emitted, ${reconnects} reconnects, ${node.totalCalls()} calls\n`,
    );
    expect({ gaps, malformed }).toEqual({ gaps: 0, malformed: 0 });
    // In a short run the number of disconnects varies widely.
    expect(reconnects).toBeGreaterThan((REORGS * runSize(5, 45)) / 100);
  },
);

const POLLS = runSize(400, 100_000);

/**
 * Polls three backends behind one address `polls` times. Calls `advance` before each poll. Returns the follower and its replayed
 * chain.
 */
async function pollThreeBackends(polls: number, advance: (chain: SimChain, draw: () => number) => unknown) {
  const draw = random(SEED);
  const chain = new SimChain({ seed: SEED, blocks: 60 });
  const node = await startSimNode({ chain, backends: { count: 3, lag: 20, seed: SEED } });
  const upstream = createRpcNode({ urls: [node.url], maxBatchSize: 100, timeoutMs: 2_000, log });
  cleanups.push(() => upstream.close());
  const follower = await follow({
    createSource: upstream.createSession,
    timing: { ...FAST_TIMING, minPollIntervalMs: 0, maxPollIntervalMs: 0 },
  });
  const replay = replayChain(follower);
  const { promise, resolve, reject } = withResolvers();
  let pollCount = 0;
  let lastHeight = -1;
  node.intercept = (method, [ref]) => {
    if (method !== 'eth_getBlockByNumber' || ref !== 'latest' || pollCount > polls) return undefined;
    advance(chain, draw);
    const height = follower.head?.height ?? lastHeight;
    if (height < lastHeight) reject(new Error(`the head changed from height ${lastHeight} to ${height}`));
    lastHeight = height;
    pollCount += 1;
    if (pollCount > polls) resolve();
    return undefined;
  };
  await promise;
  return { follower, replay, chain };
}

test(`follower never lowers its head in ${POLLS} polls of three backends that lag 0 to 20 blocks (SEED=${SEED})`, async () => {
  const { follower, replay, chain } = await pollThreeBackends(POLLS, (chain, draw) => draw() < 0.1 && chain.mine());
  const { gaps, reorgs, behind } = follower.status;
  process.stdout.write(`follower: ${POLLS} polls, ${chain.head.height - 60} new blocks, ${behind} lagging results\n`);
  expect({ gaps, reorgs, removed: replay.removed }).toEqual({ gaps: 0, reorgs: 0, removed: 0 });
  expect(chain.head.height - follower.head!.height).toBeLessThan(21);
});

const POLLS_OF_REORGS = runSize(500, 20_000);

test(`follower never returns to a side branch in ${POLLS_OF_REORGS} polls of three lagging backends (SEED=${SEED})`, async () => {
  let reorgCount = 0;
  const { follower, replay } = await pollThreeBackends(POLLS_OF_REORGS, (chain, draw) => {
    if (draw() < 0.1) chain.mine();
    if (draw() > 0.01) return;
    const depth = 1 + Math.floor(draw() * 3);
    chain.reorg(depth, depth + 1);
    reorgCount += 1;
  });
  const { gaps, reorgs } = follower.status;
  process.stdout.write(`follower: ${POLLS_OF_REORGS} polls, ${reorgCount} reorgs, ${reorgs} emitted\n`);
  expect({ gaps, readded: replay.readded }).toEqual({ gaps: 0, readded: 0 });
  expect(reorgs).toBeLessThanOrEqual(reorgCount);
});

function withResolvers() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
