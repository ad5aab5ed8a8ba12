import { expect, test } from '@jest/globals';
import { encodeLogCursor, MAX_LOG_INDEX } from '../../../../../src/domains/chain/log/cursor.ts';
import { LOG_PAGES, SINGLE_LOGS } from '../../../../../src/domains/chain/subscriptions/log-events.ts';
import type { RpcLog } from '../../../../../src/ethereum/rpc-types.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

/** A block with two logs. */
const BLOCK = { hash: hashOf(0xab), height: 7 };
const LOGS = [0, 1].map((i) => ({ logIndex: `0x${i}`, blockNumber: '0x7', blockHash: hashOf(0xab) })) as unknown as [
  RpcLog,
  RpcLog,
];
const FOUND = { logs: LOGS, isProven: true };
const NONE = { logs: [], isProven: false };
const cursorOf = (index: number, removed = false) => encodeLogCursor({ ...BLOCK, index, removed });
const END = { ...BLOCK, index: MAX_LOG_INDEX, removed: false };

test('removed logs are events in reverse order, and each revokes the event that added its log', () => {
  expect(SINGLE_LOGS.ofBlock(BLOCK, FOUND, true)).toEqual(
    [1, 0].map((i) => ({
      root: { logs: { ...LOGS[i], removed: true }, isProven: true },
      ...{ cursor: cursorOf(i, true), removed: true, revokes: cursorOf(i), abandoned: [BLOCK.hash] },
    })),
  );
});

test('added logs are one event each, of a block and of a past page', () => {
  const events = [0, 1].map((i) => ({
    ...{ root: { logs: LOGS[i], isProven: true }, block: BLOCK.hash, cursor: cursorOf(i), removed: false },
  }));
  expect(SINGLE_LOGS.ofBlock(BLOCK, FOUND, false)).toEqual(events);
  const upper = LOGS.map((log) => ({ ...log, blockHash: BLOCK.hash.toUpperCase().replace('0X', '0x') }));
  const page = SINGLE_LOGS.ofPage({ logs: upper as never, isProven: true }, END);
  expect(page.map(({ block, cursor }) => ({ block, cursor }))).toEqual(events.map(({ block, cursor }) => ({ block, cursor })));
});

test('a page has the logs of a block, and a page of removed logs revokes it', () => {
  const added = { nodes: LOGS, searchedTo: '0x7', cursor: cursorOf(MAX_LOG_INDEX) };
  expect(LOG_PAGES.ofBlock(BLOCK, FOUND, false)).toEqual([
    { root: { logPages: added, isProven: true }, block: BLOCK.hash, cursor: added.cursor, removed: false },
  ]);
  const nodes = [LOGS[1], LOGS[0]].map((log) => ({ ...log, removed: true }));
  const cursor = cursorOf(0, true);
  expect(LOG_PAGES.ofBlock(BLOCK, FOUND, true)).toEqual([
    {
      root: { logPages: { nodes, searchedTo: '0x6', cursor }, isProven: true },
      ...{ cursor, removed: true, revokes: added.cursor, abandoned: [BLOCK.hash] },
    },
  ]);
});

test('a block without logs is no page, and a past page without logs is one', () => {
  expect([false, true].map((isRemoval) => LOG_PAGES.ofBlock(BLOCK, NONE, isRemoval))).toEqual([[], []]);
  const logPages = { nodes: [], searchedTo: '0x7', cursor: cursorOf(MAX_LOG_INDEX) };
  expect(LOG_PAGES.ofPage(NONE, END)).toMatchObject([{ root: { logPages, isProven: false } }]);
});
