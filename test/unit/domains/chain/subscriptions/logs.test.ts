import { describe, expect, test } from '@jest/globals';
import { decodeLogCursor, encodeLogCursor, MAX_LOG_INDEX } from '../../../../../src/domains/chain/log/cursor.ts';
import type { LogsRoot } from '../../../../../src/domains/chain/subscriptions/log-events.ts';
import type { LogFilter } from '../../../../../src/ethereum/log-filters.ts';
import type { SourceStream } from '../../../../../src/graphql/stream.ts';
import { subscribeToStream } from '../../../../support/clients/stream-subscriber.ts';
import { withMovedClock } from '../../../../support/clock.ts';
import { hex } from '../../../../support/simulator/chain.ts';
import type { SimBlock } from '../../../../support/simulator/view.ts';
import { pollUntil } from '../../../../support/subscriptions/feed-setup.ts';
import {
  addedLogLabels,
  blocksAfter,
  receivedLogLabels,
  removedLogLabels,
  startLiveStreams,
  subscribingOperation,
} from '../../../../support/subscriptions/live-streams.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

/** Log streams over a real follower and live, with a simulated node. */
const ADDRESS = `0x${'0'.repeat(39)}2`;

type Streams = Awaited<ReturnType<typeof startLiveStreams>>['live'];

const logs = (live: Streams, filter: LogFilter, after: string | null): SourceStream<LogsRoot> =>
  live.logs(subscribingOperation(), { filter, after });

