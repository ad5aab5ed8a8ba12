import { expect, test } from '@jest/globals';
import { type LogFilter, matchesFilter } from '../../../src/ethereum/log-filters.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import type { SimNode } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import { pollUntil, startFeed } from '../../support/subscriptions/feed-setup.ts';
import { createLogReplay, logDifferences } from '../../support/subscriptions/log-replay.ts';
import { createResumingLogListener, type ResumingLogListener } from '../../support/subscriptions/resuming-log-listener.ts';

/** Logs over connections that are killed, and through reorgs: none is lost, none comes twice, all come in order. */
const SEED = readSeed();

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn();
};
const errorsOf = (listeners: readonly ResumingLogListener[]) => listeners.flatMap(({ error }) => error ?? []);
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** Answers with logs take long now and then, or do not come, so that the chain moves on before they are there. */
function injectLogFaults(node: SimNode, draw: () => number): void {
  node.logDelayMs = () => (draw() < 0.2 ? 1 + Math.floor(draw() * 8) : 0);
  node.intercept = (method) =>
    method === 'eth_getLogs' && draw() < 0.03 ? { error: { code: -32000, message: 'unknown block' } } : undefined;
}

const DISCONNECT_KINDS = ['reset', 'half a frame', 'silence'] as const;

test.each([
  ['the only way to the node', 'ws', runSize(30, 1_000), runSize(3_000, 100_000)],
  ['one of two ways to the node', 'both', runSize(15, 250), runSize(1_500, 25_000)],
] as const)(
  `a WebSocket that is %s (%s) is killed %i times while %i logs flow (SEED=${SEED})`,
  async (_name, transports, kills, logs) => {
    const draw = random(SEED);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: SEED, maxLogsPerBlock: 20, bloom: draw() < 0.5 ? 'real' : 'zero' });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, { transports, dialect: DIALECTS[upTo(DIALECTS.length) - 1]![1] });
    injectLogFaults(node, draw);
    const steady = createLogReplay(chain.head.hash);
    feed.subscribeLogs(steady);
    let dropping = true;
    // Seldom enough that nobody falls behind by more blocks than are remembered.
    const resuming = Array.from({ length: 8 }, () =>
      createResumingLogListener(feed, { shouldDisconnect: () => dropping && draw() < 0.003 }),
    );
    const resumeSome = () => {
      for (const one of resuming) if (!one.isListening && draw() < 0.3) one.resume();
    };
    // Also when a block is known and its logs are not.
    feed.subscribeHeads({ next: resumeSome, end: () => {} });
    let made = 0;
    while (sumOf(Object.values(node.disconnects)) < kills || made < logs) {
      node.announcesBeforeReply = draw() < 0.5;
      node.disconnect(DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 12));
      for (let burst = upTo(4); burst > 0; burst--) {
        const depth = draw() < 0.1 ? upTo(3) : 0;
        made += sumOf(chain.reorg(depth, depth + upTo(4)).added.map((block) => block.logs.length));
        resumeSome();
        if (draw() < 0.7) await turn();
      }
      await steady.waitForBlock(chain.head.hash);
      expect(errorsOf(resuming)).toEqual([]);
    }
    dropping = false;
    for (const one of resuming) if (!one.isListening) one.resume();
    chain.mine();
    await pollUntil(() => resuming.every(({ tip, error }) => error || tip === chain.head.hash));
    expect(errorsOf(resuming)).toEqual([]);
    expect(logDifferences(steady, chain.main)).toEqual([]);
    for (const one of resuming) expect(one.differences(chain.main)).toEqual([]);
    const drops = sumOf(resuming.map(({ counts }) => counts.drops));
    const { reorgs, gaps, reconnects } = follower.status;
    const cuts = Object.entries(node.disconnects).map(([how, count]) => `${count} ${how}`);
    process.stdout.write(
      `logs: ${made} logs, ${reorgs} reorgs, ${reconnects} reconnects (${cuts.join(', ')}), ${drops} resumptions\n`,
    );
    expect(gaps).toBe(0);
    expect(drops).toBeGreaterThan(made / 1_000);
  },
);

