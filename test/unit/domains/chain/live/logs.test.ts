import { describe, expect, test } from '@jest/globals';
import { readCursor, writeCursor } from '../../../../../src/domains/chain/live/cursor.ts';
import { type Logs, logs } from '../../../../../src/domains/chain/live/logs.ts';
import { type LogFilter, matchesFilter } from '../../../../../src/evm/filters.ts';
import type { Stream } from '../../../../../src/graphql/stream.ts';
import type { Feed } from '../../../../../src/live/feed.ts';
import { type FeedWorldOptions, feedOver, until } from '../../../../kit/feed.ts';
import { hashOf } from '../../../../kit/in-process.ts';
import { random, seed, size } from '../../../../kit/prove.ts';
import { SimChain, type SimChainOptions } from '../../../../kit/sim-chain.ts';
import type { Cut } from '../../../../kit/sim-node.ts';
import type { SimBlock, SimLog } from '../../../../kit/sim-view.ts';
import { DIALECTS } from '../../../../kit/sim-wire.ts';
import { type StreamClient, subscribeTo } from '../../../../kit/stream-client.ts';

/** Logs over the real follower and feed, before a simulated node. */
async function world(from: number, options: FeedWorldOptions & Partial<SimChainOptions> = {}) {
  const { bloom = 'real', keep = 10_000, ...rest } = options;
  const chain = new SimChain({ seed: from, bloom, keep });
  chain.mine(40);
  const { feed, node } = await feedOver(chain, rest);
  const move = async (depth: number, length: number) => {
    const change = chain.reorg(depth, length);
    await until(() => feed.head?.hash === chain.head.hash);
    return change;
  };
  const reach = (hash: string = chain.head.hash) => until(() => feed.logsHead?.hash === hash);
  return { chain, feed, node, move, reach };
}

const nameOf = ({ blockHash, logIndex, removed }: SimLog): string => `${removed ? '-' : '+'}${blockHash} ${logIndex}`;
const gone = (log: SimLog): SimLog => ({ ...log, removed: true });
const comingOf = (blocks: readonly SimBlock[], filter: LogFilter = {}) =>
  blocks.flatMap((block) => block.logs.filter((log) => matchesFilter(log, filter))).map(nameOf);
/** Blocks newest first; their logs last first. */
const goingOf = (blocks: readonly SimBlock[], filter: LogFilter = {}) =>
  blocks
    .flatMap((block) => [...block.logs].reverse().filter((log) => matchesFilter(log, filter)))
    .map((log) => nameOf(gone(log)));

const heardBy = (client: StreamClient<Logs>) => client.events.map(({ root }) => nameOf(root.logs as unknown as SimLog));

const ADDRESS = `0x${'0'.repeat(39)}2`;

