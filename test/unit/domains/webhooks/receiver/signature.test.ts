import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { isSignedBy, signatureOf } from '../../../../../src/domains/webhooks/receiver/auth-tokens.ts';
import { createRandomChoices } from '../../../../support/random-choices.ts';
import { readSeed } from '../../../../support/random-tests.ts';

const SEED = readSeed();
const TOKEN = 'token-of-a-test';
const BODY = Buffer.from('{"app":"shop"}');
const SIGNATURE = createHmac('sha256', TOKEN).update(BODY).digest('hex');

test(`signatureOf equals the HMAC-SHA256 of node:crypto, and one changed byte invalidates it (SEED=${SEED})`, () => {
  const draw = createRandomChoices(SEED);
  for (let round = 0; round < 200; round++) {
    const token = draw.hex(1 + draw.below(100));
    const body = draw.bytes(1 + draw.below(500));
    const signature = signatureOf(token, body);
    expect(signature).toBe(createHmac('sha256', token).update(body).digest('hex'));
    expect(isSignedBy(token, body, signature)).toBe(true);
    const changed = Buffer.from(body);
    changed[draw.below(changed.length)]! ^= 1 + draw.below(255);
    expect(isSignedBy(token, changed, signature)).toBe(false);
    expect(isSignedBy(`${token}0`, body, signature)).toBe(false);
  }
});

test('isSignedBy accepts hex digits in upper case', () => {
  expect(isSignedBy(TOKEN, BODY, SIGNATURE.toUpperCase())).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['a digit too few', SIGNATURE.slice(1)],
  ['a byte too many', `${SIGNATURE}00`],
  ['a prefix', `sha256=${SIGNATURE}`],
  ['white space', ` ${SIGNATURE}`],
  ['a line break', `${SIGNATURE}\n`],
  ['letters that are not hex digits', 'g'.repeat(64)],
  ['two bytes per character', 'é'.repeat(64)],
  ['zeros', '0'.repeat(64)],
])('isSignedBy rejects a signature with %s', (_case, header) => {
  expect(isSignedBy(TOKEN, BODY, header)).toBe(false);
});

test('isSignedBy rejects each signature that differs in one digit, wherever it is', () => {
  for (let at = 0; at < SIGNATURE.length; at++) {
    const digit = (Number.parseInt(SIGNATURE[at]!, 16) ^ 1).toString(16);
    expect(isSignedBy(TOKEN, BODY, SIGNATURE.slice(0, at) + digit + SIGNATURE.slice(at + 1))).toBe(false);
  }
});
