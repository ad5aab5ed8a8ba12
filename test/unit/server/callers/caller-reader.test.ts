import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { parseApiKeys } from '../../../../src/server/callers/api-keys.ts';
import { type CallerRequest, createCallerReader } from '../../../../src/server/callers/caller-reader.ts';

const KEY = 'shop-key-of-this-test';
const OTHER = 'farm-key-of-this-test';
const TOKEN = 'aaaa.bbbb.cccc';

const apiKeys = parseApiKeys([`shop=${KEY}`, `farm=${OTHER}`]);
const HOST = { host: 'localhost:4000' };
const fromLoopback = (headers: CallerRequest['headers'] = {}): CallerRequest => ({
  headers: { ...HOST, ...headers },
  remoteAddress: '127.0.0.1',
});

describe('without credentials in the settings', () => {
  const LOCAL = { app: undefined };
  const readLocal = (request: CallerRequest, host = '127.0.0.1') => createCallerReader({ host })(request);

  test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST', 'grimoire.localhost'])(
    'a client on this machine is a caller of a server on %s',
    async (host) => {
      expect(await readLocal(fromLoopback(), host)).toEqual(LOCAL);
    },
  );

  test.each(['0.0.0.0', '::', '', '192.0.2.1', '2001:db8::1', 'my-machine', 'localhost.example', '127.0.0.1.example'])(
    'no client is a caller of a server on %j',
    async (host) => {
      expect(await readLocal(fromLoopback(), host)).toBeUndefined();
    },
  );

  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('a client from %s is a caller', async (remoteAddress) => {
    expect(await readLocal({ headers: HOST, remoteAddress })).toEqual(LOCAL);
  });

  test.each([undefined, '', '192.0.2.1', '::ffff:192.0.2.1', '::', '128.0.0.1', 'fe80::1', '::ffff:128.0.0.1', '::1:1'])(
    'a client from %j is no caller',
    async (remoteAddress) => {
      expect(await readLocal({ headers: HOST, remoteAddress })).toBeUndefined();
    },
  );

  test.each(['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000', 'app.localhost:1', 'LocalHost:80'])(
    'a client that names the host %s is a caller',
    async (host) => {
      expect(await readLocal(fromLoopback({ host }))).toEqual(LOCAL);
    },
  );

  test.each(['graph.example', 'localhost.example', '127.0.0.1.nip.io:4000', '192.0.2.1', 'my-machine:4000', ''])(
    'a client that names the host %j is no caller',
    async (host) => {
      expect(await readLocal(fromLoopback({ host }))).toBeUndefined();
    },
  );

  const FORWARDING_HEADERS = `forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-forwarded-prefix x-forwarded
    x-original-host x-real-ip x-client-ip client-ip true-client-ip fastly-client-ip x-cluster-client-ip x-azure-clientip cf-connecting-ip`;
  test.each(FORWARDING_HEADERS.split(/\s+/))('a request that a proxy forwards with %s has no caller', async (name) => {
    expect(await readLocal(fromLoopback({ [name]: '127.0.0.1' }))).toBeUndefined();
    expect(await readLocal(fromLoopback({ [name]: '' }))).toBeUndefined();
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1:4000', 'http://[::1]:4000'])(
    'a page of %s is a caller',
    async (origin) => {
      expect(await readLocal(fromLoopback({ origin }))).toEqual(LOCAL);
    },
  );

  test.each(['https://site.example', 'null', 'file://', 'https://localhost.example', ''])(
    'a page of %j is no caller, even if CORS_ORIGINS allows it',
    async (origin) => {
      expect(await readLocal(fromLoopback({ origin }))).toBeUndefined();
    },
  );

  test('credentials that a client sends have no effect', async () => {
    expect(await readLocal(fromLoopback({ 'x-api-key': 'any' }))).toEqual(LOCAL);
    expect(await readLocal({ ...fromLoopback({ authorization: 'Basic abc' }), remoteAddress: '192.0.2.1' })).toBeUndefined();
  });
});

