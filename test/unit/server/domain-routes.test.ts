import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp } from '../../../src/server/app.ts';
import { registerDomainRoutes } from '../../../src/server/domain-routes.ts';
import { OriginPolicy } from '../../../src/server/requests/origins.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const log = pino({ level: 'silent' });
let app: FastifyInstance;

beforeAll(async () => {
  app = createApp({ origins: new OriginPolicy([], log), acceptsHost: undefined, hasEndedOperations: () => false, log });
  await registerDomainRoutes(app, [
    {
      method: 'POST',
      path: '/hooks',
      maxBodyBytes: MAX_BODY_BYTES,
      handle: async ({ length }) => ({ status: 200, body: length }),
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