describe('logs', () => {
  test('of a change are one batch: those that go, last first, and then those that come', async () => {
    const { feed, move, reach } = await world(21);
    const client = subscribeTo(logs(feed, {}, null));
    const first = await move(0, 4);
    await reach();
    const { removed, added } = await move(3, 4);
    await reach();
    expect(heardBy(client)).toEqual([...comingOf(first.added), ...goingOf(removed), ...comingOf(added)]);
    expect(client.batches).toHaveLength(2);
    for (const { root, block, cursor } of client.events) {
      const { blockHash, blockNumber, logIndex, removed: went } = root.logs;
      expect(block).toBe(went ? undefined : blockHash);
      const place = { height: Number(blockNumber), hash: blockHash, index: Number(logIndex), removed: went };
      expect(readCursor(cursor!)).toEqual(place);
    }
  });

  test('are told to who has just joined when blocks go that came before it, as by a node', async () => {
    const { feed, move, reach } = await world(22);
    const client = subscribeTo(logs(feed, {}, null));
    const { removed, added } = await move(4, 4);
    await reach();
    expect(goingOf(removed).length).toBeGreaterThan(0);
    expect(heardBy(client)).toEqual([...goingOf(removed), ...comingOf(added)]);
  });

  test.each<[string, LogFilter]>([
    ['an address', { addresses: [ADDRESS] }],
    ['empty lists', { addresses: [], topics: [] }],
    ['a second topic', { topics: [[], [hashOf(16), hashOf(17), hashOf(18)]] }],
    ['nothing that there is', { addresses: [`0x${'f'.repeat(40)}`] }],
  ])('are filtered by %s as the node filters them, live and on the way there', async (_case, filter) => {
    const { feed, move, reach, chain } = await world(23);
    const from = chain.main.at(20)!;
    const cursor = writeCursor({ height: 20, hash: from.hash, index: 99, removed: false });
    const before = Array.from({ length: 20 }, (_none, i) => chain.main.at(21 + i)!);
    const client = subscribeTo(logs(feed, filter, cursor));
    const { removed, added } = await move(5, 7);
    await reach();
    const expected = [...comingOf(before, filter), ...goingOf(removed, filter), ...comingOf(added, filter)];
    await client.has(expected.length);
    expect(heardBy(client)).toEqual(expected);
  });

  test('with more than four topics are refused, and so is what is no cursor', async () => {
    const { feed } = await world(24);
    const bad = expect.objectContaining({ code: 'BAD_USER_INPUT' });
    expect(() => logs(feed, { topics: [[], [], [], [], []] }, null)).toThrow(bad);
    expect(() => logs(feed, {}, 'behind')).toThrow(bad);
  });

  test('behind a block that is not remembered are CURSOR_EXPIRED', async () => {
    const { feed } = await world(25);
    const cursor = writeCursor({ height: 3, hash: hashOf(3), index: 0, removed: false });
    expect(await subscribeTo(logs(feed, {}, cursor)).end()).toMatchObject({ code: 'CURSOR_EXPIRED' });
  });

  test('of an abandoned block that nobody has any more are CURSOR_EXPIRED for who has them, and not for others', async () => {
    const { feed, move, chain } = await world(26, { keep: 0 });
    const { added } = await move(0, 6);
    const held = added.find((block) => block.logs.length > 0 && block !== added[0])!;
    await move(6, 7);
    const cursor = (block: SimBlock) => writeCursor({ height: block.height, hash: block.hash, index: 99, removed: false });
    expect(await subscribeTo(logs(feed, {}, cursor(held))).end()).toMatchObject({ code: 'CURSOR_EXPIRED' });
    // By its bloom there is nothing in these blocks that would have to be taken back.
    const filter = { addresses: [`0x${'f'.repeat(40)}`] };
    const other = subscribeTo(logs(feed, filter, cursor(held)));
    const present = subscribeTo(logs(feed, {}, cursor(chain.head)));
    const next = await move(0, 3);
    await present.has(comingOf(next.added).length);
    expect([other.ended, present.ended]).toEqual([undefined, undefined]);
  });

  test('on the way of which the chain leaves a block that nobody has any more are GAP_TOO_LARGE: behind the last one there is another way', async () => {
    const { feed, chain, node } = await world(29);
    const lost = chain.main.at(39)!;
    node.answer = (method, [filter]) =>
      method === 'eth_getLogs' && filter.blockHash === lost.hash
        ? { error: { code: -32000, message: 'unknown block' } }
        : undefined;
    const from = chain.main.at(30)!;
    const client = subscribeTo(logs(feed, {}, writeCursor({ height: 30, hash: from.hash, index: 99, removed: false })));
    chain.reorg(4, 5);
    expect(await client.end()).toMatchObject({ code: 'GAP_TOO_LARGE', extensions: { retryable: true } });
    node.answer = undefined;
    const cursor = client.events.at(-1)?.cursor ?? writeCursor({ height: 30, hash: from.hash, index: 99, removed: false });
    const again = subscribeTo(logs(feed, {}, cursor));
    const expected = comingOf(lineFrom(from, chain.head));
    await until(() => client.events.length + again.events.length === expected.length);
    expect([...heardBy(client), ...heardBy(again)]).toEqual(expected);
  });

  test('cost the node one eth_getLogs a block, whoever listens: fifty clients, with five filters', async () => {
    const { feed, move, reach, node } = await world(27);
    const clients = Array.from({ length: 50 }, (_none, i) =>
      subscribeTo(logs(feed, { addresses: [`0x${'0'.repeat(39)}${1 + (i % 5)}`] }, null)),
    );
    await move(0, 1);
    await reach();
    const before = node.asked.get('eth_getLogs')!;
    const blocks: SimBlock[] = [];
    for (let i = 0; i < 10; i++) {
      blocks.push(...(await move(0, 1)).added);
      await reach();
    }
    expect(node.asked.get('eth_getLogs')! - before).toBe(10);
    expect(node.asked.get('eth_subscribe')).toBe(1);
    const told = clients.reduce((sum, { events }) => sum + events.length, 0);
    expect(told).toBeGreaterThanOrEqual(10 * comingOf(blocks).length);
  });

  test('of a backlog are read only where a bloom has room for them', async () => {
    const { feed, node, chain } = await world(28);
    const cursor = writeCursor({ height: 10, hash: chain.main.at(10)!.hash, index: 99, removed: false });
    const filter = { addresses: [ADDRESS] };
    const wanted = Array.from({ length: 30 }, (_none, i) => chain.main.at(11 + i)!);
    const expected = comingOf(wanted, filter);
    const client = subscribeTo(backlogOf(feed, filter, cursor));
    await client.has(expected.length);
    expect(heardBy(client)).toEqual(expected);
    const asked = node.asked.get('eth_getLogs')!;
    expect(asked).toBeGreaterThanOrEqual(new Set(expected.map((name) => name.split(' ')[0])).size);
    expect(asked).toBeLessThan(25);
  });
});

