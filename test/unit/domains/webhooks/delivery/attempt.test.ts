import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AttemptOptions, attemptDelivery } from '../../../../../src/domains/webhooks/delivery/attempt.ts';
import { attackHosts, attackUrls } from '../../../../support/webhooks/attack-urls.ts';
import { startReceiver } from '../../../../support/webhooks/receiver.ts';

/** Public addresses that are not assigned. */
const UNASSIGNED: LookupAddress = { address: '2d00::1', family: 6 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

const local: AttemptOptions = { allowsPrivate: true, exempt: new Set() };
const strict: AttemptOptions = { allowsPrivate: false, exempt: new Set() };
const send = (url: string, options: AttemptOptions) =>
  attemptDelivery({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'a' }, body: '{"a":1}' }, options);

/** Counts the connections to one port of loopback over IPv4 and IPv6. */
let sinkholes: Server[];
let port: number;
let connections = 0;

beforeAll(async () => {
  const listen = (host: string, at: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      server.once('error', reject).listen(at, host, () => resolve(server));
    });
  const first = await listen('127.0.0.1', 0);
  port = (first.address() as { port: number }).port;
  sinkholes = [
    first,
    ...(await Promise.all([listen('::1', port)].map((server) => server.catch(() => []))).then((list) => list.flat())),
  ];
});

afterAll(() => {
  for (const sinkhole of sinkholes) sinkhole.close();
});

test('the sinkhole counts a connection that is permitted', async () => {
  connections = 0;
  await send(`https://127.0.0.1:${port}/`, local);
  await send(`https://localhost:${port}/`, { ...local, resolve: async () => [LOOPBACK] });
  expect(connections).toBe(2);
});

test('no attack URL and no name with a private address reaches a sinkhole on its port', async () => {
  connections = 0;
  const ports = new Set([String(port)]);
  const privateAddresses = [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '0.0.0.0',
    '::',
  ];
  for (const host of attackHosts) {
    const result = await send(`https://${host}:${port}/`, { ...strict, ports, resolve: async () => [LOOPBACK] });
    expect({ host, error: result.error }).toEqual({ host, error: expect.stringMatching(/is not permitted|is not public/) });
  }
  for (const url of attackUrls) await send(url, { ...strict, ports, resolve: async () => [LOOPBACK] });
  for (const address of privateAddresses) {
    const family = address.includes(':') ? 6 : 4;
    const results = [
      await send(`https://hooks.example.com:${port}/`, { ...strict, ports, resolve: async () => [{ address, family }] }),
      await send(`https://hooks.example.com:${port}/`, {
        ...strict,
        ports,
        resolve: async () => [UNASSIGNED, { address, family }],
      }),
    ];
    expect(results.map(({ error }) => error)).toEqual(Array(2).fill('The address of the receiver is not public.'));
  }
  expect(connections).toBe(0);
});

test('a name that resolves first to a public, then to a private address is resolved once and never reaches the latter', async () => {
  connections = 0;
  const ports = new Set([String(port)]);
  let resolutions = 0;
  const resolve = async () => [resolutions++ === 0 ? UNASSIGNED : LOOPBACK];
  const options = { ...strict, ports, resolve, timeoutMs: 300 };
  const first = await send(`https://rebind.example.com:${port}/`, options);
  expect(resolutions).toBe(1);
  expect(first.statusCode).toBeUndefined();
  const second = await send(`https://rebind.example.com:${port}/`, options);
  expect(resolutions).toBe(2);
  expect(second.error).toBe('The address of the receiver is not public.');
  expect(connections).toBe(0);
});

test.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', async (status) => {
  const target = await startReceiver();
  const receiver = await startReceiver((response) => response.writeHead(status, { location: target.url }).end());
  const result = await send(receiver.url, local);
  expect(result).toMatchObject({
    statusCode: status,
    error: `The receiver responded with status ${status}. Redirects are not followed.`,
  });
  expect(target.connections()).toBe(0);
});

test.each([
  [299, undefined],
  [300, 'The receiver responded with status 300. Redirects are not followed.'],
])('a response with status %i has the error %p', async (status, error) => {
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  expect(await send(receiver.url, local)).toStrictEqual({
    ...{ statusCode: status, durationMs: expect.any(Number) },
    ...(error !== undefined && { error }),
  });
});

test('a name of this machine is resolved if its private address is permitted', async () => {
  const receiver = await startReceiver();
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  expect(await send(url, local)).toMatchObject({ statusCode: 200 });
  expect(await send(url, { ...strict, exempt: new Set([url]) })).toMatchObject({ statusCode: 200 });
  expect(receiver.received).toHaveLength(2);
});

