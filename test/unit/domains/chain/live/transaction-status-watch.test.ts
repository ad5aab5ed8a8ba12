import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openLive } from '../../../../../src/domains/chain/live/index.ts';
import type { TransactionStatuses } from '../../../../../src/domains/chain/live/transaction-status-stream.ts';
import { openNode } from '../../../../../src/upstream/node.ts';
import { type FeedWorldOptions, feedOver, until } from '../../../../kit/feed.ts';
import { addressOf, hashOf, transaction } from '../../../../kit/in-process.ts';
import { random, seed, size } from '../../../../kit/prove.ts';
import { type Relay, startRelay } from '../../../../kit/relay.ts';
import { hex, SimChain } from '../../../../kit/sim-chain.ts';
import type { SimBlock } from '../../../../kit/sim-view.ts';
import { blockOf } from '../../../../kit/sim-wire.ts';
import { type StreamClient, subscribeTo } from '../../../../kit/stream-client.ts';

/** Transactions of a simulated chain: which of them lies in which block, and which are in the pool, a test says. */
interface Tx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: number;
}

const NOWHERE = { blockHash: null, blockNumber: null, transactionIndex: null };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** `via`: the address by which transactions are asked for, where that is another one than the node's. */
async function world(from: number, options: FeedWorldOptions = {}, via: (url: string) => Promise<string> = async (url) => url) {
  const chain = new SimChain({ seed: from });
  chain.mine(40);
  const { feed, node, follower } = await feedOver(chain, options);
  const upstream = openNode({ urls: [await via(node.url)], batch: 100, timeoutMs: 2_000, log: pino({ level: 'silent' }) });
  stops.push(() => upstream.close());
  const live = openLive({ feed, sources: { node: upstream, follower } });
  const placed = new Map<string, readonly Tx[]>();
  const pool = new Set<Tx>();

  const lineTo = (head: SimBlock | undefined): SimBlock[] => {
    const line: SimBlock[] = [];
    for (let block = head; block; block = block.parent) line.push(block);
    return line;
  };
  const txsIn = ({ hash }: SimBlock) => placed.get(hash) ?? [];
  /** Where a transaction lies on the way down from a block. */
  const placeOf = (hash: string, head: SimBlock) => lineTo(head).find((block) => txsIn(block).some((tx) => tx.hash === hash));
  const asRpc = ({ hash, from, nonce }: Tx, at: SimBlock | undefined) =>
    transaction({ hash, from, nonce: hex(nonce), ...(at ? { blockHash: at.hash, blockNumber: hex(at.height) } : NOWHERE) });

  const answer = (method: string, [first, second]: readonly any[]): { result: unknown } | undefined => {
    if (method === 'eth_getTransactionByHash') {
      const at = placeOf(first, chain.head);
      const tx = at ? txsIn(at).find(({ hash }) => hash === first) : [...pool].find(({ hash }) => hash === first);
      return { result: tx ? asRpc(tx, at) : null };
    }
    if (method === 'eth_getTransactionCount') {
      const used = lineTo(chain.block(second.blockHash)).flatMap((block) => txsIn(block).filter((tx) => tx.from === first));
      return { result: hex(Math.max(-1, ...used.map(({ nonce }) => nonce)) + 1) };
    }
    if (method === 'eth_getBlockByHash' && second === true) {
      const block = chain.block(first)!;
      return { result: { ...blockOf(block), transactions: txsIn(block).map((tx) => asRpc(tx, block)) } };
    }
    return undefined;
  };
  node.answer = answer;

  /** Moves the chain; before anybody can ask, these transactions lie in its new head. */
  const move = (depth: number, length: number, ...txs: Tx[]) => {
    const change = chain.reorg(depth, length);
    placed.set(chain.head.hash, txs);
    for (const tx of txs) pool.delete(tx);
    return change;
  };
  const status = (hash: string, confirmations = 3) => subscribeTo(live.transactionStatus(hash, confirmations));
  const caughtUp = () => until(() => feed.head?.hash === chain.head.hash);
  return { chain, feed, node, live, answer, pool, placeOf, txsIn, lineTo, move, status, caughtUp };
}

const T: Tx = { hash: hashOf(0xaaa), from: addressOf(0xa), nonce: 4 };
const OTHER: Tx = { hash: hashOf(0xbbb), from: addressOf(0xa), nonce: 4 };

const told = ({ events }: StreamClient<TransactionStatuses>) =>
  events.map(({ root: { transactionStatus } }) => [transactionStatus.status, transactionStatus.confirmations]);
const last = (client: StreamClient<TransactionStatuses>) => client.events.at(-1)!.root.transactionStatus;

