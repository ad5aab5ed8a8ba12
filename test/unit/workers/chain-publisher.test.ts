import { EventEmitter } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { type ChainChange, headOf } from '../../../src/sync/chain/canonical-chain.ts';
import { type Head, readHead } from '../../../src/sync/chain/rpc-header.ts';
import { createMirroredFollower } from '../../../src/sync/head/mirrored-follower.ts';
import { ChainPublisher } from '../../../src/workers/chain-publisher.ts';
import { Channel } from '../../../src/workers/channel.ts';
import type { ChainWorkerHandlers, SharedStatus } from '../../../src/workers/protocol.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { log } from '../../support/silent-log.ts';
import { SimChain } from '../../support/simulator/chain.ts';

/** The workers read no blocks from the node. */
const source = { send: async () => [] };
const FRESH = { freshMs: 60_000, state: 'live', transport: 'websocket', headAgeMs: 0 } as never;

const NO_TIMEOUT_MS = 600_000;

let publisher: ChainPublisher | undefined;
const channels: Channel<ChainWorkerHandlers>[] = [];
afterEach(() => {
  publisher?.stop();
  for (const channel of channels.splice(0)) channel.close(new GraphError('SHUTTING_DOWN', 'The test is over.'));
});

const headsOf = (chain: SimChain): Head[] =>
  Array.from({ length: chain.head.height + 1 }, (_, height) => readHead(chain.main.at(height)!.header)!);

/** A worker whose messages wait until `deliver` is called. */
function createWorker() {
  const mirror = createMirroredFollower(source, log);
  const waiting: (() => void)[] = [];
  const [primaryEnd, workerEnd] = [new EventEmitter(), new EventEmitter()];
  const sendTo = (target: EventEmitter) => (message: unknown) => {
    const text = JSON.stringify(message);
    waiting.push(() => target.emit('message', JSON.parse(text)));
  };
  let announced: Parameters<ChainWorkerHandlers['announce']>[0];
  const update = ({ follower }: SharedStatus) => ({ ...follower, error: undefined });
  new Channel(Object.assign(workerEnd, { send: sendTo(primaryEnd) }), {
    announce(change: typeof announced) {
      announced = change;
    },
    hold: mirror.hold,
    commit: (status: SharedStatus) => mirror.update(update(status), announced),
    setStatus: (status: SharedStatus) => mirror.update(update(status)),
  });
  const channel = new Channel<ChainWorkerHandlers>(Object.assign(primaryEnd, { send: sendTo(workerEnd) }), {});
  channels.push(channel);
  return { mirror, channel, waiting };
}

test('a worker serves no older head than another worker has served, in any order of the messages', async () => {
  const seed = readSeed();
  const next = random(seed);
  const chain = new SimChain({ seed, blocks: 5 });
  const leader = createMirroredFollower(source, log);
  const move = (change: ChainChange, isFirst = false): void => {
    const canonical = headsOf(chain) as [Head, ...Head[]];
    leader.update(FRESH, { change, ...(isFirst && { history: { canonical, sideBranches: [] } }) });
  };
  move({ removed: [], added: [headsOf(chain).at(-1)!], hasGap: false }, true);
  const lifetimes = { finalizedHeight: { value: 3, stop() {} } };
  const primary = { follower: leader.follower, feed: { sourceHealth: { failing: [] } }, lifetimes } as never;
  publisher = new ChainPublisher(primary, NO_TIMEOUT_MS);
  const workers = [createWorker(), createWorker(), createWorker()];
  const kill = (): never => {
    throw new Error('no worker may be killed');
  };
  workers.forEach(({ channel }, i) => void publisher!.add(i, channel, kill));

  /** Positions of the heads in the order in which they were the head. */
  const positions = new Map([[headsOf(chain).at(-1)!.hash, 0]]);
  let served = 0;
  for (let step = 0; step < runSize(3_000, 100_000); step++) {
    if (next() < 0.02) {
      const { removed, added } = next() < 0.3 ? chain.reorg(1 + Math.floor(next() * 2), 3) : chain.mine();
      const read = (blocks: typeof added) => blocks.map(({ header }) => readHead(header)!);
      move({ removed: read(removed).sort((a, b) => b.height - a.height), added: read(added), hasGap: false });
      positions.set(leader.follower.head!.hash, positions.size);
    }
    const worker = workers[Math.floor(next() * workers.length)]!;
    worker.waiting.shift()?.();
    // Sends what the delivered message has caused.
    await new Promise(setImmediate);
    const open = workers.filter(({ mirror: { follower } }) => follower.head && !follower.pendingHead);
    const heads = open.map(({ mirror: { follower } }) => positions.get(follower.head!.hash)!);
    served = Math.max(served, ...heads);
    expect(heads.every((head) => head === served)).toBe(true);
  }
  while (workers.some(({ mirror }) => mirror.follower.head!.hash !== chain.head.hash)) {
    for (const { waiting } of workers) waiting.shift()?.();
    await new Promise(setImmediate);
  }
  expect(served).toBeGreaterThan(runSize(5, 100));
  for (const { mirror } of workers) {
    expect(mirror.follower.history.canonical).toEqual(leader.follower.history.canonical);
    expect(mirror.follower.history.sideBranches).toEqual(leader.follower.history.sideBranches);
    expect(headOf(mirror.follower.window!).hash).toBe(chain.head.hash);
  }
});

