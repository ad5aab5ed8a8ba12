import { expect, test } from '@jest/globals';
import {
  type AuthToken,
  findSigner,
  isSignedBy,
  parseAuthToken,
} from '../../../../../src/domains/webhooks/receiver/auth-tokens.ts';
import { webhookSettings } from '../../../../../src/domains/webhooks/settings.ts';
import { sign } from '../../../../support/webhooks/sender.ts';

const TOKEN = 'token-of-a-test';
const BODY = Buffer.from('{"app":"shop"}');
const SIGNATURE = sign(TOKEN, BODY);
const signerOf = (tokens: readonly AuthToken[], token: string) => findSigner(tokens, BODY, sign(token, BODY));

test.each([
  ['shop=c2VjcmV0LXRva2Vu', 'shop', 'c2VjcmV0LXRva2Vu'],
  ['my.shop-1_b=token-of-it', 'my.shop-1_b', 'token-of-it'],
  ['shop=c2VjcmV0LXRva2VuMQ==', 'shop', 'c2VjcmV0LXRva2VuMQ=='],
  ['shop=a=b=c', 'shop', 'a=b=c'],
  ['c2VjcmV0LXRva2VuMQ==', undefined, 'c2VjcmV0LXRva2VuMQ=='],
  ['c2VjcmV0LXRva2VuMQ=', undefined, 'c2VjcmV0LXRva2VuMQ='],
  ['token-of-any', undefined, 'token-of-any'],
  ['c2VjcmV0===', undefined, 'c2VjcmV0==='],
  ['a/b+c=token', undefined, 'a/b+c=token'],
])('parseAuthToken separates the application and the token of %s', (entry, app, token) => {
  expect(parseAuthToken(entry)).toEqual({ app, token });
});

test('findSigner accepts the old and the new token during a rotation', () => {
  const tokens = ['shop=the-old-token', 'shop=the-new-token', 'farm=another-token'].map(parseAuthToken);
  for (const token of ['the-old-token', 'the-new-token']) expect(signerOf(tokens, token)).toMatchObject({ app: 'shop' });
  expect(signerOf(tokens.slice(1), 'the-old-token')).toBeUndefined();
});

test('findSigner prefers a token of an application to an equal token of any application, in either order', () => {
  const tokens = ['same-token', 'shop=same-token'].map(parseAuthToken);
  expect(signerOf(tokens, 'same-token')).toMatchObject({ app: 'shop' });
  expect(signerOf(tokens.toReversed(), 'same-token')).toMatchObject({ app: 'shop' });
  expect(signerOf(tokens.slice(0, 1), 'same-token')).toMatchObject({ app: undefined });
});

test('findSigner finds none without tokens or without a signature', () => {
  expect(signerOf([], 'token')).toBeUndefined();
  expect(findSigner([parseAuthToken('token-of-any')], BODY, undefined)).toBeUndefined();
});

test('WEBHOOK_AUTH_TOKENS rejects a short token, and masks a token without its name but never a sign of base64 alone', () => {
  const { schema, secretPart } = webhookSettings.WEBHOOK_AUTH_TOKENS;
  expect(schema.safeParse('shop=token-1').success).toBe(false);
  expect(schema.safeParse('shop=token-12,c2VjcmV0LXRva2VuMQ==').data).toEqual(['shop=token-12', 'c2VjcmV0LXRva2VuMQ==']);
  expect(['shop=token-12', 'c2VjcmV0LXRva2VuMQ=='].map((entry) => secretPart!(entry))).toEqual([
    'token-12',
    'c2VjcmV0LXRva2VuMQ==',
  ]);
});

test('isSignedBy accepts hex digits in upper case', () => {
  expect(isSignedBy(TOKEN, BODY, SIGNATURE.toUpperCase())).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['a digit too few', SIGNATURE.slice(1)],
  ['a digit too many', `${SIGNATURE}0`],
  ['a prefix', `sha256=${SIGNATURE}`],
  ['white space', ` ${SIGNATURE}`],
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

test('one token of two applications is refused, and one of an application and of any is not', () => {
  const read = (text: string) => webhookSettings.WEBHOOK_AUTH_TOKENS.schema.safeParse(text).success;
  expect(read('farm=its-auth-token,shop=its-auth-token')).toBe(false);
  expect(read('farm=its-auth-token,farm=other-auth-token,its-auth-token')).toBe(true);
});