describe('with API keys', () => {
  const read = (headers: Record<string, unknown>, connectionParams?: Record<string, unknown>) =>
    createCallerReader({ apiKeys, host: '127.0.0.1' })({ ...fromLoopback(headers as any), connectionParams });
  const rejection = async (...request: Parameters<typeof read>): Promise<string> => {
    const error = await read(...request).then(
      () => undefined,
      (reason: unknown) => reason as GraphError,
    );
    expect(error).toBeInstanceOf(GraphError);
    expect(error!.code).toBe('UNAUTHENTICATED');
    expect(error!.message).not.toContain(KEY);
    return error!.message;
  };

  test('a client on this machine without a key is no caller', async () => {
    expect(await read({})).toBeUndefined();
    expect(await read({}, {})).toBeUndefined();
    expect(await read({}, { authorization: null, 'x-api-key': null, other: 1 })).toBeUndefined();
  });

  test.each([
    [{ authorization: `Bearer ${KEY}` }],
    [{ authorization: `bearer   ${KEY}  ` }],
    [{ 'x-api-key': KEY }],
    [{ 'x-api-key': KEY, authorization: `BEARER ${KEY}` }],
  ])('the headers %j name the application', async (headers) => {
    expect(await read(headers)).toEqual({ app: 'shop' });
    expect(await read({}, headers)).toEqual({ app: 'shop' });
  });

  test('names of connectionParams have any case, and their credentials win over headers', async () => {
    expect(await read({ 'x-api-key': KEY }, { Authorization: `Bearer ${OTHER}` })).toEqual({ app: 'farm' });
    expect(await read({ authorization: 'Basic abc' }, { 'X-Api-Key': OTHER })).toEqual({ app: 'farm' });
    expect(await read({ 'x-api-key': KEY }, { other: OTHER })).toEqual({ app: 'shop' });
  });

  test.each<[string, Record<string, unknown>]>([
    ['another scheme', { authorization: `Basic ${KEY}` }],
    ['no scheme', { authorization: KEY }],
    ['no key', { authorization: 'Bearer ' }],
    ['an empty value', { authorization: '' }],
    ['two keys', { authorization: `Bearer ${KEY} ${KEY}` }],
    ['another scheme beside a key', { authorization: 'Basic abc', 'x-api-key': KEY }],
    ['two different keys', { authorization: `Bearer ${KEY}`, 'x-api-key': OTHER }],
    ['an empty key', { 'x-api-key': '' }],
    ['a repeated header', { 'x-api-key': `${KEY}, ${KEY}` }],
    ['an unknown key', { 'x-api-key': `${KEY}x` }],
    ['a token without a key set', { authorization: `Bearer ${TOKEN}` }],
  ])('credentials with %s are rejected', async (_case, headers) => {
    const message = await rejection(headers);
    expect(await rejection({}, headers)).toBe(message);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a number', { authorization: 7 }],
    ['a list', { authorization: [`Bearer ${KEY}`] }],
    ['a list as the key', { 'x-api-key': [KEY] }],
    ['an object', { 'x-api-key': { toString: KEY } }],
    ['a boolean', { 'x-api-key': false }],
    ['different keys under two names of a header', { 'x-api-key': KEY, 'X-Api-Key': OTHER }],
  ])('connectionParams with %s are rejected', async (_case, params) => {
    await rejection({ 'x-api-key': KEY }, params);
  });

  test('connectionParams with names of object members are ignored', async () => {
    const params = JSON.parse(`{"__proto__":{"x-api-key":"${KEY}"},"constructor":1,"toString":2}`);
    expect(await read({}, params)).toBeUndefined();
  });
});

test('a text that is no key and has the shape of a token is verified as one', async () => {
  const verified: string[] = [];
  const verifyToken = async (token: string) => {
    verified.push(token);
    return { app: 'wallet', expiresAt: 9 };
  };
  const read = createCallerReader({ apiKeys, verifyToken, host: '' });
  const as = (key: string) => read({ headers: { 'x-api-key': key }, remoteAddress: undefined });
  expect(await as(TOKEN)).toEqual({ app: 'wallet', expiresAt: 9 });
  expect(await as(KEY)).toEqual({ app: 'shop' });
  for (const other of ['a.b', 'a.b.c.d', 'a..c', `${TOKEN}!`]) await expect(as(other)).rejects.toThrow('not accepted');
  expect(verified).toEqual([TOKEN]);
});

test('a token that names an application of API_KEYS is rejected', async () => {
  const verifyToken = async (token: string) => ({ app: token.split('.')[1]! });
  const read = createCallerReader({ apiKeys, verifyToken, host: '' });
  const as = (app: string) => read({ headers: { authorization: `Bearer aaaa.${app}.cccc` }, remoteAddress: undefined });
  for (const app of ['shop', 'farm'])
    await expect(as(app)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('names an application that has an API key'),
    });
  for (const app of ['Shop', 'shops', 'constructor']) expect(await as(app)).toEqual({ app });
});

test('a reader that requires a caller rejects a request without credentials', async () => {
  const read = createCallerReader({ apiKeys, isRequired: true, host: '127.0.0.1' });
  await expect(read(fromLoopback())).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
    message: expect.stringContaining('x-api-key'),
  });
  await expect(read({ ...fromLoopback(), connectionParams: {} })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await read(fromLoopback({ 'x-api-key': KEY }))).toEqual({ app: 'shop' });
});
