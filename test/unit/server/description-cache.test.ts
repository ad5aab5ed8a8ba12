import { expect, test } from '@jest/globals';
import { parseApiKeys } from '../../../src/server/callers/api-keys.ts';
import { startToyServer } from '../../support/graph/toy-server.ts';

const KEY = 'key-of-the-shop-0123';

test('no cache may store the description of the network that needs a key', async () => {
  const { url } = await startToyServer({
    callers: { apiKeys: parseApiKeys([`shop=${KEY}`]), isRequired: true },
    documents: { '/devnet.json': { token: 'secret' } },
  });
  const response = await fetch(`${url}/devnet.json`, { headers: { 'x-api-key': KEY } });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
});
