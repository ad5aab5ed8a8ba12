import { expect, test } from '@jest/globals';
import { type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';
import { createResumingLogListener, type ResumingLogListener } from '../../support/subscriptions/resuming-log-listener.ts';

/** Log subscriptions through disconnects and reorgs: no log is lost or repeated, all arrive in order. */
const SEED = readSeed();

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const waitTurns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};
const errorsOf = (listeners: readonly ResumingLogListener[]) => listeners.flatMap(({ error }) => error ?? []);
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Delays some responses with logs and fails others, so that the chain changes before the logs arrive. */
function injectLogFaults(node: SimNode, draw: () => number): void {
  node.logDelayMs = () => (draw() < 0.2 ? 1 + Math.floor(draw() * 8) : 0);
  node.intercept = (method) =>
    method === 'eth_getLogs' && draw() < 0.03 ? { error: { code: -32000, message: 'unknown block' } } : undefined;
}

const DISCONNECT_KINDS = ['reset', 'half a frame', 'silence'] as const;

test.each([
  ['the only transport', 'ws', runSize(12, 1_000), runSize(1_200, 100_000)],
  ['one of two transports', 'both', runSize(6, 250), runSize(600, 25_000)],
] as const)(
  `log subscription over a WebSocket that is %s (%s) loses no log through %i disconnects and %i logs (SEED=${SEED})`,
  async (_name, transports, kills, logs) => {
    const draw = random(SEED);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED, maxLogsPerBlock: 20, bloom: draw() < 0.5 ? 'real' : 'zero' });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, { transports, dialect: DIALECTS[upTo(DIALECTS.length) - 1]![1] });
    injectLogFaults(node, draw);
    const uninterrupted = createLogReplay(chain.head.hash);
    feed.subscribeLogs(uninterrupted);
    let isDropping = true;
    // Rare enough that no listener falls behind by more blocks than the history holds.
    const resuming = Array.from({ length: 8 }, () =>
      createResumingLogListener(feed, { shouldDisconnect: () => isDropping && draw() < 0.003 }),
    );
    const resumeSome = () => {
      for (const listener of resuming) if (!listener.isListening && draw() < 0.3) listener.resume();
    };
    // Also resume while the logs of a known block are not read yet.
    feed.subscribeHeads({ next: resumeSome, end: () => {} });
    let createdCount = 0;
    while (sumOf(Object.values(node.disconnects)) < kills || createdCount < logs) {
      node.announcesBeforeReply = draw() < 0.5;
      node.disconnect(DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 12));
      for (let burst = upTo(4); burst > 0; burst--) {
        const depth = draw() < 0.1 ? upTo(3) : 0;
        createdCount += sumOf(chain.reorg(depth, depth + upTo(4)).added.map((block) => block.logs.length));
        resumeSome();
        if (draw() < 0.7) await nextTurn();
      }
      await uninterrupted.waitForBlock(chain.head.hash);
      expect(errorsOf(resuming)).toEqual([]);
    }
    isDropping = false;
    for (const listener of resuming) if (!listener.isListening) listener.resume();
    chain.mine();
    await pollUntil(() => resuming.every(({ tip, error }) => error || tip === chain.head.hash));
    expect(errorsOf(resuming)).toEqual([]);
    expect(logDifferences(uninterrupted, chain.main)).toEqual([]);
    for (const listener of resuming) expect(listener.differences(chain.main)).toEqual([]);
    const drops = sumOf(resuming.map(({ counts }) => counts.drops));
    const { reorgs, gaps, reconnects } = follower.status;
    const disconnects = Object.entries(node.disconnects).map(([kind, count]) => `${count} ${kind}`);
    process.stdout.write(
      `logs: ${createdCount} logs, ${reorgs} reorgs, ${reconnects} reconnects (${disconnects.join(', ')}), ${drops} resumptions\n`,
    );
    expect(gaps).toBe(0);
    expect(drops).toBeGreaterThan(createdCount / 1_000);
  },
);

