import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil } from '../../../src/devnet/anvil/process.ts';
import { startNodeService } from '../../../src/devnet/node-service/index.ts';
import { MNEMONIC } from '../../../src/devnet/world/accounts.ts';
import { type Follower, type FollowerOptions, startFollower } from '../../../src/sync/head/follower.ts';
import { createRpcNode } from '../../../src/upstream/rpc/node.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { chainDifferences, replayChain } from '../../support/simulator/chain-replay.ts';
import { type DisconnectKind, startSimNode } from '../../support/simulator/node.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';

/** The follower over nodes that reorganise, die and lag: what it says is the chain must be the chain. */
const SEED = readSeed();
const log = pino({ level: 'silent' });
/** So that the run spends its time on reorgs, and not on the waits between connections. */
const FAST_TIMING = { minBackoffMs: 1, maxBackoffMs: 20, ping: 40, minRecheckMs: 2, maxRecheckMs: 20 };

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of cleanups.splice(0).reverse()) await stop();
});

async function follow(options: Partial<FollowerOptions>): Promise<Follower> {
  const follower = startFollower({ timeoutMs: 2_000, maxBatchSize: 100, log, timing: FAST_TIMING, ...options });
  cleanups.push(() => follower.stop());
  await follower.ready(AbortSignal.timeout(60_000));
  return follower;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const DISCONNECT_KINDS: readonly DisconnectKind[] = ['reset', 'half a frame', 'close'];
const REORGS = Math.ceil(runSize(300, 10_000) / DIALECTS.length);

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `after each of ${REORGS} reorgs, half of them cut, the changes make up the node's chain: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: from });
    chain.mine(40);
    const node = await startSimNode({ chain, dialect });
    const follower = await follow({ url: node.wsUrl });
    const heard = replayChain(follower);
    let made = 0;
    /** Whether a cut was ordered that has not come yet. */
    let isDue = false;
    const cuts = () => Object.values(node.disconnects).reduce((sum, count) => sum + count, 0);
    for (let round = 0; round < REORGS; round++) {
      const [before, { height }] = [cuts(), chain.head];
      node.announcesBeforeReply = draw() < 0.5;
      if (draw() < 0.6) {
        isDue = true;
        node.disconnect(draw() < 0.03 ? 'silence' : DISCONNECT_KINDS[upTo(3) - 1]!, Math.floor(draw() * 8));
      }
      // Now and then the next comes before the last is through.
      for (let burst = draw() < 0.2 ? upTo(3) : 1; burst > 0; burst--) {
        // What lies deeper than the follower has looked back is another matter.
        chain.mine(Math.max(0, 40 - chain.head.height));
        const depth = upTo(16);
        chain.reorg(depth, draw() < 0.8 ? depth + upTo(3) - 1 : upTo(depth));
        made += 1;
        for (let more = draw() < 0.3 ? upTo(3) : 0; more > 0; more--) chain.mine();
        if (draw() < 0.5) await turn();
      }
      // A lower head that nobody has announced, since the connection was cut just then, is believed when the next block is there.
      if (isDue) chain.mine(Math.max(0, height + 1 - chain.head.height));
      await heard.waitForHead(chain.head.hash);
      expect(chainDifferences(heard, chain.main)).toEqual([]);
      isDue &&= cuts() === before;
    }
    const { reorgs, gaps, reconnects, malformed } = follower.status;
    process.stdout.write(`follower: ${made} reorgs, ${reorgs} told, ${reconnects} reconnects, ${node.totalCalls()} questions\n`);
    expect({ gaps, malformed }).toEqual({ gaps: 0, malformed: 0 });
    expect(reconnects).toBeGreaterThan((REORGS * runSize(30, 45)) / 100);
  },
);

const ON_ANVIL = runSize(20, 1_000);

test(`after each of ${ON_ANVIL} reorgs of anvil, heard through the node service, the changes make up its chain (SEED=${SEED})`, async () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const anvil = await startAnvil({ chainId: 31337, mnemonic: MNEMONIC, genesisTime: 1_735_689_600 });
  cleanups.push(() => anvil.stop());
  const call = <T = any>(method: string, ...params: unknown[]) => rpc<T>(anvil.url, method, params);
  await call('anvil_mine', '0x28');
  const service = await startNodeService({ anvil: { http: anvil.url, ws: anvil.wsUrl }, keys: ['devnet'], log });
  cleanups.push(() => service.stop());
  const [from] = await call<string[]>('eth_accounts');
  const follower = await follow({ url: service.endpoints.ws });
  const heard = replayChain(follower);
  for (let round = 0; round < ON_ANVIL; round++) {
    if (draw() < 0.5) {
      // With a transaction of its own in the first block: an empty block that is mined again can be the same.
      await call('anvil_reorg', upTo(16), [[{ from, to: from, value: `0x${(round + 1).toString(16)}` }, 0]]);
    } else {
      const snapshot = await call('evm_snapshot');
      await call('anvil_mine', `0x${upTo(8).toString(16)}`);
      await heard.waitForHead((await call('eth_getBlockByNumber', 'latest', false)).hash);
      await call('evm_revert', snapshot);
      // At the same second it would mine the same blocks again.
      await call('evm_increaseTime', upTo(100));
      await call('anvil_mine', `0x${upTo(8).toString(16)}`);
    }
    const latest = await call('eth_getBlockByNumber', 'latest', false);
    await heard.waitForHead(latest.hash);
    const last = heard.chain.slice(-20);
    const theirs = await Promise.all(last.map(({ number }) => call('eth_getBlockByNumber', number, false)));
    expect(last.map(({ hash }) => hash)).toEqual(theirs.map(({ hash }) => hash));
  }
  const { reorgs, gaps } = follower.status;
  process.stdout.write(`follower: ${ON_ANVIL} rounds on anvil, ${reorgs} reorgs told\n`);
  expect(gaps).toBe(0);
  expect(reorgs).toBeGreaterThanOrEqual(ON_ANVIL);
});

const POLLS = runSize(1_500, 100_000);

/** Polls a balancer so often, over a chain that `live` moves on before each poll. Gives the follower and what was seen of it. */
async function pollThreeBackends(polls: number, live: (chain: SimChain, draw: () => number) => unknown) {
  const draw = random(SEED);
  const chain = new SimChain({ seed: SEED });
  chain.mine(60);
  const node = await startSimNode({ chain, backends: { count: 3, lag: 20, seed: SEED } });
  const upstream = createRpcNode({ urls: [node.url], maxBatchSize: 100, timeoutMs: 2_000, log });
  cleanups.push(() => upstream.close());
  const follower = await follow({
    createSource: upstream.createSession,
    timing: { ...FAST_TIMING, minPollIntervalMs: 0, maxPollIntervalMs: 0 },
  });
  const heard = replayChain(follower);
  const { promise, resolve, reject } = withResolvers();
  let polled = 0;
  let last = -1;
  node.intercept = (method, [ref]) => {
    if (method !== 'eth_getBlockByNumber' || ref !== 'latest' || polled > polls) return undefined;
    live(chain, draw);
    const height = follower.head?.height ?? last;
    if (height < last) reject(new Error(`the head went from ${last} to ${height}`));
    last = height;
    polled += 1;
    if (polled > polls) resolve();
    return undefined;
  };
  await promise;
  return { follower, heard, chain };
}

test(`in ${POLLS} polls of three backends, each 0 to 20 blocks behind, the head never goes back (SEED=${SEED})`, async () => {
  const { follower, heard, chain } = await pollThreeBackends(POLLS, (chain, draw) => draw() < 0.1 && chain.mine());
  const { gaps, reorgs, behind } = follower.status;
  process.stdout.write(`follower: ${POLLS} polls, ${chain.head.height - 60} new blocks, ${behind} answers behind\n`);
  expect({ gaps, reorgs, removed: heard.removed }).toEqual({ gaps: 0, reorgs: 0, removed: 0 });
  expect(chain.head.height - follower.head!.height).toBeLessThan(21);
});

const POLLS_OF_REORGS = runSize(1_500, 20_000);

test(`in ${POLLS_OF_REORGS} polls of three such backends a branch that was left is never taken again (SEED=${SEED})`, async () => {
  let made = 0;
  const { follower, heard } = await pollThreeBackends(POLLS_OF_REORGS, (chain, draw) => {
    if (draw() < 0.1) chain.mine();
    if (draw() > 0.01) return;
    const depth = 1 + Math.floor(draw() * 3);
    chain.reorg(depth, depth + 1);
    made += 1;
  });
  const { gaps, reorgs } = follower.status;
  process.stdout.write(`follower: ${POLLS_OF_REORGS} polls, ${made} reorgs, ${reorgs} told\n`);
  expect({ gaps, retaken: heard.readded }).toEqual({ gaps: 0, retaken: 0 });
  expect(reorgs).toBeLessThanOrEqual(made);
});

function withResolvers() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
