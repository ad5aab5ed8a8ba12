import { expect, test } from '@jest/globals';
import { startToyServer } from '../../support/graph/toy-server.ts';

test.each([
  ['no plugin', []],
  ['a plugin', [{}]],
])('a mutation over GET is 405 with its message with %s of Apollo Server', async (_case, apolloPlugins) => {
  const { url } = await startToyServer({ apolloPlugins });
  const get = async (query: string) => {
    const response = await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { 'apollo-require-preflight': '1' },
    });
    return { status: response.status, allow: response.headers.get('allow'), body: await response.json() };
  };
  expect(await get('mutation { bump }')).toMatchObject({
    status: 405,
    allow: 'POST',
    body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
  });
  expect(await get('subscription { ticks { n } }')).toMatchObject({
    status: 400,
    body: { errors: [{ message: expect.stringContaining('WebSocket'), extensions: { code: 'BAD_REQUEST' } }] },
  });
});
