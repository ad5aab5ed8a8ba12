import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { coreSettings, readSettings, secretValues } from '../../src/config.ts';
import { createLogger, createMasker } from '../../src/logger.ts';

const KEY = 'k3y/with+signs~and=more';
const PLAIN = '0123456789abcdefABCDEF';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a secret is taken out of a text', () => {
  const mask = createMasker([KEY, PLAIN]);
  test.each<[string, string]>([
    ['as it is', `the key ${KEY} is out`],
    ['every time', `${KEY} and ${KEY} and ${PLAIN}`],
    ['URL-encoded', `https://node.example/?key=${encodeURIComponent(KEY)}`],
    ['URL-encoded as a whole URL', encodeURI(`https://node.example/${KEY}`)],
    ['in JSON', JSON.stringify({ url: `https://node.example/${KEY}` })],
    ['in base64', base64(KEY)],
    ['in base64 after a byte', base64(`x${KEY}`)],
    ['in base64 after two bytes', base64(`xx${KEY}`)],
    ['in base64 after three bytes', base64(`xxx${KEY}`)],
    ['in base64 between others', base64(`user:${PLAIN}@node.example`)],
    ['in base64url', Buffer.from(`x${KEY}???`).toString('base64url')],
    ['in a Basic header', `authorization: Basic ${base64(`alice:${KEY}`)}`],
  ])('%s', (_case, text) => {
    const masked = mask(text);
    expect(masked).toContain('[secret]');
    expect(piecesOf(KEY).filter((piece) => masked.includes(piece))).toEqual([]);
    expect(piecesOf(PLAIN).filter((piece) => masked.includes(piece))).toEqual([]);
  });
});

/** Every way to see at least 6 bytes of a secret in a row, at each of the three alignments of base64. */
function piecesOf(secret: string): string[] {
  const pieces = [];
  for (let at = 0; at + 6 <= secret.length; at += 1) {
    const piece = secret.slice(at, at + 6);
    pieces.push(piece, encodeURIComponent(piece), base64(piece).replaceAll('+', '-').replaceAll('/', '_'), base64(piece));
  }
  return pieces;
}

test.each([
  ['with signs that base64url spells otherwise', '???>>>???>>>~~~'],
  ['with quotes and backslashes', 'a"quoted"\\key\\'],
  ['in letters beyond ASCII', 'пароль-пароль'],
])('a secret %s is masked in all spellings', (_case, secret) => {
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURI(secret),
    ...['', 'x', 'xx'].flatMap((before) => [base64(before + secret), Buffer.from(before + secret).toString('base64url')]),
  ];
  expect(spellings.map(createMasker([secret])).filter((masked) => !masked.includes('[secret]'))).toEqual([]);
});

test('a secret inside a longer one leaves nothing of the longer one', () => {
  expect(createMasker(['abcdefgh', 'https://node.example/abcdefgh'])('at https://node.example/abcdefgh now')).toBe(
    'at [secret] now',
  );
});

test('a text without secrets stays as it is, and so does any text when there are none', () => {
  const text = '{"level":30,"msg":"ready on http://127.0.0.1:4000"}';
  expect([createMasker([KEY])(text), createMasker([])(text)]).toEqual([text, text]);
});

/** What a log with these secrets writes. */
function written(secrets: readonly string[], use: (log: ReturnType<typeof createLogger>) => void, level = 'trace'): string {
  const out = new PassThrough();
  use(createLogger(level, secrets, out));
  return String(out.read() ?? '');
}

describe('the log writes no secret', () => {
  const url = `https://alice:opensesame@node.example/v2/${PLAIN}`;
  const secrets = [url, 'opensesame', PLAIN, KEY];
  test.each<[string, (log: ReturnType<typeof createLogger>) => void]>([
    ['in the message', (log) => log.info(`asking ${url}`)],
    ['in a message with arguments', (log) => log.info('asking %s with %o', url, { key: KEY })],
    ['in a field', (log) => log.info({ url }, 'asking')],
    ['in a nested object', (log) => log.warn({ request: { headers: { 'x-key': [KEY] }, path: `/v2/${PLAIN}` } })],
    ['in a field name', (log) => log.info({ [PLAIN]: 1 })],
    ["in an error's message and stack", (log) => log.error({ err: new Error(`connect to ${url} failed`) })],
    ["in an error's cause", (log) => log.error({ err: new Error('no answer', { cause: new Error(`at ${url}`) }) })],
    ["in an error's own fields", (log) => log.error(Object.assign(new Error('refused'), { path: `/v2/${PLAIN}` }))],
    ['in a Basic header', (log) => log.debug({ authorization: `Basic ${base64('alice:opensesame')}` })],
    ['in the bindings of a child', (log) => log.child({ url }).info('asking')],
  ])('%s', (_case, use) => {
    const text = written(secrets, use);
    expect(text).toContain('[secret]');
    expect([...piecesOf(PLAIN), ...piecesOf('opensesame'), ...piecesOf(KEY)].filter((piece) => text.includes(piece))).toEqual([]);
    expect(() => JSON.parse(text)).not.toThrow();
  });
});

test('a line is JSON with level, time and message, and nothing about the machine', () => {
  expect(JSON.parse(written([], (log) => log.info({ port: 4000 }, 'ready')))).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    port: 4000,
    msg: 'ready',
  });
});

test('a line stays JSON when the query of the endpoint holds a number', () => {
  const secrets = secretValues(
    coreSettings,
    readSettings(coreSettings, { RPC_URL: `https://node.example/v2/${PLAIN}?chain=3` }, {}),
  );
  const text = written(secrets, (log) => log.info(`asking ${PLAIN}`));
  expect(JSON.parse(text)).toMatchObject({ level: 30, msg: 'asking [secret]' });
});

test('less than the level is not written', () => {
  expect(written([], (log) => log.info('ready'), 'warn')).toBe('');
  expect(written([], (log) => log.fatal('over'), 'silent')).toBe('');
});
