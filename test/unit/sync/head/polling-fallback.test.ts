import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPollingFallback } from '../../../../src/sync/head/head-polling.ts';

function createCounted(delayMs: number) {
  const counts = { started: 0, ended: 0, failures: [] as unknown[] };
  const fallback = createPollingFallback(
    delayMs,
    async (signal) => {
      counts.started += 1;
      if (!signal.aborted) await once(signal, 'abort');
      counts.ended += 1;
    },
    (error) => counts.failures.push(error),
  );
  return { fallback, counts };
}

test('polling fallback runs once, after its delay, until it is stopped', async () => {
  const { fallback, counts } = createCounted(5);
  fallback.start();
  fallback.start();
  expect(fallback.isRunning).toBe(false);
  await sleep(20);
  fallback.start();
  expect([fallback.isRunning, counts.started, counts.ended]).toEqual([true, 1, 0]);
  await fallback.stop();
  expect([fallback.isRunning, counts.started, counts.ended]).toEqual([false, 1, 1]);
});

test('polling fallback does not run when it is stopped during its delay', async () => {
  const { fallback, counts } = createCounted(10);
  fallback.start();
  await fallback.stop();
  await sleep(20);
  expect(counts.started).toBe(0);
});

test('polling fallback can be restarted, and stopped without a start', async () => {
  const { fallback, counts } = createCounted(0);
  await fallback.stop();
  for (let i = 0; i < 3; i++) {
    fallback.start();
    await sleep(5);
    await fallback.stop();
  }
  expect(counts).toEqual({ started: 3, ended: 3, failures: [] });
});

test('polling fallback passes a rejection to onFailure and can still be stopped', async () => {
  const failures: unknown[] = [];
  const fallback = createPollingFallback(
    0,
    () => Promise.reject(new Error('no')),
    (error) => failures.push(error),
  );
  fallback.start();
  await sleep(5);
  await fallback.stop();
  expect(failures).toEqual([new Error('no')]);
});