test('an attempt at the exempt URL reaches loopback, and an attempt at another URL of its host does not', async () => {
  const receiver = await startReceiver();
  const options = { ...strict, exempt: new Set([receiver.url]) };
  expect(await send(receiver.url, options)).toMatchObject({ statusCode: 200 });
  expect(await send(`${receiver.url}other`, options)).toMatchObject({ error: 'The URL of the receiver is not permitted.' });
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ body: '{"a":1}', headers: { 'webhook-id': 'a', 'content-length': '7' } });
});

test('a result contains the status, the delay and nothing else that the receiver sent', async () => {
  const receiver = await startReceiver((response) =>
    response.writeHead(503, 'secret reason', { 'retry-after': '7', 'x-secret': 'header' }).end('secret body'),
  );
  const { durationMs, ...result } = await send(receiver.url, local);
  expect(result).toEqual({ statusCode: 503, retryAfterMs: 7_000, error: 'The receiver responded with status 503.' });
  expect(Number.isInteger(durationMs)).toBe(true);
});

/** Sends the head of a response and then one part again and again until the connection ends. Returns its URL, and the bytes that it has sent. */
async function startEndlessReceiver(head: string, part: string) {
  let sent = 0;
  const server = createServer((socket) => {
    // A megabyte at once, so that few writes fill the connection.
    const parts = Buffer.from(part.repeat(Math.ceil(2 ** 20 / part.length)));
    const write = (): void => {
      sent += parts.length;
      if (!socket.destroyed && sent < ENDLESS_BYTES) socket.write(parts, write);
    };
    socket.on('error', () => {});
    socket.once('data', () => socket.write(head, write));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: at } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${at}/`, sent: () => sent, close: () => server.close() };
}

/** More than a connection buffers, and little enough to be read within the time limit. */
const ENDLESS_BYTES = 256 * 1024 * 1024;

test.each([
  ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', undefined],
  ['chunk extensions', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', `1;${'a'.repeat(8_000)}\r\nx\r\n`, 200],
  ['trailing bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n', 'a', 200],
])('an attempt at a receiver that sends %s without an end ends at the limit of bytes', async (_kind, head, part, statusCode) => {
  const receiver = await startEndlessReceiver(head, part);
  const result = await send(receiver.url, local);
  expect(result.statusCode).toBe(statusCode);
  if (statusCode === undefined) expect(result.error).toBe('The receiver sent an invalid HTTP response.');
  // What the sockets buffer is sent as well.
  expect(receiver.sent()).toBeLessThan(16 * 1024 * 1024);
  receiver.close();
});

test('a response that is complete in its first bytes is accepted, whatever its size is', async () => {
  const receiver = await startReceiver((response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.end('a'.repeat(1_000_000));
  });
  expect(await send(receiver.url, local)).toMatchObject({ statusCode: 200 });
});

test('an attempt at a receiver that does not respond, or not completely, ends at the time limit', async () => {
  const silent = await startReceiver(() => {});
  expect(await send(silent.url, { ...local, timeoutMs: 100 })).toMatchObject({ error: 'No response within 0.1 seconds.' });
  const unfinished = await startReceiver((response) => void response.writeHead(200).write('a'));
  const result = await send(unfinished.url, { ...local, timeoutMs: 100 });
  expect(result).toMatchObject({ statusCode: 200 });
  expect(result.durationMs).toBeLessThan(5_000);
  const unresolved = await send('https://hooks.example.com/', {
    ...strict,
    timeoutMs: 100,
    resolve: () => new Promise(() => {}),
  });
  expect(unresolved).toMatchObject({ error: 'No response within 0.1 seconds.' });
});

test('errors of connections are stated without addresses', async () => {
  const receiver = await startReceiver();
  await receiver.close();
  expect(await send(receiver.url, local)).toMatchObject({ error: 'The receiver could not be reached: connection refused.' });
  const failing = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND secret.example.com'), { code: 'ENOTFOUND' });
  };
  expect(await send('https://secret.example.com/', { ...strict, resolve: failing })).toMatchObject({
    error: 'The receiver could not be reached: host name not found (DNS).',
  });
  const closing = await startReceiver((response) => response.destroy());
  expect(await send(closing.url, local)).toMatchObject({
    error: 'The receiver closed the connection before the response was complete.',
  });
  const plain = await startReceiver();
  expect((await send(plain.url.replace('http:', 'https:'), local)).error).toBe('The receiver could not be reached: TLS failure.');
});

test('an attempt rejects with the reason when it is aborted', async () => {
  const receiver = await startReceiver(() => aborter.abort(new Error('stopping')));
  const aborter = new AbortController();
  await expect(send(receiver.url, { ...local, signal: aborter.signal })).rejects.toThrow('stopping');
});
