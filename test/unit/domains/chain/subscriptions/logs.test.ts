import { describe, expect, test } from '@jest/globals';
import { readCursor, writeCursor } from '../../../../../src/domains/chain/subscriptions/log-cursor.ts';
import { type Logs, logs } from '../../../../../src/domains/chain/subscriptions/logs.ts';
import type { LogFilter } from '../../../../../src/ethereum/log-filters.ts';
import type { Stream } from '../../../../../src/graphql/stream.ts';
import type { Feed } from '../../../../../src/sync/feed.ts';
import { subscribeTo } from '../../../../support/clients/stream-client.ts';
import { hashOf } from '../../../../support/graph/in-process.ts';
import type { SimBlock } from '../../../../support/simulator/view.ts';
import { until } from '../../../../support/subscriptions/feed.ts';
import { comingOf, goingOf, heardBy, lineFrom, liveOver } from '../../../../support/subscriptions/live-world.ts';

/** Logs over the real follower and feed, before a simulated node. */
const ADDRESS = `0x${'0'.repeat(39)}2`;

describe('logs', () => {
  test('of a change are one batch: those that go, last first, and then those that come', async () => {
    const { feed, move, reach } = await liveOver(21);
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
    const { feed, move, reach } = await liveOver(22);
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
    const { feed, move, reach, chain } = await liveOver(23);
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
    const { feed } = await liveOver(24);
    const bad = expect.objectContaining({ code: 'BAD_USER_INPUT' });
    expect(() => logs(feed, { topics: [[], [], [], [], []] }, null)).toThrow(bad);
    expect(() => logs(feed, {}, 'behind')).toThrow(bad);
    expect(() => logs(feed, {}, '')).toThrow(bad);
  });

  test.each<[string, (list: string[]) => LogFilter]>([
    ['addresses', (addresses) => ({ addresses })],
    ['topics in one position', (topics) => ({ topics: [[], topics] })],
  ])('are filtered by a thousand %s, and refused with one more', async (_what, filterBy) => {
    const { feed } = await liveOver(26);
    const list = Array.from({ length: 1_001 }, (_none, i) => hashOf(i));
    const bad = { code: 'BAD_USER_INPUT', extensions: expect.objectContaining({ limit: 1_000, actual: 1_001 }) };
    expect(() => logs(feed, filterBy(list), null)).toThrow(expect.objectContaining(bad));
    expect(() => logs(feed, filterBy(list.slice(1)), null)).not.toThrow();
  });

  test('behind a block that is not remembered are CURSOR_EXPIRED', async () => {
    const { feed } = await liveOver(25);
    const cursor = writeCursor({ height: 3, hash: hashOf(3), index: 0, removed: false });
    expect(await subscribeTo(logs(feed, {}, cursor)).end()).toMatchObject({ code: 'CURSOR_EXPIRED' });
  });

  test('of an abandoned block that nobody has any more are CURSOR_EXPIRED for who has them, and not for others', async () => {
    const { feed, move, chain } = await liveOver(26, { keep: 0 });
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
    const { feed, chain, node } = await liveOver(29);
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
    const { feed, move, reach, node } = await liveOver(27);
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
    const { feed, node, chain } = await liveOver(28);
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
