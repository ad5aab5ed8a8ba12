import { expect, test } from '@jest/globals';
import { decodeNotification } from '../../../../../src/domains/webhooks/receiver/notification.ts';
import { sampleBody } from '../../../../../src/domains/webhooks/registrations/delivery-commands.ts';
import type { WebhookRegistration } from '../../../../../src/domains/webhooks/registrations/model.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';

const SENT_AT = new Date('2026-11-01T12:00:00.000Z');

const TYPES: readonly WebhookRegistration['type'][] = [
  'MINED_TRANSACTION',
  'DROPPED_TRANSACTION',
  'ADDRESS_ACTIVITY',
  'GAS_PRICE',
];

/** The names of all fields of a value, at every level. */
const fieldsOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .map(([name, field]) => [name, fieldsOf(field)] as const)
          .sort(),
      )
    : null;

test.each(TYPES)('the sample of %s has the fields of its notification and is decoded as one', (type) => {
  const body = sampleBody({ app: 'shop', type }, SENT_AT);
  expect(fieldsOf(body)).toEqual(fieldsOf(BODIES[type]));
  expect(decodeNotification(JSON.parse(JSON.stringify(body)))).toMatchObject({
    app: 'shop',
    timestamp: SENT_AT.toISOString(),
    content: { type },
  });
});
