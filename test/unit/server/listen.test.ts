import { afterEach, expect, test } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { listen, listenOn } from '../../../src/server/listen.ts';
import { rawRequest } from '../../support/clients/raw-request.ts';

let app: FastifyInstance;

afterEach(() => app.close());

const startApp = (): FastifyInstance => {
  app = fastify();
  app.get('/', async (request) => request.socket.localAddress);
  return app;
};

test('server serves the same routes on every address and accepts no connection after close', async () => {
  const listener = await listenOn(startApp(), ['127.0.0.1', '127.0.0.2'], 0);
  const urls = [listener.url, listener.url.replace('127.0.0.1', '127.0.0.2')];
  for (const url of urls) expect(await rawRequest(url)).toMatchObject({ status: 200, body: new URL(url).hostname });
  listener.close();
  for (const url of urls) await expect(rawRequest(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('server listens on the first address if the machine lacks another address', async () => {
  const { url } = await listenOn(startApp(), ['127.0.0.1', '192.0.2.1'], 0);
  expect((await rawRequest(url)).status).toBe(200);
});

test('server on localhost responds at the name localhost', async () => {
  const { url } = await listen(startApp(), 'localhost', 0, 'Set a free port.');
  expect((await rawRequest(`http://localhost:${new URL(url).port}`)).status).toBe(200);
});
