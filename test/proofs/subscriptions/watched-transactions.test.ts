import { expect, test } from '@jest/globals';
import { isSameUpdate } from '../../../src/domains/chain/subscriptions/transaction-status/status.ts';
import type { TransactionStatusRoot } from '../../../src/domains/chain/subscriptions/transaction-status/stream.ts';
import { type StreamSubscriber, subscribeToStream } from '../../support/clients/stream-subscriber.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { hex } from '../../support/simulator/chain.ts';
import { blocksAfter } from '../../support/subscriptions/live-streams.ts';
import { type SimulatedTransaction, startTransactionStreams } from '../../support/subscriptions/transaction-streams.ts';
import { addressOf, hashOf } from '../../support/upstream/rpc-fixtures.ts';

/** Events of watched transactions against the simulated chain at the block that each event names. */
const SEED = readSeed();

const MOVES = runSize(80, 5_000);

test(`over ${MOVES} moves of the chain each transactionStatus event is correct at its block, and the last one at the head`, async () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const { chain, feed, pool, placeOf, move, live, txsIn } = await startTransactionStreams(SEED, { transports: 'both' });
  const wrong: unknown[] = [];
  /** Each event is read at a block that is canonical when it is emitted. */
  const status = (hash: string, confirmations: number) => {
    const { subscribe, backlog } = live.transactionStatus(hash, confirmations);
    const watched: typeof subscribe = (listener) =>
      subscribe({
        end: listener.end,
        next(batch) {
          if (feed.pathBetween(batch[0]!.block!, feed.head!)?.removed.length !== 0)
            wrong.push(['read at a block that is gone', batch[0]]);
          listener.next(batch);
        },
      });
    return subscribeToStream({ subscribe: watched, backlog });
  };
  let count = 0;
  /** Each transaction has its own sender, and a rival: a transaction of this sender with the same nonce. */
  const make = () => {
    count += 1;
    const own: SimulatedTransaction = { hash: hashOf(0x10000 + count), from: addressOf(0x10000 + count), nonce: 0 };
    return {
      own,
      rival: { ...own, hash: hashOf(0x20000 + count) },
      client: status(own.hash, 1 + (count % 6)),
      wanted: 1 + (count % 6),
      checked: 0,
    };
  };
  type Life = ReturnType<typeof make>;
  let lives: Life[] = [];
  const met = new Map<string, number>();

  /** The state of a transaction at a block, where the pool does not decide. */
  const truthAt = ({ own, rival, wanted }: Life, hash: string): string => {
    const head = chain.block(hash)!;
    const at = placeOf(own.hash, head);
    if (at) {
      const depth = head.height - at.height + 1;
      return `${depth >= wanted ? 'CONFIRMED' : 'MINED'} ${hex(depth)}`;
    }
    return placeOf(rival.hash, head) ? 'REPLACED' : 'waiting';
  };
  const check = (life: Life) => {
    const updates = life.client.events.map(({ root }) => root.transactionStatus);
    if (updates.some((update, i) => i > 0 && isSameUpdate(updates[i - 1]!, update))) wrong.push(['sent twice', updates]);
    for (const { root, block } of life.client.events.slice(life.checked)) {
      const { status: name, confirmations, replacedBy } = root.transactionStatus;
      met.set(name, (met.get(name) ?? 0) + 1);
      const truth = truthAt(life, block!);
      // The sender and nonce of a transaction that the node never had are unknown, so it is never REPLACED.
      const said = name === 'PENDING' || name === 'UNKNOWN' ? 'waiting' : confirmations ? `${name} ${confirmations}` : name;
      const fits = said === truth || (name === 'UNKNOWN' && truth === 'REPLACED');
      if (!fits || (name === 'REPLACED' && replacedBy !== life.rival.hash)) wrong.push({ said, truth, replacedBy, block });
    }
    life.checked = life.client.events.length;
  };

  for (let i = 0; i < MOVES; i++) {
    while (lives.length < 6) lives.push(make());
    const wave = upTo(3);
    for (let j = 0; j < wave; j++) {
      for (const { own, rival } of lives) {
        const isFree = !placeOf(own.hash, chain.head) && !placeOf(rival.hash, chain.head);
        if (isFree && draw() < 0.3) pool.add(own);
        else if (draw() < 0.1) pool.delete(own);
      }
      const depth = draw() < 0.35 ? upTo(4) : 0;
      const fork = chain.main.at(chain.head.height - depth)!;
      const lost = blocksAfter(fork, chain.head).flatMap(txsIn);
      const into = lives.flatMap(({ own, rival }) => {
        if (placeOf(own.hash, fork) || placeOf(rival.hash, fork)) return [];
        const isKnown = pool.has(own) || lost.includes(own);
        return draw() < 0.35 ? [isKnown && draw() < 0.8 ? own : rival] : [];
      });
      for (const tx of lost) if (!into.includes(tx) && draw() < 0.5 && lives.some(({ own }) => own === tx)) pool.add(tx);
      for (const { own, rival } of lives) if (into.includes(rival)) pool.delete(own);
      move(depth, depth + upTo(2), ...into);
      if (draw() < 0.4) await new Promise((resolve) => setImmediate(resolve));
    }
    // Settled: each watch has reported at the head, or has ended.
    for (const life of lives) {
      const isSettled = () => {
        if (life.client.ended) return true;
        const truth = truthAt(life, chain.head.hash);
        const newest = life.client.events.at(-1)?.root.transactionStatus;
        if (!newest) return false;
        if (truth === 'waiting') return newest.status === 'PENDING' || (newest.status === 'UNKNOWN' && !pool.has(life.own));
        if (truth === 'REPLACED') return newest.status === 'UNKNOWN';
        return `${newest.status} ${newest.confirmations}` === truth;
      };
      const deadline = performance.now() + 60_000;
      while (!isSettled()) {
        if (performance.now() > deadline)
          throw new Error(`${life.own.hash}: ${JSON.stringify([receivedStatuses(life.client), truthAt(life, chain.head.hash)])}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    for (const life of lives) {
      check(life);
      if (life.client.ended !== undefined && life.client.ended !== true) wrong.push(life.client.ended);
      // A transaction that the node never had stays UNKNOWN when its nonce is used.
      if (truthAt(life, chain.head.hash) === 'REPLACED') life.client.stop();
    }
    lives = lives.filter((life) => !life.client.ended && truthAt(life, chain.head.hash) !== 'REPLACED');
  }
  process.stdout.write(`transactions: ${count} watched, ${JSON.stringify(Object.fromEntries(met))}\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
  for (const name of ['UNKNOWN', 'PENDING', 'MINED', 'CONFIRMED', 'REPLACED'])
    expect(met.get(name) ?? 0).toBeGreaterThanOrEqual(runSize(0, MOVES / 10));
});

const receivedStatuses = ({ events }: StreamSubscriber<TransactionStatusRoot>) =>
  events.map(({ root: { transactionStatus } }) => [transactionStatus.status, transactionStatus.confirmations]);