describe('log stream', () => {
  test('log stream delivers a change as one batch: removed logs last first, then added logs', async () => {
    const { live, move, waitForLogs } = await startLiveStreams(21);
    const client = subscribeToStream(logs(live, {}, null));
    const first = await move(0, 4);
    await waitForLogs();
    const { removed, added } = await move(3, 4);
    await waitForLogs();
    expect(receivedLogLabels(client)).toEqual([
      ...addedLogLabels(first.added),
      ...removedLogLabels(removed),
      ...addedLogLabels(added),
    ]);
    expect(client.batches).toHaveLength(2);
    for (const { root, block, cursor } of client.events) {
      const { blockHash, blockNumber, logIndex, removed } = root.logs;
      expect(block).toBe(removed ? undefined : blockHash);
      const position = { height: Number(blockNumber), hash: blockHash, index: Number(logIndex), removed };
      expect(decodeLogCursor(cursor!)).toEqual(position);
    }
  });

  test('log stream delivers the removal of logs that were added before the subscription, as a node does', async () => {
    const { live, move, waitForLogs } = await startLiveStreams(22);
    const client = subscribeToStream(logs(live, {}, null));
    const { removed, added } = await move(4, 4);
    await waitForLogs();
    expect(removedLogLabels(removed).length).toBeGreaterThan(0);
    expect(receivedLogLabels(client)).toEqual([...removedLogLabels(removed), ...addedLogLabels(added)]);
  });

  test.each<[string, LogFilter]>([
    ['an address', { addresses: [ADDRESS] }],
    ['empty lists', { addresses: [], topics: [] }],
    ['a second topic', { topics: [[], [hashOf(16), hashOf(17), hashOf(18)]] }],
    ['an unused address', { addresses: [`0x${'f'.repeat(40)}`] }],
  ])('log stream filters by %s as the node does, live and in the backlog', async (_case, filter) => {
    const { live, move, waitForLogs, chain } = await startLiveStreams(23);
    const from = chain.main.at(20)!;
    const cursor = encodeLogCursor({ height: 20, hash: from.hash, index: 99, removed: false });
    const before = Array.from({ length: 20 }, (_none, i) => chain.main.at(21 + i)!);
    const client = subscribeToStream(logs(live, filter, cursor));
    const { removed, added } = await move(5, 7);
    await waitForLogs();
    const expected = [...addedLogLabels(before, filter), ...removedLogLabels(removed, filter), ...addedLogLabels(added, filter)];
    await client.waitForEvents(expected.length);
    expect(receivedLogLabels(client)).toEqual(expected);
  });

  test('a resumed stream of pages ends its backlog with one page at the head, although no log matches', async () => {
    const { live, move, waitForLogs, chain } = await startLiveStreams(53);
    const { height, hash } = chain.main.at(20)!;
    const after = encodeLogCursor({ height, hash, index: 99, removed: false });
    const filter = { addresses: [`0x${'f'.repeat(40)}`] };
    const [pages, single] = [live.logPages, live.logs].map((stream) =>
      subscribeToStream(stream(subscribingOperation(), { filter, after }) as SourceStream<any>),
    );
    await pages!.waitForEvents(1);
    const { head } = chain;
    const cursor = encodeLogCursor({ height: head.height, hash: head.hash, index: MAX_LOG_INDEX, removed: false });
    expect(pages!.events.map(({ root }) => root.logPages)).toEqual([
      { nodes: [], searchedTo: `0x${head.height.toString(16)}`, cursor },
    ]);
    await move(1, 2);
    await waitForLogs();
    expect([pages!.events, single!.events].map(({ length }) => length)).toEqual([1, 0]);
  });

  test('pages of blocks, of the past and every ten seconds without a log state that no header proves them', async () => {
    const { live, move, waitForLogs, chain } = await startLiveStreams(54);
    const none = { addresses: [`0x${'f'.repeat(40)}`] };
    const { height, hash } = chain.main.at(20)!;
    const after = encodeLogCursor({ height, hash, index: 99, removed: false });
    await withMovedClock(async (moveTo) => {
      const [quiet, all, resumed] = [{ filter: none }, { after }, { filter: none, after }].map((args) =>
        subscribeToStream(live.logPages(subscribingOperation(), args)),
      );
      await move(0, 2);
      await waitForLogs();
      expect(quiet!.events).toEqual([]);
      moveTo(10_000);
      await move(0, 1);
      await waitForLogs();
      const page = { nodes: [], searchedTo: hex(chain.head.height) };
      expect(quiet!.events).toMatchObject([{ block: chain.head.hash, root: { isProven: false, logPages: page } }]);
      await move(0, 1);
      await waitForLogs();
      await Promise.all([all!.waitForEvents(11), resumed!.waitForEvents(2)]);
      expect([quiet, resumed].map((pages) => pages!.events.length)).toEqual([1, 2]);
      expect([...all!.events, ...resumed!.events].some(({ root }) => root.isProven)).toBe(false);
    });
  });

  test('log stream rejects a filter with more than four topics and an invalid cursor', async () => {
    const { live } = await startLiveStreams(24);
    const bad = expect.objectContaining({ code: 'BAD_USER_INPUT' });
    expect(() => logs(live, { topics: [[], [], [], [], []] }, null)).toThrow(bad);
    expect(() => logs(live, {}, 'behind')).toThrow(bad);
    expect(() => logs(live, {}, '')).toThrow(bad);
  });

  test.each<[string, (list: string[]) => LogFilter]>([
    ['addresses', (addresses) => ({ addresses })],
    ['topics in one position', (topics) => ({ topics: [[], topics] })],
  ])('log stream accepts a filter with 1,000 %s and rejects one with more', async (_case, filterBy) => {
    const { live } = await startLiveStreams(26);
    const list = Array.from({ length: 1_001 }, (_none, i) => hashOf(i));
    const bad = { code: 'BAD_USER_INPUT', extensions: expect.objectContaining({ limit: 1_000, actual: 1_001 }) };
    expect(() => logs(live, filterBy(list), null)).toThrow(expect.objectContaining(bad));
    expect(() => logs(live, filterBy(list.slice(1)), null)).not.toThrow();
  });

  test.each([
    [1, 'BLOCK_NOT_AVAILABLE', true],
    [8, 'BLOCK_NOT_AVAILABLE', true],
    [9, 'CURSOR_EXPIRED', false],
  ])('log stream resumed after an unknown block %i above the head ends with %s', async (distance, code, retryable) => {
    const { live, chain } = await startLiveStreams(25);
    const cursor = encodeLogCursor({ height: chain.head.height + distance, hash: hashOf(3), index: 0, removed: false });
    const error = await subscribeToStream(logs(live, {}, cursor)).waitForEnd();
    expect(error).toMatchObject({ code, extensions: { retryable } });
  });

  test('log stream ends with CURSOR_EXPIRED when the logs of a removed block are unavailable, unless its bloom excludes them', async () => {
    const { live, move, chain } = await startLiveStreams(52, { maxOrphans: 0 });
    const ancestor = chain.head;
    const { added } = await move(0, 6);
    const [first, second] = added as [SimBlock, SimBlock];
    await move(6, 7);
    const cursor = encodeLogCursor({ height: second.height, hash: second.hash, index: 99, removed: false });
    expect(await subscribeToStream(logs(live, {}, cursor)).waitForEnd()).toMatchObject({ code: 'CURSOR_EXPIRED' });
    // Both removed blocks have logs, and blooms that exclude this filter, so no log has to be removed.
    expect([first, second].map(({ logs }) => logs.length)).not.toContain(0);
    const filter = { addresses: [ADDRESS] };
    expect(addedLogLabels([first, second], filter)).toEqual([]);
    const client = subscribeToStream(logs(live, filter, cursor));
    await move(0, 3);
    const expected = addedLogLabels(blocksAfter(ancestor, chain.head), filter);
    await client.waitForEvents(expected.length);
    expect(receivedLogLabels(client)).toEqual(expected);
  });

  test('log stream ends with GAP_TOO_LARGE when a reorg removes an unread block of the backlog, and resumes from the last cursor', async () => {
    const { live, chain, node } = await startLiveStreams(29);
    const lost = chain.main.at(39)!;
    node.intercept = (method, [filter]) =>
      method === 'eth_getLogs' && filter.blockHash === lost.hash
        ? { error: { code: -32000, message: 'unknown block' } }
        : undefined;
    const from = chain.main.at(30)!;
    const client = subscribeToStream(logs(live, {}, encodeLogCursor({ height: 30, hash: from.hash, index: 99, removed: false })));
    chain.reorg(4, 5);
    expect(await client.waitForEnd()).toMatchObject({ code: 'GAP_TOO_LARGE', extensions: { retryable: true } });
    node.intercept = undefined;
    const cursor = client.events.at(-1)?.cursor ?? encodeLogCursor({ height: 30, hash: from.hash, index: 99, removed: false });
    const again = subscribeToStream(logs(live, {}, cursor));
    const expected = addedLogLabels(blocksAfter(from, chain.head));
    await pollUntil(() => client.events.length + again.events.length === expected.length);
    expect([...receivedLogLabels(client), ...receivedLogLabels(again)]).toEqual(expected);
  });

  test('log stream sends one eth_getLogs per block for fifty clients with five filters', async () => {
    const { live, move, waitForLogs, node } = await startLiveStreams(27);
    const clients = Array.from({ length: 50 }, (_none, i) =>
      subscribeToStream(logs(live, { addresses: [`0x${'0'.repeat(39)}${1 + (i % 5)}`] }, null)),
    );
    await move(0, 1);
    await waitForLogs();
    const before = node.callCounts.get('eth_getLogs')!;
    const blocks: SimBlock[] = [];
    for (let i = 0; i < 10; i++) {
      blocks.push(...(await move(0, 1)).added);
      await waitForLogs();
    }
    expect(node.callCounts.get('eth_getLogs')! - before).toBe(10);
    expect(node.callCounts.get('eth_subscribe')).toBe(1);
    const delivered = clients.reduce((sum, { events }) => sum + events.length, 0);
    expect(delivered).toBeGreaterThanOrEqual(10 * addedLogLabels(blocks).length);
  });

  test('log stream reads only the blocks of a backlog whose bloom may match', async () => {
    const { live, node, chain } = await startLiveStreams(28);
    const cursor = encodeLogCursor({ height: 10, hash: chain.main.at(10)!.hash, index: 99, removed: false });
    const filter = { addresses: [ADDRESS] };
    const blocks = Array.from({ length: 30 }, (_none, i) => chain.main.at(11 + i)!);
    const expected = addedLogLabels(blocks, filter);
    const client = subscribeToStream(backlogOf(live, filter, cursor));
    await client.waitForEvents(expected.length);
    expect(receivedLogLabels(client)).toEqual(expected);
    const requested = node.callCounts.get('eth_getLogs')!;
    expect(requested).toBeGreaterThanOrEqual(new Set(expected.map((name) => name.split(' ')[0])).size);
    expect(requested).toBeLessThan(25);
  });
});

/** The stream without live events, so that the live itself reads no logs. */
const backlogOf = (live: Streams, filter: LogFilter, after: string): SourceStream<LogsRoot> => ({
  ...logs(live, filter, after),
  subscribe: () => () => {},
});
