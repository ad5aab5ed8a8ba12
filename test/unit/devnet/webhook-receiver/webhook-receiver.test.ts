import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { beforeEach, expect, test } from '@jest/globals';
import { MAX_DELIVERIES } from '../../../../devnet/src/webhook-receiver/delivery-log.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../devnet/src/webhook-receiver/index.ts';
import { createHostCheck } from '../../../../src/lib/urls.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';

const TOKEN = `whsec_${'a'.repeat(44)}`;
const WEBHOOK = { id: 'w1', type: 'ADDRESS_ACTIVITY', token: TOKEN };

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = untilTestsEnd(await startWebhookReceiver({ app: 'app', addresses: ['0x1'], acceptsHost: createHostCheck([]) }));
  receiver.accept(WEBHOOK);
});

const sign = (body: string, token = TOKEN): string => createHmac('sha256', token).update(body).digest('hex');

const deliver = async (id: string | undefined, body: string, signature: string | undefined = sign(body)): Promise<number> => {
  const headers = { ...(id !== undefined && { 'webhook-id': id }), 'x-svc-signature': signature };
  return (await fetch(receiver.description.url, { method: 'POST', body, headers })).status;
};

const list = async (): Promise<any[]> => (await (await fetch(receiver.description.url)).json()) as any[];

test('the receiver lists signed deliveries, each id once and the newest first', async () => {
  for (const id of ['a', 'b', 'a']) expect(await deliver(id, `{"id":"${id}"}`)).toBe(204);
  expect(await list()).toEqual([
    { id: 'b', webhookId: 'w1', receivedAt: expect.any(String), body: { id: 'b' } },
    { id: 'a', webhookId: 'w1', receivedAt: expect.any(String), body: { id: 'a' } },
  ]);
});

test.each([
  ['with the signature of another token', 'a', sign('{}', 'other')],
  ['without a signature', 'a', ''],
  ['without an id', undefined, undefined],
])('the receiver rejects a delivery %s', async (_case, id, signature) => {
  expect(await deliver(id, '{}', signature)).toBe(401);
  expect(await list()).toEqual([]);
});

test('the receiver accepts the new token of a webhook and no longer the old one', async () => {
  receiver.accept({ ...WEBHOOK, token: 'new' });
  expect(await deliver('a', '{}', sign('{}', 'new'))).toBe(204);
  expect(await deliver('b', '{}')).toBe(401);
});

test('the receiver stores a limited number of deliveries', async () => {
  for (let i = 0; i <= MAX_DELIVERIES; i++) await deliver(String(i), '{}');
  const ids = (await list()).map(({ id }) => id);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([MAX_DELIVERIES, String(MAX_DELIVERIES), '1']);
});

test('the receiver rejects other requests, bodies above 4 MiB, and names that are not of this machine', async () => {
  const { url } = receiver.description;
  expect((await fetch(`${url}/other`)).status).toBe(404);
  expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
  expect(await deliver('a', JSON.stringify('a'.repeat(4 * 1024 * 1024)))).toBe(413);
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'rebound.example' };
    request(url, { headers }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
});

test('the description of the receiver has its webhooks without their tokens', () => {
  expect(JSON.parse(JSON.stringify(receiver.description))).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/deliveries$/),
    app: 'app',
    webhooks: [{ id: 'w1', type: 'ADDRESS_ACTIVITY' }],
  });
});
