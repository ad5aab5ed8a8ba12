import { expect, test } from '@jest/globals';
import { eventId } from '../../../../../src/domains/webhooks/event-id.ts';
import { decodeNotification, InvalidNotificationError } from '../../../../../src/domains/webhooks/receiver/notification.ts';
import { parseJsonBody } from '../../../../../src/domains/webhooks/receiver/receive.ts';
import { createRandomChoices } from '../../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../../support/random-tests.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { createMutatedBody } from '../../../../support/webhooks/mutations.ts';

const SEED = readSeed();
const ROUNDS = runSize(5_000, 50_000);

/** Decodes raw bytes; false if they are no notification. Rethrows every other error. */
function isNotification(body: Buffer): boolean {
  try {
    const notification = decodeNotification(parseJsonBody(body));
    expect(eventId({ ...notification, app: notification.app ?? '' })).toMatch(/^[0-9a-f]{32}$/);
    return true;
  } catch (error) {
    if (error instanceof InvalidNotificationError) return false;
    throw error;
  }
}

test(`${ROUNDS} bodies with random values throw nothing but InvalidNotificationError (SEED=${SEED})`, () => {
  const draw = createRandomChoices(SEED);
  let decoded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (isNotification(Buffer.from(JSON.stringify(createMutatedBody(draw))))) decoded += 1;
  }
  // Both results are frequent, so the test reaches the code behind each check.
  expect(decoded).toBeGreaterThan(ROUNDS / 20);
  expect(decoded).toBeLessThan((ROUNDS * 19) / 20);
});

test(`${ROUNDS} bodies with random bytes throw nothing but InvalidNotificationError (SEED=${SEED})`, () => {
  const draw = createRandomChoices(SEED);
  const bodies = Object.values(BODIES).map((body) => Buffer.from(JSON.stringify(body)));
  for (let round = 0; round < ROUNDS; round++) {
    const body = Buffer.from(draw.pick(bodies));
    for (let count = draw.below(3) + 1; count > 0; count--) body[draw.below(body.length)] = draw.below(256);
    isNotification(draw.chance(0.2) ? body.subarray(0, draw.below(body.length)) : body);
  }
});
