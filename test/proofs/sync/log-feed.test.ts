import { expect, test } from '@jest/globals';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay } from '../../support/subscriptions/log-replay.ts';

/** Log subscriptions through disconnects and reorgs: no log is lost or repeated, all arrive in order. */
const SEED = readSeed();

const POLLS = runSize(100, 5_000);

test.each([
  ['real', false],
  ['real', true],
  ['zero', false],
  ['zero', true],
] as const)(
  `log subscription emits every block with its logs in ${POLLS} polls of three lagging backends: %s blooms, unknown blocks hidden: %s (SEED=${SEED})`,
  async (bloom, hidesUnknownBlocks) => {
    const draw = random(SEED);
    const chain = new SimChain({ seed: SEED, bloom, blocks: 40 });
    const { node, feed, follower } = await startFeed(chain, {
      transports: 'http',
      backends: { count: 3, lag: 4, seed: SEED },
      hasBlockReceipts: !hidesUnknownBlocks && bloom === 'real',
      timing: { minPollIntervalMs: 0, maxPollIntervalMs: 0 },
    });
    node.hidesUnknownBlocks = hidesUnknownBlocks;
    const replay = createLogReplay(feed.head!.hash);
    feed.subscribeLogs(replay);
    let pollCount = 0;
    node.intercept = (method, [ref]) => {
      if (method !== 'eth_getBlockByNumber' || ref !== 'latest' || pollCount++ > POLLS) return undefined;
      if (draw() < 0.3) chain.mine();
      return undefined;
    };
    await pollUntil(() => pollCount > POLLS + 20 && feed.logsHead === feed.head);
    expect(replay.ended).toBeUndefined();
    expect(replay.blocks.length).toBeGreaterThan(POLLS / runSize(10, 5));
    expect(replay.blocks.filter(({ head, logs }) => logs.length !== chain.block(head.hash)!.logs.length)).toEqual([]);
    const { behind, reorgs } = follower.status;
    const { eth_getLogs = 0, eth_getBlockReceipts = 0 } = Object.fromEntries(node.callCounts);
    const missedReads = Math.max(eth_getLogs, eth_getBlockReceipts) - replay.blocks.length;
    process.stdout.write(
      `logs: ${replay.blocks.length} blocks, ${behind} polls of a lagging backend, ${missedReads} reads of a backend without the block\n`,
    );
    expect([reorgs, missedReads > replay.blocks.length / 10]).toEqual([0, true]);
  },
);
