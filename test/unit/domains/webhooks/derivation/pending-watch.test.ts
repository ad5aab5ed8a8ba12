import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPendingWatch, type PendingWatchOptions } from '../../../../../src/domains/webhooks/derivation/pending-watch.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
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

/** A watch over a feed and a database that the test controls; address 1 alone is registered. */
async function startWatch(statementMs = 0) {
  let announce!: (transaction: RpcTransaction) => void;
  const written: (readonly string[])[] = [];
  const running = { count: 0, max: 0 };
  const query = async (text: string, values: readonly unknown[] = []) => {
    if (text.includes('limit 1')) return [{}];
    running.max = Math.max(running.max, ++running.count);
    await delay(statementMs);
    running.count -= 1;
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
  const { announce, written, running, stop } = await startWatch(300);
  for (let number = 0; number < 501; number++) announce(transactionOf(number));
  await delay(300);
  announce(transactionOf(501));
  await waitUntil(() => written.length === 3, 'all are watched');
  stop();
  expect(written.map(({ length }) => length)).toEqual([500, 1, 1]);
  expect(running.max).toBe(1);
});