const REORGS = Math.ceil(runSize(50, 10_000) / DIALECTS.length);
const LISTENERS = 100;

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `${LISTENERS} filtered log subscriptions have the logs of the chain after each of ${REORGS} reorgs with disconnects: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: from, bloom: draw() < 0.5 ? 'real' : 'zero' });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, { dialect });
    injectLogFaults(node, draw);
    const uninterrupted = createLogReplay(chain.head.hash);
    feed.subscribeLogs(uninterrupted);
    const pickSome = <T>(all: readonly T[], chance: number) => all.filter(() => draw() < chance);
    const knownLogs = [...Array(30).keys()].flatMap((height) => chain.main.at(height)!.logs);
    const filters = Array.from({ length: LISTENERS }, (): LogFilter => {
      const topics = [0, 1].map((index) => pickSome([...new Set(knownLogs.map((log) => log.topics[index]!))], draw() * 0.7));
      return { addresses: pickSome([...new Set(knownLogs.map(({ address }) => address))], draw() * 0.7), topics };
    });
    const listeners = filters.map((filter) => createResumingLogListener(feed, { matches: (log) => matchesFilter(log, filter) }));
    for (const listener of listeners) listener.resume();
    let removedCount = 0;
    /** Whether a disconnect is scheduled that has not happened yet. */
    let isDisconnectScheduled = false;
    const disconnectCount = () => sumOf(Object.values(node.disconnects));
    for (let round = 0; round < REORGS; round++) {
      const [countBefore, { height }] = [disconnectCount(), chain.head];
      node.announcesBeforeReply = draw() < 0.5;
      if (round === 0 || draw() < 0.6) {
        isDisconnectScheduled = true;
        node.disconnect(draw() < 0.03 ? 'silence' : (['reset', 'half a frame', 'close'] as const)[upTo(3) - 1]!, upTo(8) - 1);
      }
      // Keep reorgs within the blocks that the follower has read.
      chain.mine(Math.max(0, 40 - chain.head.height));
      const depth = upTo(16);
      removedCount += chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth)).removed.length;
      for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
      if (draw() < 0.4) {
        await waitTurns(upTo(8));
        chain.reorg(upTo(4), upTo(5));
      }
      // After a disconnect the follower does not accept an unannounced lower head until the chain is higher.
      if (isDisconnectScheduled) chain.mine(Math.max(0, height + 1 - chain.head.height));
      await uninterrupted.waitForBlock(chain.head.hash);
      expect(errorsOf(listeners)).toEqual([]);
      isDisconnectScheduled &&= disconnectCount() === countBefore;
    }
    await pollUntil(() => listeners.every(({ tip, error }) => error || tip === chain.head.hash));
    expect(logDifferences(uninterrupted, chain.main)).toEqual([]);
    for (const listener of listeners) expect(listener.differences(chain.main)).toEqual([]);
    const { reorgs, gaps, reconnects } = follower.status;
    const emittedLogs = sumOf(listeners.map(({ counts }) => counts.added + counts.removed));
    process.stdout.write(
      `logs: ${REORGS} reorgs of ${removedCount} blocks, ${reorgs} emitted, ${reconnects} reconnects, ${emittedLogs} logs emitted\n`,
    );
    expect(gaps).toBe(0);
    // In a short run the number of disconnects varies widely.
    expect(reconnects).toBeGreaterThan((REORGS * runSize(5, 45)) / 100);
  },
);

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
    const chain = new SimChain({ seed: SEED, bloom });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, {
      transports: 'http',
      backends: { count: 3, lag: 4, seed: SEED },
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
    const missedReads = node.callCounts.get('eth_getLogs')! - replay.blocks.length;
    process.stdout.write(
      `logs: ${replay.blocks.length} blocks, ${behind} polls of a lagging backend, ${missedReads} reads of a backend without the block\n`,
    );
    expect([reorgs, missedReads > replay.blocks.length / 10]).toEqual([0, true]);
  },
);
