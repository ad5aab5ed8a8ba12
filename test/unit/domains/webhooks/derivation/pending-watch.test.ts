import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { storeUnavailableError } from '../../../../../src/database/statements.ts';
import { createPendingWatch, type PendingWatchOptions } from '../../../../../src/domains/webhooks/derivation/pending-watch.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { createGate } from '../../../../support/gate.ts';
import { log } from '../../../../support/silent-log.ts';
import { addressOf, hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const transactionOf = (number: number, changed: object = {}): RpcTransaction =>
  ({
    hash: hashOf(number),
    from: addressOf(1),
    nonce: '0x1',
    value: '0x0',
    gas: '0x1',
    input: '0x',
    ...changed,
  }) as RpcTransaction;

afterEach(() => void jest.useRealTimers());

/** A watch over a feed and a database that the test controls; address 1 alone is registered. The first statements fail. */
async function startWatch({ statementMs = 0, failures = 0, gate = () => delay(statementMs) as Promise<unknown> } = {}) {
  let announce!: (transaction: RpcTransaction) => void;
  const written: (readonly string[])[] = [];
  const running = { count: 0, max: 0 };
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.includes('limit 1')) return [{}];
    running.max = Math.max(running.max, ++running.count);
    await gate();
    running.count -= 1;
    if (failures-- > 0) throw storeUnavailableError();
    if (text.includes('distinct address')) return [{ address: addressOf(1) }];
    written.push(values[0] as string[]);
    return [];
  };
  const feed = {
    subscribePendingTransactions: ({ next }: { next: typeof announce }) => {
      announce = next;
      return () => {};
    },
  };
  const options = { feed, database: { query }, onUnwatched: async () => {}, log };
  const watch = createPendingWatch(options as unknown as PendingWatchOptions);
  await watch.update();
  return { announce, written, running, stop: watch.stop };
}

test('only a malformed pending transaction is skipped, and later transactions are watched', async () => {
  const { announce, written, stop } = await startWatch();
  announce(transactionOf(1));
  announce(transactionOf(2, { input: undefined }));
  announce(transactionOf(3, { from: undefined }));
  await waitUntil(() => written.length === 1, 'the first transactions are watched');
  announce(transactionOf(4));
  await waitUntil(() => written.length === 2, 'the later transaction is watched');
  stop();
  expect(written).toEqual([[hashOf(1)], [hashOf(4)]]);
});

test('pending transactions are stored by one pass at a time, up to 500 with a statement', async () => {
  const { announce, written, running, stop } = await startWatch({ statementMs: 300 });
  for (let number = 0; number < 501; number++) announce(transactionOf(number));
  await delay(300);
  announce(transactionOf(501));
  await waitUntil(() => written.length === 3, 'all are watched');
  stop();
  expect(written.map(({ length }) => length)).toEqual([500, 1, 1]);
  expect(running.max).toBe(1);
});

test('transactions that were collected while the database failed are watched later, also without a further transaction', async () => {
  const { announce, written, stop } = await startWatch({ failures: 2 });
  announce(transactionOf(1));
  announce(transactionOf(2));
  await waitUntil(() => written.length === 1, 'the transactions are watched');
  stop();
  expect(written).toEqual([[hashOf(1), hashOf(2)]]);
});

test('a watch that is stopped while the database fails does not try again', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
  const { opened, open } = createGate();
  const { announce, running, stop } = await startWatch({ failures: Infinity, gate: () => opened });
  announce(transactionOf(1));
  await jest.advanceTimersByTimeAsync(250);
  expect(running).toEqual({ count: 1, max: 1 });
  stop();
  open();
  while (running.count > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(jest.getTimerCount()).toBe(0);
});
