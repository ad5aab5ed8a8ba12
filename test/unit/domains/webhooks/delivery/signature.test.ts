import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { deliveryHeaders } from '../../../../../src/domains/webhooks/delivery/delivery-task.ts';
import { signatureOf } from '../../../../../src/domains/webhooks/receiver/auth-tokens.ts';
import { runSize } from '../../../../support/random-tests.ts';

const createToken = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Whether the verifiers that are published for Standard Webhooks accept a request; they must agree. */
function isAccepted(token: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  const results = [new StandardWebhook(token), new SvixWebhook(token)].map((verifier) => {
    try {
      verifier.verify(body, { ...headers });
      return true;
    } catch {
      return false;
    }
  });
  expect(new Set(results).size).toBe(1);
  return results[0]!;
}

const signed = (current: string, previous: string | null, body: string, ageMs = 0) =>
  deliveryHeaders({ id: randomUUID(), body }, { current, previous }, new Date(Date.now() - ageMs));

test('published verifiers of Standard Webhooks accept every delivery and reject a foreign token, a changed body, id and time', () => {
  for (let i = 0; i < runSize(100, 10_000); i++) {
    const token = createToken();
    const body = JSON.stringify({ value: randomBytes(i % 500).toString('latin1'), text: 'žluťoučký 🐎' });
    const headers = signed(token, null, body);
    expect(isAccepted(token, body, headers)).toBe(true);
    expect(isAccepted(createToken(), body, headers)).toBe(false);
    expect(isAccepted(token, `${body} `, headers)).toBe(false);
    expect(isAccepted(token, body, { ...headers, 'webhook-id': randomUUID() })).toBe(false);
    expect(isAccepted(token, body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toBe(
      false,
    );
  }
});

test('published verifiers reject a delivery that is more than five minutes old or early', () => {
  const token = createToken();
  expect(isAccepted(token, '{}', signed(token, null, '{}', 290_000))).toBe(true);
  expect(isAccepted(token, '{}', signed(token, null, '{}', 302_000))).toBe(false);
  expect(isAccepted(token, '{}', signed(token, null, '{}', -302_000))).toBe(false);
});

test('a delivery during the rotation of a token is accepted with the new and with the previous one', () => {
  const [current, previous] = [createToken(), createToken()];
  const headers = signed(current, previous, '{"a":1}');
  expect(isAccepted(current, '{"a":1}', headers)).toBe(true);
  expect(isAccepted(previous, '{"a":1}', headers)).toBe(true);
  expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
  expect(headers['x-svc-signature']).toBe(signatureOf(current, '{"a":1}'));
  expect(headers['x-svc-signature-previous']).toBe(signatureOf(previous, '{"a":1}'));
});

test('a delivery without a rotation has no signature of a previous token', () => {
  const headers = signed(createToken(), null, '{}');
  expect(headers).not.toHaveProperty('x-svc-signature-previous');
  expect(headers['content-type']).toBe('application/json');
});
