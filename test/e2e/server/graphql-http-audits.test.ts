import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** The audits of the GraphQL-over-HTTP working group against the built program. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup();
});

afterAll(() => setup?.stop());

const APOLLO_STATUS_400 =
  'Apollo answers a request that cannot be executed with 400 whatever the client accepts: 200 is for old clients, and hides failures';
/** Each audit that does not pass, with its level and the reason. None is an error. */
const KNOWN_WARNINGS: Record<string, readonly ['warn', string]> = {
  '572B': ['warn', APOLLO_STATUS_400],
  FDE2: ['warn', APOLLO_STATUS_400],
  '7B9B': ['warn', APOLLO_STATUS_400],
};

const audits = serverAudits({ url: () => `${setup.graph.url}/graphql` });

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))('%s: %s', async (id, _name, audit) => {
  const result = await audit.fn();
  expect({ status: result.status, reason: 'reason' in result ? result.reason : '' }).toMatchObject({
    status: KNOWN_WARNINGS[id]?.[0] ?? 'ok',
  });
});

test('each expected notice belongs to an existing audit', () => {
  expect(Object.keys(KNOWN_WARNINGS).filter((id) => !audits.some((audit) => audit.id === id))).toEqual([]);
});

test('a GET request with a preflight header passes the audits with notices about GET', async () => {
  const query = 'query Type($name: String!) { __type(name: $name) { name } }';
  const search = new URLSearchParams({ query, variables: '{"name":"Block"}' });
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const headers = { accept, 'apollo-require-preflight': 'true' };
    const response = await fetch(`${setup.graph.url}/graphql?${search}`, { headers });
    expect(response.headers.get('content-type')).toContain(accept);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { data: { __type: { name: 'Block' } } },
    });
  }
});