/** The stream with nobody who listens to what comes, so that the feed reads nothing by itself. */
const backlogOf = (feed: Feed, filter: LogFilter, after: string): Stream<Logs> => ({
  ...logs(feed, filter, after),
  open: () => () => {},
});

const SEED = seed();
const LIVES = size(25, 1_000);
const CUTS: readonly Cut[] = ['reset', 'half a frame', 'close'];

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `over ${LIVES} lives, with reorgs and lost connections in between, a client that goes on has each log once: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const { feed, move, chain, node } = await world(from, { dialect });
    const filter: LogFilter = draw() < 0.5 ? {} : { addresses: [ADDRESS, `0x${'0'.repeat(39)}3`] };
    // What it had from a query; deeper than that nothing is reorganised.
    const start = chain.main.at(20)!;
    let cursor = writeCursor({ height: 20, hash: start.hash, index: 99, removed: false });
    const held: string[] = [];
    const wrong: string[] = [];
    let [told, undone] = [0, 0];
    for (let life = 0; life < LIVES; life++) {
      if (draw() < 0.3) node.cut(CUTS[upTo(3) - 1]!, Math.floor(draw() * 6));
      const client = subscribeTo(logs(feed, filter, cursor));
      for (let moves = upTo(4); moves > 0; moves--) {
        const depth = draw() < 0.6 ? Math.min(upTo(8), chain.head.height - 25) : 0;
        await move(depth, depth + upTo(3) - 1 + (depth === 0 ? 1 : 0));
      }
      const isLast = life === LIVES - 1;
      const goal = comingOf(lineFrom(start, chain.head), filter).at(-1);
      // It may be cut off anywhere, and stays until everything has been said only now and then.
      const stays = isLast ? 0 : draw();
      if (stays < 0.75) {
        await until(() => client.ended !== undefined || isThere(client, held, goal) || (stays > 0.5 && client.events.length > 0));
      }
      client.stop();
      expect(client.ended).toBeUndefined();
      for (const event of client.events) {
        const log = event.root.logs as unknown as SimLog;
        const name = nameOf({ ...log, removed: false });
        if (log.removed && held.pop() !== name) wrong.push(`${name} goes and is not the last one`);
        if (!log.removed && held.includes(name)) wrong.push(`${name} comes twice`);
        if (!log.removed) held.push(name);
        cursor = event.cursor!;
        told += 1;
        if (log.removed) undone += 1;
      }
    }
    process.stdout.write(`logs: ${told} told, ${undone} of them taken back\n`);
    expect(wrong).toEqual([]);
    expect(held).toEqual(comingOf(lineFrom(start, chain.head), filter));
    expect(undone).toBeGreaterThan(LIVES / 4);
  },
);

/** Whether a client has all up to the last log of the chain; the same logs may have come and gone before. */
function isThere(client: StreamClient<Logs>, before: readonly string[], goal: string | undefined): boolean {
  const held = [...before];
  for (const { root } of client.events) {
    if (root.logs.removed) held.pop();
    else held.push(nameOf(root.logs as unknown as SimLog));
  }
  return held.at(-1) === goal;
}

function lineFrom(start: SimBlock, head: SimBlock): SimBlock[] {
  const line: SimBlock[] = [];
  for (let block = head; block !== start; block = block.parent!) line.unshift(block);
  return line;
}
