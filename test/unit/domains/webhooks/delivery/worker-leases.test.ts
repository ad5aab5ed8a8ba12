import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Database } from '../../../../../src/database/database.ts';
import { holdWorkerLease } from '../../../../../src/domains/webhooks/delivery/worker.ts';
import { log } from '../../../../support/silent-log.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

test('a failed check does not release the lock of a worker pool, and a pool that ends is replaced at once', async () => {
  let failedChecks = 0;
  const query = async (text: string) => {
    if (!text.includes('graphile_worker.jobs')) return { rows: [] };
    failedChecks += 1;
    throw new Error('the statement has failed');
  };
  const connect = async () => Object.assign(new EventEmitter(), { query, end: async () => {} });
  const pools: AbortController[] = [];
  const startWorkers = async () => {
    const pool = new AbortController();
    return { id: `pool ${pools.push(pool)}`, ended: pool.signal };
  };
  const database = { connect } as unknown as Database;
  const held = holdWorkerLease(database, startWorkers, log);
  await delay(1_000);
  expect([failedChecks, pools.length]).toEqual([1, 1]);
  const endedAt = performance.now();
  pools[0]!.abort();
  await waitUntil(() => pools.length === 2, 'another pool starts');
  expect(performance.now() - endedAt).toBeLessThan(1_500);
  await held.stop();
});
