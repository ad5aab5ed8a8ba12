import { expect, test } from '@jest/globals';
import { eventId } from '../../../../../src/domains/webhooks/event-id.ts';
import { decodeNotification, InvalidNotificationError } from '../../../../../src/domains/webhooks/receiver/notification.ts';
import { parseJsonBody } from '../../../../../src/domains/webhooks/receiver/receive.ts';
import { createRandomChoices } from '../../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../../support/random-tests.ts';
import { BODIES } from '../../../../support/webhooks/bodies.ts';
import { createMutatedBody, withField } from '../../../../support/webhooks/mutations.ts';

const [SENDER, RECIPIENT] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];

test.each(Object.entries(BODIES))('decodeNotification decodes the documented body of %s', (type, body) => {
  const { content, ...header } = decodeNotification(body);
  expect(content.type).toBe(type);
  expect(header).toEqual({ app: 'shop', network: 'ETH_MAINNET', timestamp: body.timestamp });
});

const TRANSACTION_FIELDS = ['hash', 'nonce', 'from', 'value', 'gas', 'input'].map((field) => ['fullTransaction', field]);
const REQUIRED: readonly (readonly [keyof typeof BODIES, readonly (readonly (string | number)[])[]])[] = [
  ['MINED_TRANSACTION', [['network'], ['webhookType'], ['fullTransaction'], ...TRANSACTION_FIELDS]],
  ['DROPPED_TRANSACTION', [['network'], ['webhookType'], ['fullTransaction'], ...TRANSACTION_FIELDS]],
  ['ADDRESS_ACTIVITY', [['network'], ['webhookType'], ['activity'], ['activity', 0, 'blockNum'], ['activity', 0, 'category']]],
  ['GAS_PRICE', [['network'], ...['fast', 'fastest', 'safeLow', 'average'].map((field) => ['gasPriceMetadata', field])]],
  ['CAPACITY_EXCEEDED', [['network']]],
];
const CANARY = 'canary-value-58213';
const valueAt = (body: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce((object: any, key) => object[key], body);
/** A path as messages name it: `activity[0].hash`. */
const nameOf = (path: readonly (string | number)[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);
/** JSON has one more type than `typeof`. */
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);
const INVALID_VALUES = [undefined, null, { [CANARY]: CANARY }, [CANARY], true, -58_213.5];

test.each(REQUIRED.flatMap(([type, paths]) => paths.map((path) => [nameOf(path), type, path] as const)))(
  'decodeNotification names the field %s of %s that is missing, null or of another type, without its value',
  (_name, type, path) => {
    const valid = valueAt(BODIES[type], path);
    for (const value of INVALID_VALUES.filter((invalid) => kindOf(invalid) !== kindOf(valid))) {
      const error = errorOf(withField(BODIES[type], path, value));
      expect(error).toBeInstanceOf(InvalidNotificationError);
      expect(error.message).toContain(`\`${nameOf(path)}\``);
      expect(error.message).not.toMatch(/canary|58213/);
    }
  },
);

test.each([
  ['GAS_PRICE', 'gasPriceMetadata'],
  ['CAPACITY_EXCEEDED', 'error'],
] as const)('decodeNotification of a %s whose distinguishing field has another type names it', (type, field) => {
  for (const value of [[CANARY], true]) expect(errorOf(withField(BODIES[type], [field], value)).message).toContain(field);
});

test.each([
  ['MINED_TRANSACTION', ['timestamp'], '2026-13-01T00:00:00Z'],
  ['MINED_TRANSACTION', ['timestamp'], '0000-01-01T00:00:00Z'],
  ['MINED_TRANSACTION', ['timestamp'], '9999-12-31T23:59:59-01:00'],
  ['MINED_TRANSACTION', ['timestamp'], '0001-01-01T00:00:00+01:00'],
  ['MINED_TRANSACTION', ['timestamp'], 1_700_000_000],
  ['MINED_TRANSACTION', ['app'], ''],
  ['MINED_TRANSACTION', ['app'], 'a'.repeat(129)],
  ['MINED_TRANSACTION', ['network'], 'a\0b'],
  ['CAPACITY_EXCEEDED', ['error'], '\ud800'],
  ['CAPACITY_EXCEEDED', ['error'], 'a'.repeat(10_001)],
  ['MINED_TRANSACTION', ['fullTransaction', 'blockNumber'], `0x1${'0'.repeat(16)}`],
  ['MINED_TRANSACTION', ['fullTransaction', 'to'], `0x${'11'.repeat(32)}`],
  ['MINED_TRANSACTION', ['fullTransaction', 'input'], '0x123'],
  ['DROPPED_TRANSACTION', ['hash'], `0x${'00'.repeat(32)}`],
  ['ADDRESS_ACTIVITY', ['activity', 0, 'value'], '1.5'],
  ['ADDRESS_ACTIVITY', ['activity', 0, 'rawContract', 'decimals'], 256],
] as const)('decodeNotification rejects a %s with this %j', (type, path, value) => {
  expect(errorOf(withField(BODIES[type], path, value)).message).toContain(`\`${nameOf(path)}\``);
});

test('decodeNotification accepts a null or missing time, and reads one without a zone as UTC', () => {
  const timeOf = (timestamp: unknown) => decodeNotification({ ...BODIES.MINED_TRANSACTION, timestamp }).timestamp;
  expect([null, undefined].map(timeOf)).toEqual([null, null]);
  expect(timeOf('2026-11-01 12:00:00.123456')).toBe('2026-11-01T12:00:00.123Z');
  expect(timeOf('2026-11-01T12:00:00+02:00')).toBe('2026-11-01T10:00:00.000Z');
});

test('decodeNotification removes the padding of 32-byte addresses and accepts 20-byte addresses', () => {
  const activityWith = (fromAddress: string, toAddress: string | null) => {
    const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
    const { content } = decodeNotification({ ...BODIES.ADDRESS_ACTIVITY, activity: [{ ...activity, fromAddress, toAddress }] });
    return content.type === 'ADDRESS_ACTIVITY' ? content.activity[0] : undefined;
  };
  const padded = `0x${'0'.repeat(24)}${'AB'.repeat(20)}`;
  expect(activityWith(padded, RECIPIENT)).toMatchObject({ from: `0x${'ab'.repeat(20)}`, to: RECIPIENT });
  expect(activityWith(SENDER, null)).toMatchObject({ from: SENDER, to: null });
});

test('decodeNotification returns a category that is not documented, and a transfer without a contract', () => {
  const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
  const { content } = decodeNotification({
    ...BODIES.ADDRESS_ACTIVITY,
    activity: [
      { ...activity, category: 'interstellar', rawContract: null },
      { ...activity, rawContract: { decimals: 0 } },
    ],
  });
  const rawContract = { rawValue: null, address: null, decimals: null };
  expect(content).toMatchObject({
    activity: [{ category: 'interstellar', rawContract }, { rawContract: { ...rawContract, decimals: 0 } }],
  });
});

test('decodeNotification recognises a gas price by gasPriceMetadata and a capacity error by error, whatever the type is', () => {
  for (const webhookType of ['GAS_PRICE_ABOVE', 'MINED_TRANSACTION', null]) {
    expect(decodeNotification({ ...BODIES.GAS_PRICE, webhookType }).content.type).toBe('GAS_PRICE');
    const { content } = decodeNotification({ ...BODIES.CAPACITY_EXCEEDED, webhookType });
    expect(content).toMatchObject({ type: 'CAPACITY_EXCEEDED', webhookType });
  }
  expect(errorOf({ ...BODIES.MINED_TRANSACTION, webhookType: CANARY }).message).not.toContain(CANARY);
});

/** The error of decoding a body, which must fail. */
function errorOf(body: unknown): Error {
  try {
    decodeNotification(body);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the body was decoded');
}

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
  ['no bytes', Buffer.alloc(0)],
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

const SEED = readSeed();
const ROUNDS = runSize(5_000, 50_000);

/** Decodes raw bytes; false if they are no notification. Rethrows every other error. */
function isNotification(body: Buffer): boolean {
  try {
    const notification = decodeNotification(parseJsonBody(body));
    return eventId({ ...notification, app: notification.app ?? '' }).length === 32;
  } catch (error) {
    if (error instanceof InvalidNotificationError) return false;
    throw error;
  }
}

test(`${ROUNDS} bodies with random values throw nothing but InvalidNotificationError`, () => {
  const draw = createRandomChoices(SEED);
  let decoded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    if (isNotification(Buffer.from(JSON.stringify(createMutatedBody(draw))))) decoded += 1;
  }
  // Both results are frequent, so the test reaches the code behind each check.
  expect(decoded).toBeGreaterThan(ROUNDS / 20);
  expect(decoded).toBeLessThan((ROUNDS * 19) / 20);
});

test(`${ROUNDS} bodies with random bytes throw nothing but InvalidNotificationError`, () => {
  const draw = createRandomChoices(SEED);
  const bodies = Object.values(BODIES).map((body) => Buffer.from(JSON.stringify(body)));
  for (let round = 0; round < ROUNDS; round++) {
    const body = Buffer.from(draw.pick(bodies));
    for (let count = draw.below(3) + 1; count > 0; count--) body[draw.below(body.length)] = draw.below(256);
    isNotification(draw.chance(0.2) ? body.subarray(0, draw.below(body.length)) : body);
  }
});
