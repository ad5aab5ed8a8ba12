import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Statements } from '../../../../../src/database/statements.ts';
import { createAttemptRecorder, type FinishedAttempt } from '../../../../../src/domains/webhooks/delivery/attempt-recorder.ts';
import { log } from '../../../../support/silent-log.ts';

test('attempts of several batches are stored in one transaction at a time', async () => {
  const running = { count: 0, max: 0, transactions: 0 };
  const transaction = async () => {
    running.transactions += 1;
    running.max = Math.max(running.max, ++running.count);
    await delay(20);
    running.count -= 1;
  };
  const counts = { DELIVERED: 0, RETRYING: 0, DEAD: 0 };
  const options = { signal: new AbortController().signal, log };
  const record = createAttemptRecorder({ transaction } as unknown as Statements, counts, options);
  const attempt = { outcome: { status: 'DELIVERED' } } as FinishedAttempt;
  await Promise.all(Array.from({ length: 450 }, () => record(attempt)));
  expect({ ...running, ...counts }).toMatchObject({ max: 1, transactions: 3, DELIVERED: 450 });
});