test('a worker that does not confirm a change is killed, and the others go on', async () => {
  const chain = new SimChain({ seed: 1, blocks: 2 });
  const leader = createMirroredFollower(source, log);
  const [first, second] = headsOf(chain).slice(1) as [Head, Head];
  leader.update(FRESH, {
    change: { removed: [], added: [first], hasGap: false },
    history: { canonical: [first], sideBranches: [] },
  });
  const lifetimes = { finalizedHeight: { value: -1, stop() {} } };
  publisher = new ChainPublisher({ follower: leader.follower, feed: { sourceHealth: { failing: [] } }, lifetimes } as never, 20);
  const [silent, live] = [createWorker(), createWorker()];
  const killed = new Promise<void>((resolve) => void publisher!.add(0, silent.channel, resolve));
  await publisher.add(1, live.channel, () => {});
  leader.update(FRESH, { change: { removed: [], added: [second], hasGap: false } });
  const delivering = setInterval(() => live.waiting.shift()?.(), 1);
  await killed;
  publisher.remove(0);
  await new Promise<void>((resolve) =>
    live.mirror.follower.onFreshHead(() => live.mirror.follower.head!.hash === second.hash && resolve()),
  );
  clearInterval(delivering);
  expect(live.mirror.follower.pendingHead).toBeUndefined();
});

test('a worker that hangs is killed although the chain does not change', async () => {
  const { follower } = createMirroredFollower(source, log);
  const lifetimes = { finalizedHeight: { value: -1, stop() {} } };
  publisher = new ChainPublisher({ follower, feed: { sourceHealth: { failing: [] } }, lifetimes } as never, 20);
  await new Promise<void>((resolve) => void publisher!.add(0, createWorker().channel, resolve));
});

test('a worker that has confirmed in time is not killed when the primary process pauses until after the timeout', async () => {
  const canonical = headsOf(new SimChain({ seed: 1, blocks: 5 })) as [Head, ...Head[]];
  const leader = createMirroredFollower(source, log);
  leader.update(FRESH, { change: { removed: [], added: [], hasGap: false }, history: { canonical, sideBranches: [] } });
  const lifetimes = { finalizedHeight: { value: 3, stop() {} } };
  publisher = new ChainPublisher({ follower: leader.follower, feed: { sourceHealth: { failing: [] } }, lifetimes } as never, 300);
  // This process reads the confirmations from a pipe, after its timers.
  const pipe = new MessageChannel();
  const [primaryEnd, workerEnd] = [new EventEmitter(), new EventEmitter()];
  pipe.port2.on('message', (message) => primaryEnd.emit('message', message));
  let confirmed: (() => void) | undefined;
  const confirm = (message: unknown): void => {
    pipe.port1.postMessage(message);
    confirmed?.();
  };
  new Channel(Object.assign(workerEnd, { send: confirm }), { announce() {}, hold() {}, commit() {}, setStatus() {} });
  const send = (message: unknown) => workerEnd.emit('message', message);
  const channel = new Channel<ChainWorkerHandlers>(Object.assign(primaryEnd, { send }), {});
  channels.push(channel);
  let kills = 0;
  await publisher.add(1, channel, () => {
    kills += 1;
  });
  const nextConfirmation = new Promise<void>((resolve) => {
    confirmed = resolve;
  });
  leader.update(FRESH);
  await nextConfirmation;
  for (const until = performance.now() + 400; performance.now() < until; );
  await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise(setImmediate);
  pipe.port1.close();
  expect(kills).toBe(0);
});
