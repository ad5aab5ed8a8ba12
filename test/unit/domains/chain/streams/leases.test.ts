import { expect, jest, test } from '@jest/globals';
import type { Database } from '../../../../../src/database/database.ts';
import { createStreams } from '../../../../../src/domains/chain/streams/index.ts';
import { log } from '../../../../support/silent-log.ts';
import { subscribingOperation } from '../../../../support/subscriptions/live-streams.ts';

/** A busy database: a claim takes a second. */
const busyStatements = {
  async query(sql: string, params: readonly unknown[]) {
    const isRenewal = sql.startsWith('update subscription_streams set lease_until');
    if (!isRenewal) await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (sql.startsWith('insert')) return [{ cursor: null, fromBlock: '1' }];
    return isRenewal ? (params[0] as string[]).map((holder) => ({ holder })) : [];
  },
} as unknown as Database;

test('a lease begins with its claim, not with the wait for the turn of its caller', async () => {
  jest.useFakeTimers();
  try {
    const streams = createStreams(busyStatements, { maxStreams: 100, retentionDays: 1, log } as never);
    const operation = () => subscribingOperation({ caller: { app: 'shop' }, deadline: performance.now() + 10_000 });
    const claims = Array.from({ length: 9 }, (_none, i) => streams.claim(operation(), `s${i}`, 'logs', { fromBlock: '0x1' }));
    const lost: string[] = [];
    for (const claim of claims) claim.then(({ hold }) => hold.lost.then(({ code }) => lost.push(code)));
    await jest.advanceTimersByTimeAsync(30_000);
    await Promise.all(claims);
    expect(lost).toEqual([]);
    const stopped = streams.stop();
    await jest.advanceTimersByTimeAsync(1_000);
    await stopped;
  } finally {
    jest.useRealTimers();
  }
});
