import { expect, test } from '@jest/globals';
import type { LogPlan } from '../../../../../src/domains/chain/log/plan.ts';
import { createLogWindows, cutIntoWindows } from '../../../../../src/domains/chain/log/searches.ts';
import type { RpcLog } from '../../../../../src/ethereum/rpc-types.ts';
import { hashOf, logFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const blockHash = (height: number) => hashOf(0xb00 + height);
const transactionHash = (height: number) => hashOf(0x700 + height);

/** Two logs of one transaction in each block. */
const logsOf = (count: number): RpcLog[] =>
  Array.from({ length: count * 2 }, (_, i) => {
    const height = Math.floor(i / 2);
    const position = { blockNumber: `0x${height.toString(16)}`, blockHash: blockHash(height) };
    return logFixture({ ...position, transactionHash: transactionHash(height) }) as unknown as RpcLog;
  });

const FULL_BLOCKS: LogPlan = {
  block: { full: true, receipts: true, allLogs: false, filters: [], ancestors: false },
  full: false,
  receipt: false,
};
const TRANSACTIONS: LogPlan = { block: undefined, full: true, receipt: true };

test('a window of logs contains the blocks that fit into it, with all logs of each block', () => {
  const windows = cutIntoWindows(logsOf(50), FULL_BLOCKS);
  expect(windows.map(({ length }) => length)).toEqual([40, 40, 20]);
  expect(windows.flat()).toEqual(logsOf(50));
});

test('a window of logs contains the transactions that fit into it', () => {
  expect(cutIntoWindows(logsOf(10), TRANSACTIONS, 12 * 1024).map(({ length }) => length)).toEqual([8, 8, 4]);
});

test('logs without nested data are one window, and no logs are none', () => {
  expect(cutIntoWindows(logsOf(500), { block: undefined, full: false, receipt: false })).toHaveLength(1);
  expect(cutIntoWindows([], FULL_BLOCKS)).toEqual([]);
});

function recordWindows() {
  const events: string[] = [];
  const writeWindows = createLogWindows((hash, { blockNumber, transactionHash }) =>
    events.push(
      hash === transactionHash ? `release transaction ${Number(hash) - 0x700}` : `release block ${Number(blockNumber)}`,
    ),
  );
  const write = async (items: readonly RpcLog[]): Promise<void> => {
    events.push(`write ${items.length}`);
  };
  return { events, writeWindows, write };
}

test('a window of logs is released when it is written, before the next window is', async () => {
  const { events, writeWindows, write } = recordWindows();
  await writeWindows(logsOf(30), FULL_BLOCKS, write);
  const releases = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => [`release transaction ${from + i}`, `release block ${from + i}`]).flat();
  expect(events).toEqual(['write 40', ...releases(0, 20), 'write 20', ...releases(20, 30)]);
});

test('a list of logs of one window releases nothing', async () => {
  const { events, writeWindows, write } = recordWindows();
  await writeWindows(logsOf(20), FULL_BLOCKS, write);
  expect(events).toEqual(['write 40']);
});

test('blocks of two lists of logs are released once, by the last list', async () => {
  const { events, writeWindows, write } = recordWindows();
  let finishFirst!: () => void;
  const written = new Promise<void>((resolve) => {
    finishFirst = resolve;
  });
  const first = writeWindows(logsOf(30), FULL_BLOCKS, () => written);
  await writeWindows(logsOf(30), FULL_BLOCKS, write);
  expect(events).toEqual(['write 40', 'write 20']);
  finishFirst();
  await first;
  expect(events.filter((event) => event.startsWith('release block'))).toHaveLength(30);
});