const REORGS = Math.ceil(runSize(120, 10_000) / DIALECTS.length);
const LISTENERS = 100;

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `after each of ${REORGS} reorgs, half of them cut, ${LISTENERS} filters have the logs of the chain: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: from, bloom: draw() < 0.5 ? 'real' : 'zero' });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, { dialect });
    injectLogFaults(node, draw);
    const steady = createLogReplay(chain.head.hash);
    feed.subscribeLogs(steady);
    const some = <T>(all: readonly T[], chance: number) => all.filter(() => draw() < chance);
    const known = [...Array(30).keys()].flatMap((height) => chain.main.at(height)!.logs);
    const filters = Array.from({ length: LISTENERS }, (): LogFilter => {
      const topics = [0, 1].map((at) => some([...new Set(known.map((log) => log.topics[at]!))], draw() * 0.7));
      return { addresses: some([...new Set(known.map(({ address }) => address))], draw() * 0.7), topics };
    });
    const listeners = filters.map((filter) => createResumingLogListener(feed, { matches: (log) => matchesFilter(log, filter) }));
    for (const one of listeners) one.resume();
    let made = 0;
    /** Whether a cut was ordered that has not come yet. */
    let isDue = false;
    const cuts = () => sumOf(Object.values(node.disconnects));
    for (let round = 0; round < REORGS; round++) {
      const [before, { height }] = [cuts(), chain.head];
      node.announcesBeforeReply = draw() < 0.5;
      if (draw() < 0.6) {
        isDue = true;
        node.disconnect(draw() < 0.03 ? 'silence' : (['reset', 'half a frame', 'close'] as const)[upTo(3) - 1]!, upTo(8) - 1);
      }
      // What lies deeper than the follower has looked back is another matter.
      chain.mine(Math.max(0, 40 - chain.head.height));
      const depth = upTo(16);
      made += chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth)).removed.length;
      for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
      if (draw() < 0.4) {
        await turns(upTo(8));
        chain.reorg(upTo(4), upTo(5));
      }
      // A lower head that nobody has announced, since the connection was cut just then, is believed when the next block is there.
      if (isDue) chain.mine(Math.max(0, height + 1 - chain.head.height));
      await steady.waitForBlock(chain.head.hash);
      expect(errorsOf(listeners)).toEqual([]);
      isDue &&= cuts() === before;
    }
    await pollUntil(() => listeners.every(({ tip, error }) => error || tip === chain.head.hash));
    expect(logDifferences(steady, chain.main)).toEqual([]);
    for (const one of listeners) expect(one.differences(chain.main)).toEqual([]);
    const { reorgs, gaps, reconnects } = follower.status;
    const told = sumOf(listeners.map(({ counts }) => counts.added + counts.removed));
    process.stdout.write(
      `logs: ${REORGS} reorgs of ${made} blocks, ${reorgs} told, ${reconnects} reconnects, ${told} logs told\n`,
    );
    expect(gaps).toBe(0);
    // Of a few rounds chance decides how many are cut.
    expect(reconnects).toBeGreaterThan((REORGS * runSize(5, 45)) / 100);
  },
);

const POLLS = runSize(300, 5_000);

test.each([
  ['real', false],
  ['real', true],
  ['zero', false],
  ['zero', true],
] as const)(
  `in ${POLLS} polls of three backends that lag, no block is told without its logs: %s blooms, silent about unknown blocks: %s (SEED=${SEED})`,
  async (bloom, silent) => {
    const draw = random(SEED);
    const chain = new SimChain({ seed: SEED, bloom });
    chain.mine(40);
    const { node, feed, follower } = await startFeed(chain, {
      transports: 'http',
      backends: { count: 3, lag: 4, seed: SEED },
      timing: { minPollIntervalMs: 0, maxPollIntervalMs: 0 },
    });
    node.hidesUnknownBlocks = silent;
    const heard = createLogReplay(feed.head!.hash);
    feed.subscribeLogs(heard);
    let polled = 0;
    node.intercept = (method, [ref]) => {
      if (method !== 'eth_getBlockByNumber' || ref !== 'latest' || polled++ > POLLS) return undefined;
      if (draw() < 0.3) chain.mine();
      return undefined;
    };
    await pollUntil(() => polled > POLLS + 20 && feed.logsHead === feed.head);
    expect(heard.ended).toBeUndefined();
    expect(heard.blocks.length).toBeGreaterThan(POLLS / 5);
    expect(heard.blocks.filter(({ head, logs }) => logs.length !== chain.block(head.hash)!.logs.length)).toEqual([]);
    const { behind, reorgs } = follower.status;
    const lacked = node.callCounts.get('eth_getLogs')! - heard.blocks.length;
    process.stdout.write(
      `logs: ${heard.blocks.length} blocks, ${behind} polls of a node behind, ${lacked} reads of one that lacked the block\n`,
    );
    expect([reorgs, lacked > heard.blocks.length / 10]).toEqual([0, true]);
  },
);
