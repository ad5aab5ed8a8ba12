import { request } from 'node:http';
import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../../../src/server/callers/api-keys.ts';
import { startToyServer } from '../../../support/graph/toy-server.ts';

const [SHOP, FARM] = ['key-of-the-shop-0123', 'key-of-the-farm-0123'];

test('a request with two headers authorization that have different keys is not accepted', async () => {
  const toy = await startToyServer({ callers: { apiKeys: parseApiKeys([`shop=${SHOP}`, `farm=${FARM}`]) } });
  const status = (headers: string[]) =>
    new Promise((resolve, reject) => {
      const { host } = new URL(toy.url);
      const sent = request(`${toy.url}/graphql`, {
        method: 'POST',
        headers: ['host', host, 'content-type', 'application/json', ...headers] as any,
      });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ query: '{ __typename }' }));
    });
  expect(await status(['authorization', `Bearer ${SHOP}`])).toBe(200);
  expect(await status(['authorization', `Bearer ${SHOP}`, 'authorization', `Bearer ${FARM}`])).toBe(401);
});
