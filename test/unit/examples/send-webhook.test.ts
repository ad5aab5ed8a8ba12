import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startTestServer } from '../../support/test-server.ts';

const FOLDER = new URL('../../../examples/webhooks/', import.meta.url);
const TOKEN = 'c'.repeat(64);
interface ReceivedPost {
  readonly path: string | undefined;
  readonly body: string;
  readonly isSigned: boolean;
}

let received: ReceivedPost[];

/** Starts a server with this document at /devnet.json that responds to each notification with `status`; returns its origin. */
async function startServer(devnet: object | undefined, status = 200): Promise<string> {
  received = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.writeHead(devnet ? 200 : 404).end(JSON.stringify(devnet));
    const body = await text(request);
    const signature = createHmac('sha256', TOKEN).update(body).digest('hex');
    received.push({ path: request.url, body, isSigned: request.headers['x-svc-signature'] === signature });
    return response.writeHead(status).end('{"status":"stored"}');
  });
  return (await startTestServer(server)).url;
}

const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const send = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('send.mjs', FOLDER)), ...args]);

test('the webhook example sends a body as the application of the embedded network', async () => {
  const origin = await startServer({ notificationService: { app: 'embedded', token: TOKEN } });
  const { stdout } = await send('--url', `${origin}/webhooks`);
  expect(stdout).toBe('200 {"status":"stored"}\n');
  expect(received).toEqual([{ path: '/webhooks', body: expect.any(String), isSigned: true }]);
  expect(JSON.parse(received[0]!.body)).toEqual({ ...JSON.parse(textOf('mined-transaction.json')), app: 'embedded' });
});

test('the webhook example sends the bytes of a file with a given token', async () => {
  const origin = await startServer(undefined);
  await send(fileURLToPath(new URL('gas-price.json', FOLDER)), '--url', `${origin}/webhooks`, '--token', TOKEN);
  expect(received).toEqual([{ path: '/webhooks', body: textOf('gas-price.json'), isSigned: true }]);
});

test('the webhook example sends a body as the application of a given token', async () => {
  const origin = await startServer(undefined);
  await send('--url', `${origin}/webhooks`, '--token', TOKEN, '--app', 'shop');
  expect(received).toEqual([{ path: '/webhooks', body: expect.stringContaining('"app":"shop"'), isSigned: true }]);
});

test('the webhook example fails when the server rejects the body', async () => {
  const origin = await startServer(undefined, 401);
  await expect(send('--url', `${origin}/webhooks`, '--token', TOKEN)).rejects.toMatchObject({
    code: 1,
    stdout: '401 {"status":"stored"}\n',
  });
});

test.each([
  ['no embedded network', undefined],
  ['an embedded network without activity', { notificationService: null }],
])('the webhook example needs a token for a server with %s', async (_case, devnet) => {
  const origin = await startServer(devnet);
  await expect(send('--url', `${origin}/webhooks`)).rejects.toMatchObject({
    code: 1,
    stderr: `${origin} has no embedded network that sends notifications; pass --token\n`,
  });
});
