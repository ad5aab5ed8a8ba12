import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { createLogger, createMasker } from '../../../src/lib/logger.ts';

const KEY = 'k3y/with+signs~and=more';
const PLAIN = '0123456789abcdefABCDEF';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const mask = createMasker([KEY, PLAIN]);
test.each<[string, string]>([
  ['without encoding', `the key ${KEY} is out`],
  ['at every occurrence', `${KEY} and ${KEY} and ${PLAIN}`],
  ['URL-encoded', `https://node.example/?key=${encodeURIComponent(KEY)}`],
  ['URL-encoded as a whole URL', encodeURI(`https://node.example/${KEY}`)],
  ['in JSON', JSON.stringify({ url: `https://node.example/${KEY}` })],
  ['in base64', base64(KEY)],
  ['in base64 after a byte', base64(`x${KEY}`)],
  ['in base64 after two bytes', base64(`xx${KEY}`)],
  ['in base64 after three bytes', base64(`xxx${KEY}`)],
  ['in base64 with other text around it', base64(`user:${PLAIN}@node.example`)],
  ['in base64url', Buffer.from(`x${KEY}???`).toString('base64url')],
  ['in a Basic header', `authorization: Basic ${base64(`alice:${KEY}`)}`],
])('mask replaces a secret %s', (_case, text) => {
  const masked = mask(text);
  expect(masked).toContain('[secret]');
  expect(fragmentsOf(KEY).filter((fragment) => masked.includes(fragment))).toEqual([]);
  expect(fragmentsOf(PLAIN).filter((fragment) => masked.includes(fragment))).toEqual([]);
});

/** The encodings of every 6 consecutive bytes of a secret. */
function fragmentsOf(secret: string): string[] {
  const fragments = [];
  for (let at = 0; at + 6 <= secret.length; at += 1) {
    const fragment = secret.slice(at, at + 6);
    fragments.push(
      fragment,
      encodeURIComponent(fragment),
      base64(fragment).replaceAll('+', '-').replaceAll('/', '_'),
      base64(fragment),
    );
  }
  return fragments;
}

test.each([
  ['with characters that base64url encodes differently', '???>>>???>>>~~~'],
  ['with quotes and backslashes', 'a"quoted"\\key\\'],
  ['in non-ASCII letters', 'пароль-пароль'],
])('a secret %s is masked in all encodings', (_case, secret) => {
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURI(secret),
    ...['', 'x', 'xx'].flatMap((before) => [base64(before + secret), Buffer.from(before + secret).toString('base64url')]),
  ];
  expect(spellings.map(createMasker([secret])).filter((masked) => !masked.includes('[secret]'))).toEqual([]);
});

test('a secret inside a longer secret does not prevent masking of the longer one', () => {
  expect(createMasker(['abcdefgh', 'https://node.example/abcdefgh'])('at https://node.example/abcdefgh now')).toBe(
    'at [secret] now',
  );
});

test('a text is unchanged without a secret in it and with no secrets configured', () => {
  const text = '{"level":30,"msg":"ready on http://127.0.0.1:4000"}';
  expect([createMasker([KEY])(text), createMasker([])(text)]).toEqual([text, text]);
});

/** Returns the lines that a log with these secrets writes. */
function logOutput(
  secrets: readonly string[],
  use: (log: Logger) => void,
  level = 'trace',
  isTTY = false,
  format?: 'text' | undefined,
): string {
  const out = Object.assign(new PassThrough(), { isTTY });
  use(createLogger(level, secrets, out, format));
  return String(out.read() ?? '');
}

const url = `https://alice:opensesame@node.example/v2/${PLAIN}`;
const secrets = [url, 'opensesame', PLAIN, KEY];
test.each<[string, (log: Logger) => void]>([
  ['in the message', (log) => log.info(`requesting ${url}`)],
  ['in a message with arguments', (log) => log.info('requesting %s with %o', url, { key: KEY })],
  ['in a field', (log) => log.info({ url }, 'requesting')],
  ['in a nested object', (log) => log.warn({ request: { headers: { 'x-key': [KEY] }, path: `/v2/${PLAIN}` } })],
  ['in a field name', (log) => log.info({ [PLAIN]: 1 })],
  ["in an error's message and stack", (log) => log.error({ err: new Error(`connect to ${url} failed`) })],
  ["in an error's cause", (log) => log.error({ err: new Error('no answer', { cause: new Error(`at ${url}`) }) })],
  ["in an error's own fields", (log) => log.error(Object.assign(new Error('refused'), { path: `/v2/${PLAIN}` }))],
  ['in a Basic header', (log) => log.debug({ authorization: `Basic ${base64('alice:opensesame')}` })],
  ['in the bindings of a child', (log) => log.child({ url }).info('requesting')],
])('the log masks a secret %s', (_case, use) => {
  const text = logOutput(secrets, use);
  expect(text).toContain('[secret]');
  expect(
    [...fragmentsOf(PLAIN), ...fragmentsOf('opensesame'), ...fragmentsOf(KEY)].filter((fragment) => text.includes(fragment)),
  ).toEqual([]);
  expect(() => JSON.parse(text)).not.toThrow();
});

test('a log line is JSON with level, time and message, without host name and process id', () => {
  expect(JSON.parse(logOutput([], (log) => log.info({ port: 4000 }, 'ready')))).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    port: 4000,
    msg: 'ready',
  });
});

test('a log line is coloured text on a terminal, without control characters and with the stack of an error', () => {
  const use = (log: Logger) => log.warn({ port: 4000, node: '\u009b\u001b[2J', err: new Error('refused') }, 'ready');
  const plain = /^\d\d:\d\d:\d\d warn {2}ready port=4000 node="\\u001b\[2J" Error: refused\n {4}at .*\n$/s;
  expect(logOutput([], use, 'info', false, 'text')).toMatch(plain);
  expect(logOutput([], use, 'info', true)).toContain(' warn \u001b[39m ready port=4000');
});

test.each(['text', undefined] as const)('the log masks no part of the syntax of a line, in the format %s', (format) => {
  const text = logOutput(['nrefused', '"level":30'], (log) => log.info('it was\nrefused'), 'info', false, format);
  expect(text).toMatch(format ? /^\d\d:\d\d:\d\d info {2}it was\nrefused\n$/ : /^\{"level":30,.*"msg":"it was\\nrefused"\}\n$/);
});

test('the log omits lines below its level', () => {
  expect(logOutput([], (log) => log.info('ready'), 'warn')).toBe('');
  expect(logOutput([], (log) => log.fatal('over'), 'silent')).toBe('');
});
