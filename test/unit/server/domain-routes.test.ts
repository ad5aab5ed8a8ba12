import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { createApp } from '../../../src/server/app.ts';
import { registerDomainRoutes } from '../../../src/server/domain-routes.ts';
import { sendNotFound } from '../../../src/server/web-pages.ts';
import { log } from '../../support/silent-log.ts';
import { waitUntil } from '../../support/wait-until.ts';

const MAX_BODY_BYTES = 1024 * 1024;
let app: FastifyInstance;
/** Called when a request has arrived at `/slow`. */
let onArrival: (isConnected: () => boolean) => void;

beforeAll(async () => {
  app = createApp({ log, sendNotFound });
  await registerDomainRoutes(app, [
    {
      method: 'POST',
      path: '/hooks',
      maxBodyBytes: MAX_BODY_BYTES,
      handle: async ({ length }) => ({ status: 200, body: length }),
    },
    {
      ...{ method: 'POST', path: '/broken', maxBodyBytes: MAX_BODY_BYTES },
      async handle() {
        throw new TypeError('a mistake of this server');
      },
    },
    {
      method: 'POST',
      path: '/slow',
      maxBodyBytes: MAX_BODY_BYTES,
      async handle(_body, _headers, isConnected) {
        onArrival(isConnected);
        return { status: 503, code: 'OVERLOADED', message: 'Later.', retryAfterMs: 6_001 };
      },
    },
  ]);
});
afterAll(() => app.close());

const post = (bytes: number) => app.inject({ method: 'POST', url: '/hooks', payload: Buffer.alloc(bytes) });

test('a route of a domain accepts a body of its maximum size, and its 413 states that size', async () => {
  expect((await post(MAX_BODY_BYTES)).json()).toBe(MAX_BODY_BYTES);
  const response = await post(MAX_BODY_BYTES + 1);
  expect(response.statusCode).toBe(413);
  expect(response.json().errors[0].message).toBe('The body is larger than 1048576 bytes.');
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'] as const)(
  'a route of a domain responds to %s with 405 and the method that it accepts',
  async (method) => {
    const response = await app.inject({ method, url: '/hooks' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST']);
    if (method !== 'HEAD') expect(response.json().errors[0].message).toBe('The method is not allowed. Use POST.');
  },
);

test('a route of a domain reports when its client has disconnected, and the time of a retry', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const arrived = new Promise<() => boolean>((resolve) => {
    onArrival = resolve;
  });
  const socket = connect(port, '127.0.0.1', () => socket.write('POST /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'));
  const isConnected = await arrived;
  expect(isConnected()).toBe(true);
  const [response] = (await once(socket, 'data')) as [Buffer];
  expect(String(response)).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 7\r\n/s);
  socket.end();
  await waitUntil(async () => !isConnected(), 'the server has noticed that the client is disconnected');
});

test.each([{}, { 'content-encoding': 'identity' }])(
  'a mistake of the server is 500, for a request with the headers %j, too',
  async (headers) => {
    const response = await app.inject({ method: 'POST', url: '/broken', payload: '{}', headers });
    expect([response.statusCode, response.json().errors[0].extensions.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  },
);