describe('a watched transaction', () => {
  test('is looked for with each head until it lies in a block, and then no more', async () => {
    const { node, pool, move, status } = await world(1);
    const client = status(T.hash, 4);
    await client.has(1);
    pool.add(T);
    move(0, 1);
    await client.has(2);
    move(0, 1, T);
    await client.has(3);
    const before = node.reads.filter(({ over }) => over === 'http').length;
    move(0, 1);
    await client.has(4);
    move(0, 2);
    expect(await client.end()).toBe(true);
    expect(told(client)).toEqual([
      ['UNKNOWN', null],
      ['PENDING', null],
      ['MINED', '0x1'],
      ['MINED', '0x2'],
      ['CONFIRMED', '0x4'],
    ]);
    expect(node.reads.filter(({ over }) => over === 'http')).toHaveLength(before);
    // Each look is one request: whether the node has the head, and where the transaction is.
    for (const { calls } of node.reads.filter(({ over }) => over === 'http')) {
      expect(calls.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_getTransactionByHash']);
    }
  });

  test('is asked for by nobody when nobody watches any more', async () => {
    const { node, move, status, caughtUp } = await world(2);
    const clients = [status(T.hash), status(T.hash), status(hashOf(0xccc))];
    await Promise.all(clients.map((client) => client.has(1)));
    for (const client of clients) client.stop();
    const before = node.asked.get('eth_getTransactionByHash');
    expect(before).toBe(2);
    move(0, 1);
    await caughtUp();
    move(0, 1);
    await caughtUp();
    expect(node.asked.get('eth_getTransactionByHash')).toBe(before);
  });

  test('is told of from its present state to each who joins, and of each change to all', async () => {
    const { pool, move, status, live } = await world(3);
    pool.add(T);
    const early = status(T.hash, 2);
    await early.has(1);
    move(0, 1, T);
    await early.has(2);
    const late = status(T.hash, 2);
    // Others may want more of the same.
    const deep = subscribeTo(live.transactionStatus(T.hash, 64));
    await Promise.all([late.has(1), deep.has(1)]);
    move(0, 1);
    await Promise.all([early.end(), late.end(), deep.has(2)]);
    expect([told(early), told(late), told(deep)]).toEqual([
      [
        ['PENDING', null],
        ['MINED', '0x1'],
        ['CONFIRMED', '0x2'],
      ],
      [
        ['MINED', '0x1'],
        ['CONFIRMED', '0x2'],
      ],
      [
        ['MINED', '0x1'],
        ['MINED', '0x2'],
      ],
    ]);
    // One who joins a watch that has it already as deep as he wants.
    const done = status(T.hash, 1);
    expect(await done.end()).toBe(true);
    expect(told(done)).toEqual([['CONFIRMED', '0x2']]);
    deep.stop();
  });

  test('is looked for once, by however many who join while it is', async () => {
    const { node, answer, status } = await world(14);
    const joined: StreamClient<TransactionStatuses>[] = [];
    node.answer = (method, params) => {
      if (method === 'eth_getTransactionByHash' && joined.length < 3) joined.push(status(T.hash), status(T.hash), status(T.hash));
      return answer(method, params);
    };
    await status(T.hash).has(1);
    await Promise.all(joined.map((client) => client.has(1)));
    await status(hashOf(0xccc)).has(1);
    expect(node.asked.get('eth_getTransactionByHash')).toBe(2);
  });

  test('that a reorg moves to another block is MINED there, without having been PENDING', async () => {
    const { pool, chain, move, status } = await world(4);
    pool.add(T);
    const client = status(T.hash, 9);
    await client.has(1);
    move(0, 1, T);
    await client.has(2);
    move(1, 1, T);
    await client.has(3);
    expect(told(client)).toEqual([
      ['PENDING', null],
      ['MINED', '0x1'],
      ['MINED', '0x1'],
    ]);
    expect(last(client).transaction!.blockHash).toBe(chain.head.hash);
  });

  test('is REPLACED by what has its nonce, however many blocks came at once, and by nobody where that is not to be found', async () => {
    const { pool, move, status, node } = await world(5);
    pool.add(T);
    const client = status(T.hash);
    await client.has(1);
    pool.delete(T);
    node.mute = true;
    move(0, 1, OTHER);
    node.mute = false;
    move(0, 3);
    expect(await client.end()).toBe(true);
    expect(last(client)).toMatchObject({ status: 'REPLACED', replacedBy: OTHER.hash, transaction: null, confirmations: null });

    const another: Tx = { hash: hashOf(0xddd), from: addressOf(0xd), nonce: 0 };
    pool.add(another);
    const second = status(another.hash);
    await second.has(1);
    pool.delete(another);
    node.mute = true;
    move(0, 1, { ...another, hash: hashOf(0xeee) });
    node.mute = false;
    move(0, 40);
    expect(await second.end()).toBe(true);
    expect(last(second)).toMatchObject({ status: 'REPLACED', replacedBy: null });
  });

  test('that nobody knows any more is DROPPED after three heads and half a minute, its nonce still free', async () => {
    const { pool, move, status, node } = await world(13);
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    stops.push(async () => {
      performance.now = now;
    });
    pool.add(T);
    const client = status(T.hash);
    await client.has(1);
    pool.delete(T);
    for (let head = 1; head <= 3; head++) {
      move(0, 1);
      await until(() => node.asked.get('eth_getTransactionCount') === head);
    }
    expect(client.events).toHaveLength(1);
    later = 30_000;
    move(0, 1);
    expect(await client.end()).toBe(true);
    expect(last(client)).toMatchObject({ status: 'DROPPED', transaction: null, replacedBy: null, confirmations: null });
  });

  test('that only its block knows, and not the node by its hash, is MINED', async () => {
    const { pool, move, status, node, answer } = await world(6);
    pool.add(T);
    const client = status(T.hash, 3);
    await client.has(1);
    node.answer = (method, params) => (method === 'eth_getTransactionByHash' ? { result: null } : answer(method, params));
    move(0, 1, T);
    await client.has(2);
    expect(told(client)[1]).toEqual(['MINED', '0x1']);
  });
});

describe('a node that', () => {
  test('does not have the head yet is believed nothing, and asked again before the next head', async () => {
    const { pool, move, status, node, answer, chain } = await world(7);
    pool.add(T);
    const client = status(T.hash);
    await client.has(1);
    let lacking = 3;
    node.answer = (method, params) => {
      if (method === 'eth_getBlockByNumber' && params[0] === hex(chain.head.height) && lacking > 0) {
        lacking -= 1;
        return { result: null };
      }
      if (method === 'eth_getTransactionByHash' && lacking > 0) return { result: null };
      return answer(method, params);
    };
    move(0, 1, T);
    await client.has(2);
    expect([told(client), lacking]).toEqual([
      [
        ['PENDING', null],
        ['MINED', '0x1'],
      ],
      0,
    ]);
    // It is not lost by that either: nobody asks for a nonce.
    expect(node.asked.get('eth_getTransactionCount')).toBeUndefined();
  });

  test('never gets the head is STALE_UPSTREAM for who does not know anything yet', async () => {
    const { status, node, answer } = await world(8);
    node.answer = (method, params) => (method === 'eth_getBlockByNumber' ? { result: null } : answer(method, params));
    expect(await status(T.hash).end()).toMatchObject({ code: 'STALE_UPSTREAM' });
  });

  test('tells about a head that the chain leaves meanwhile is believed nothing', async () => {
    let relay!: Relay;
    const { pool, move, status, chain, caughtUp } = await world(15, {}, async (url) => {
      relay = await startRelay(url);
      return relay.url;
    });
    pool.add(T);
    const heads: string[] = [];
    relay.before = async ({ method }) => {
      if (method !== 'eth_getTransactionByHash' || heads.length === 2) return;
      // Each of the first two answers is about a head that is gone when it comes.
      heads.push(chain.head.hash);
      move(1, 2);
      await caughtUp();
    };
    const client = status(T.hash);
    await client.has(1);
    expect(heads).toHaveLength(2);
    expect(client.events[0]).toMatchObject({ block: chain.head.hash, root: { transactionStatus: { status: 'PENDING' } } });
  });

  test('has it in a block of another branch is believed nothing', async () => {
    const { pool, move, status, node, answer, chain } = await world(9);
    pool.add(T);
    const client = status(T.hash);
    await client.has(1);
    const { removed } = move(1, 1, T);
    const astray = removed[0]!;
    let asked = 0;
    node.answer = (method, params) => {
      if (method !== 'eth_getTransactionByHash' || asked++ > 1) return answer(method, params);
      return { result: transaction({ hash: T.hash, blockHash: astray.hash, blockNumber: hex(astray.height) }) };
    };
    await client.has(2);
    expect(last(client)).toMatchObject({ status: 'MINED', transaction: { blockHash: chain.head.hash } });
    expect(asked).toBeGreaterThan(2);
  });

  test('is ahead of the head has it pending, as of the head', async () => {
    const { pool, move, status, node, answer, chain } = await world(10);
    pool.add(T);
    const above = { blockHash: hashOf(0xf00), blockNumber: hex(chain.head.height + 1) };
    node.answer = (method, params) =>
      method === 'eth_getTransactionByHash' ? { result: transaction({ hash: T.hash, ...above }) } : answer(method, params);
    const client = status(T.hash);
    await client.has(1);
    expect(last(client)).toMatchObject({ status: 'PENDING', transaction: { hash: T.hash, blockHash: null, blockNumber: null } });
    node.answer = answer;
    move(0, 1, T);
    await client.has(2);
    expect(told(client)[1]).toEqual(['MINED', '0x1']);
  });

  test('fails ends who does not know anything yet, and for the others says no more than that a block was taken away', async () => {
    const { pool, move, status, node, answer } = await world(11);
    pool.add(T);
    const client = status(T.hash, 9);
    await client.has(1);
    move(0, 1, T);
    await client.has(2);
    node.answer = (method, params) =>
      method === 'eth_getTransactionByHash' ? { error: { code: -32000, message: 'no' } } : answer(method, params);
    expect(await status(hashOf(0xccc)).end()).toMatchObject({ code: expect.stringMatching(/^UPSTREAM/) });
    move(1, 2, T);
    await client.has(3);
    node.answer = answer;
    move(0, 1);
    await client.has(4);
    expect(told(client)).toEqual([
      ['PENDING', null],
      ['MINED', '0x1'],
      ['PENDING', null],
      ['MINED', '0x2'],
    ]);
  });
});

test('ends with the server, and refuses what is no number of confirmations', async () => {
  const { feed, status, live } = await world(12);
  const client = status(T.hash);
  await client.has(1);
  await feed.stop();
  expect(await client.end()).toMatchObject({ code: 'SHUTTING_DOWN' });
  for (const wrong of [0, -1, 65]) {
    expect(() => live.transactionStatus(T.hash, wrong)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
  }
});

const SEED = seed();
const MOVES = size(150, 5_000);

test(`over ${MOVES} moves of the chain each event is true at the block that it names, and the last one at the head (SEED=${SEED})`, async () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const { chain, feed, pool, placeOf, move, live, txsIn, lineTo } = await world(SEED, { ways: 'both' });
  const wrong: unknown[] = [];
  /** What all get is read at a block that is of the chain when they get it. */
  const status = (hash: string, confirmations: number) => {
    const { open, backlog } = live.transactionStatus(hash, confirmations);
    const watched: typeof open = (listener) =>
      open({
        end: listener.end,
        next(batch) {
          if (feed.way(batch[0]!.block!, feed.head!)?.removed.length !== 0)
            wrong.push(['read at a block that is gone', batch[0]]);
          listener.next(batch);
        },
      });
    return subscribeTo({ open: watched, backlog });
  };
  let count = 0;
  /** Each takes a nonce of a sender of its own, with a rival that wants the same. */
  const make = () => {
    count += 1;
    const own: Tx = { hash: hashOf(0x10000 + count), from: addressOf(0x10000 + count), nonce: 0 };
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

  /** What is true of a transaction at a block, where its pool does not decide. */
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
    for (const { root, block } of life.client.events.slice(life.checked)) {
      const { status: name, confirmations, replacedBy } = root.transactionStatus;
      met.set(name, (met.get(name) ?? 0) + 1);
      const truth = truthAt(life, block!);
      // Of a transaction that nobody ever saw, that another took its nonce cannot be known.
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
      const lost = lineTo(chain.head).slice(0, depth).flatMap(txsIn);
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
    // Everything comes to rest: each has heard of the head, or is over.
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
      const deadline = performance.now() + 5_000;
      while (!isSettled()) {
        if (performance.now() > deadline)
          throw new Error(`${life.own.hash}: ${JSON.stringify([told(life.client), truthAt(life, chain.head.hash)])}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    for (const life of lives) {
      check(life);
      if (life.client.ended !== undefined && life.client.ended !== true) wrong.push(life.client.ended);
      // One that nobody ever saw stays unknown when its nonce is gone.
      if (truthAt(life, chain.head.hash) === 'REPLACED') life.client.stop();
    }
    lives = lives.filter((life) => !life.client.ended && truthAt(life, chain.head.hash) !== 'REPLACED');
  }
  process.stdout.write(`transactions: ${count} watched, ${JSON.stringify(Object.fromEntries(met))}\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
  for (const name of ['UNKNOWN', 'PENDING', 'MINED', 'CONFIRMED', 'REPLACED']) expect(met.get(name)).toBeGreaterThan(MOVES / 10);
});
