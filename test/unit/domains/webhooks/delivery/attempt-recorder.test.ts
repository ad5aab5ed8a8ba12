import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Statements } from '../../../../../src/database/statements.ts';
import { createAttemptRecorder, type FinishedAttempt } from '../../../../../src/domains/webhooks/delivery/attempt-recorder.ts';
import { log } from '../../../../support/silent-log.ts';
import { createGasPriceWebhook, insertDelivery } from '../../../../support/webhooks/delivery-setup.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();

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

test('the last status code is that of the last response, also after an attempt without one', async () => {
  const { database } = fixture;
  const { id, url } = await createGasPriceWebhook(database, 'shop');
  await insertDelivery(database, 'delivery', { id, url } as never, 'PENDING');
  const record = createAttemptRecorder(
    database,
    { DELIVERED: 0, RETRYING: 0, DEAD: 0 },
    { signal: new AbortController().signal, log },
  );
  for (const [attempts, result] of [{ statusCode: 503, error: 'status 503' }, { error: 'no response' }].entries())
    await record({
      ...{ registrationId: id, url, delivery: { id: 'delivery', body: '{}', attempts, step: attempts }, attemptedAt: new Date() },
      ...{ result: { durationMs: 1, ...result }, outcome: { status: 'RETRYING', delayMs: 0, deactivates: false } },
    } as unknown as FinishedAttempt);
  const rows = await database.query('select attempts, last_status_code from webhook_deliveries');
  expect(rows).toEqual([{ attempts: 2, last_status_code: 503 }]);
});
