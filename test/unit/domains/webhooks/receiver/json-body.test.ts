import { expect, test } from '@jest/globals';
import { decodeNotification, InvalidNotificationError } from '../../../../../src/domains/webhooks/receiver/notification.ts';
import { parseJsonBody } from '../../../../../src/domains/webhooks/receiver/receive.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('parseJsonBody accepts 16 levels and rejects 17 before it builds an object', () => {
  expect(() => parse(nested(16))).not.toThrow();
  expect(() => parse(nested(17))).toThrow(new InvalidNotificationError('the body is nested deeper than 16 levels'));
  expect(() => parse('{"a":'.repeat(300_000))).toThrow('nested deeper');
});

test('parseJsonBody does not count brackets in strings, also after escaped quotes and backslashes', () => {
  const texts = ['['.repeat(50), '\\"'.repeat(3) + '{'.repeat(50), '\\', '"', '\u00e9{'.repeat(20)];
  expect(parse(JSON.stringify(texts))).toEqual(texts);
});

test.each([
  ['a byte order mark', Buffer.from('\ufeff{}')],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['half of a character', Buffer.from('"é"').subarray(0, 2)],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['no bytes', Buffer.alloc(0)],
  ['two values', Buffer.from('{}{}')],
  ['an open string', Buffer.from('"abc')],
  ['a trailing backslash', Buffer.from('"\\')],
])('parseJsonBody rejects a body with %s', (_case, body) => {
  expect(() => parseJsonBody(body)).toThrow(new InvalidNotificationError('the body is not JSON in UTF-8'));
});

test('a body with __proto__ changes no prototype and provides no field', () => {
  const { network: _removed, ...body } = BODIES.MINED_TRANSACTION;
  const polluted = `{"__proto__":{"network":"ETH_MAINNET","polluted":1},${JSON.stringify(body).slice(1)}`;
  expect(() => decodeNotification(parse(polluted))).toThrow('`network`');
  expect(({} as any).polluted).toBeUndefined();
  const complete = `{"__proto__":{"app":"farm"},"constructor":1,${JSON.stringify(BODIES.MINED_TRANSACTION).slice(1)}`;
  expect(decodeNotification(parse(complete))).toEqual(decodeNotification(BODIES.MINED_TRANSACTION));
});
