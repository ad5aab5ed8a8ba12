import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPollingFallback } from '../../../../src/sync/head/polling-fallback.ts';

function counted(afterMs: number) {
  const counts = { begun: 0, ended: 0, failures: [] as unknown[] };
  const own = createPollingFallback(
    afterMs,
    async (signal) => {
      counts.begun += 1;
      if (!signal.aborted) await once(signal, 'abort');
      counts.ended += 1;
    },
    (error) => counts.failures.push(error),
  );
  return { own, counts };
}

test('it runs after its time, once, until it is stopped', async () => {
  const { own, counts } = counted(5);
  own.start();
  own.start();
  expect(own.isRunning).toBe(false);
  await sleep(20);
  own.start();
  expect([own.isRunning, counts.begun, counts.ended]).toEqual([true, 1, 0]);
  await own.stop();
  expect([own.isRunning, counts.begun, counts.ended]).toEqual([false, 1, 1]);
});

test('it does not run when it is stopped before its time', async () => {
  const { own, counts } = counted(10);
  own.start();
  await own.stop();
  await sleep(20);
  expect(counts.begun).toBe(0);
});

test('it can be started and stopped again, and stopped without a start', async () => {
  const { own, counts } = counted(0);
  await own.stop();
  for (let i = 0; i < 3; i++) {
    own.start();
    await sleep(5);
    await own.stop();
  }
  expect(counts).toEqual({ begun: 3, ended: 3, failures: [] });
});

test('its failure is handed on, and does not stop it from being stopped', async () => {
  const failures: unknown[] = [];
  const own = createPollingFallback(
    0,
    () => Promise.reject(new Error('no')),
    (error) => failures.push(error),
  );
  own.start();
  await sleep(5);
  await own.stop();
  expect(failures).toEqual([new Error('no')]);
});
