import type { RequestListener } from 'node:http';
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { createTokenVerifier } from '../../../../src/server/callers/json-web-tokens.ts';
import { createIssuerKey, createKeySetServer, type IssuerKey } from './key-set-server.ts';
import { rejectionOf } from './token-rejection.ts';

/** The cached keys are used for ten minutes; an unknown key causes no request within thirty seconds of the last response. */
const [CACHE_MS, COOLDOWN_MS] = [600_000, 30_000];
const UNAVAILABLE = 'UPSTREAM_UNAVAILABLE';

let first: IssuerKey;
let second: IssuerKey;

beforeAll(async () => {
  first = await createIssuerKey('RS256', 'first');
  second = await createIssuerKey('RS256', 'second');
});
afterEach(() => void jest.restoreAllMocks());

const setUp = async (keys: readonly unknown[], timeoutMs = 30_000, credentials = '//') => {
  const keySet = await createKeySetServer(keys);
  const lines: { readonly level: number; readonly endpoint: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const settings = { JWT_JWKS_URL: keySet.url.replace('//', credentials), JWT_APP_CLAIM: 'sub', RPC_TIMEOUT_MS: timeoutMs };
  return { keySet, lines, verify: createTokenVerifier(settings, log) };
};

/** Advances the clock of the key cache only: `exp` and `nbf` are compared with `new Date()`, which does not change. */
const advance = (ms: number): void => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + ms);
};

test('concurrent and later tokens share one request for the key set', async () => {
  const { keySet, verify } = await setUp([first.publicJwk, second.publicJwk]);
  await keySet.start();
  const tokens = await Promise.all([first, second, first, second].map((key) => key.sign()));
  await Promise.all(tokens.map(verify));
  for (const token of tokens) await verify(token);
  expect(keySet.requests).toBe(1);
});

test('user and password of JWT_JWKS_URL are sent as Basic authentication', async () => {
  const { keySet, lines, verify } = await setUp([first.publicJwk], 30_000, '//us%20er:pass@');
  let authorization: string | undefined;
  keySet.respond = (request, response) => {
    authorization = request.headers.authorization;
    response.end(JSON.stringify({ keys: keySet.keys }));
  };
  await keySet.start();
  await verify(await first.sign());
  expect([authorization, lines]).toEqual([`Basic ${btoa('us er:pass')}`, []]);
});

test('a rotated key is accepted once the cooldown has passed, and the removed one is rejected', async () => {
  const { keySet, verify } = await setUp([first.publicJwk]);
  await keySet.start();
  const [before, after] = [await first.sign(), await second.sign()];
  await verify(before);
  keySet.keys = [second.publicJwk];
  for (let i = 0; i < 20; i++) await rejectionOf(verify, after);
  expect(keySet.requests).toBe(1);
  advance(COOLDOWN_MS);
  expect(await verify(after)).toMatchObject({ app: 'wallet' });
  expect(await rejectionOf(verify, before)).toMatch(/^The issuer has no such key\./);
  expect(keySet.requests).toBe(2);
});

test('a token without a key id is rejected if several keys of the set match its algorithm', async () => {
  const withoutId = ({ publicJwk: { kid: _kid, ...jwk } }: IssuerKey) => jwk;
  const { keySet, verify } = await setUp([withoutId(first), withoutId(second)]);
  await keySet.start();
  expect(await rejectionOf(verify, await first.sign({}, { kid: undefined }))).toMatch(/^Several keys of the issuer match\./);
});

test('tokens are verified again when an unreachable key set is back, and by cached keys while it is down; each outage has two log lines', async () => {
  const { keySet, lines, verify } = await setUp([first.publicJwk]);
  const token = await first.sign();
  for (let i = 0; i < 2; i++) await rejectionOf(verify, token, UNAVAILABLE);
  expect(await rejectionOf(verify, token, UNAVAILABLE)).toMatch(/^The keys that verify tokens could not be read\./);
  await keySet.start();
  expect(await verify(token)).toMatchObject({ app: 'wallet' });
  await keySet.stop();
  expect(await verify(token)).toMatchObject({ app: 'wallet' });
  advance(CACHE_MS);
  await rejectionOf(verify, token, UNAVAILABLE);
  await keySet.start();
  expect(await verify(token)).toMatchObject({ app: 'wallet' });
  // One line at each end of both outages, with the host of the key set.
  const { origin } = new URL(keySet.url);
  expect(lines).toMatchObject([40, 30, 40, 30].map((level) => ({ level, endpoint: origin })));
});

const respondWith =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

test.each<[name: string, respond: RequestListener]>([
  ['responds with 500', respondWith(500, 'failure')],
  ['redirects', respondWith(302, '', { location: '/other' })],
  ['responds with a page', respondWith(200, '<html></html>')],
  ['responds with other JSON', respondWith(200, '{"keys":{}}')],
  ['responds with nothing', respondWith(200, '')],
  ['resets connections', (request) => void request.socket.resetAndDestroy()],
  ['closes inside of a response', (_request, response) => void response.write('{"keys":[', () => response.destroy())],
  ['does not respond in time', () => {}],
])('a key set whose server %s fails with UPSTREAM_UNAVAILABLE, until it responds', async (_name, respond) => {
  const { keySet, verify } = await setUp([first.publicJwk], 2_000);
  await keySet.start();
  keySet.respond = respond;
  const token = await first.sign();
  await rejectionOf(verify, token, UNAVAILABLE);
  keySet.respond = undefined;
  expect(await verify(token)).toMatchObject({ app: 'wallet' });
});

test('tokens with an unknown key do not log the start and the end of one outage again and again', async () => {
  const { keySet, lines, verify } = await setUp([first.publicJwk]);
  await keySet.start();
  const [known, unknown] = [await first.sign(), await second.sign()];
  await verify(known);
  await keySet.stop();
  advance(COOLDOWN_MS);
  for (let i = 0; i < 3; i++) {
    await expect(verify(unknown)).rejects.toMatchObject({ code: UNAVAILABLE });
    await verify(known);
  }
  expect(lines).toHaveLength(1);
});
