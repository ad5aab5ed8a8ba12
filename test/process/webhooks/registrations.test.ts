import { beforeAll, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { sharedDevnet, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { bodyOf, dataOf } from '../../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { WITH_EMPTY_BODY } from '../../support/webhooks/delivery-setup.ts';

/** The clients of the tests send this key. */
const SHOP_KEY = CLIENT_HEADERS['x-api-key']!;
const FARM_KEY = 'farm-key-canary-Zt72Lq';
const RECEIVER = 'https://receiver.example.com/hooks';

let postgres: TestPostgres;
let databaseUrl: string;
let settings: Record<string, string>;
let graph: GraphProcess;
/** Another server on the same database. */
let other: GraphProcess;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await postgres.createDatabase();
  settings = {
    ...upstreamSettings(sharedDevnet()),
    DATABASE_URL: databaseUrl,
    API_KEYS: `shop=${SHOP_KEY},farm=${FARM_KEY}`,
    MAX_WEBHOOKS: '4',
    MAX_WEBHOOK_ADDRESSES: '5000',
    // Notifications of the chain would change the counts of these tests.
    WEBHOOK_DERIVATION: 'off',
  };
  [graph, other] = await Promise.all([startGraph(settings), startGraph(settings)]);
});

const addresses = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, i) => `0x${(first + i).toString(16).padStart(40, '0')}`);

/** Executes an operation with the key of the other application. */
const executeAsFarm = async (query: string, variables?: Record<string, unknown>, server = graph) =>
  bodyOf(await postJson(`${server.url}/graphql`, { query, variables }, { 'x-api-key': FARM_KEY }));

const CREATE = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
  authToken webhook { id type url app active addresses gasPrice { speed above below } confirmations }
} }`;
const UPDATE = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) {
  webhook { url active addresses confirmations gasPrice { below } }
} }`;
const READ = '($id: ID!) { webhook(id: $id) { id addresses deliveries { nodes { id } } } }';

const create = async (input: Record<string, unknown>) => {
  const data = await dataOf(graph.execute(CREATE, { input: { url: RECEIVER, ...input } }));
  const { authToken, webhook } = data.createWebhook;
  return { id: webhook.id, authToken, webhook };
};

const remove = (id: string) => graph.execute('mutation ($id: ID!) { deleteWebhook(input: { id: $id }) { deletedId } }', { id });

test('an application creates, lists, changes and deletes its webhooks', async () => {
  const mined = await create({ type: 'MINED_TRANSACTION', addresses: addresses(3), confirmations: 2 });
  expect(mined.webhook).toEqual({
    ...{ id: expect.any(String), type: 'MINED_TRANSACTION', url: RECEIVER, app: 'shop', active: true },
    ...{ addresses: addresses(3), gasPrice: null, confirmations: 2 },
  });
  const gasPrice = await create({ type: 'GAS_PRICE', gasPrice: { speed: 'FAST', below: 20.5 } });
  expect(gasPrice.webhook).toMatchObject({
    addresses: null,
    gasPrice: { speed: 'FAST', above: null, below: 20.5 },
    confirmations: 1,
  });

  const page = '{ webhooks(first: 1) { nodes { id } pageInfo { hasNextPage endCursor } } }';
  const first = (await graph.execute(page)).data.webhooks;
  expect(first).toEqual({ nodes: [{ id: mined.id }], pageInfo: { hasNextPage: true, endCursor: mined.id } });
  const next = await graph.execute(
    'query ($after: String) { webhooks(after: $after) { edges { cursor node { type createdAt } } pageInfo { hasNextPage hasPreviousPage } } }',
    { after: mined.id },
  );
  expect(next.data.webhooks).toEqual({
    edges: [{ cursor: gasPrice.id, node: { type: 'GAS_PRICE', createdAt: expect.any(String) } }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
  expect(next.headers.get('cache-control')).toBe('private, no-store');

  const input = { id: mined.id, active: false, addAddresses: addresses(2, 3), removeAddresses: addresses(1), confirmations: 3 };
  expect((await graph.execute(UPDATE, { input })).data.updateWebhook.webhook).toEqual({
    ...{ url: RECEIVER, active: false, addresses: addresses(4, 1), confirmations: 3, gasPrice: null },
  });
  expect((await remove(mined.id)).data.deleteWebhook).toEqual({ deletedId: mined.id });
  expect((await remove(mined.id)).data.deleteWebhook).toBeNull();
  expect((await graph.execute(`query ${READ}`, { id: mined.id })).data.webhook).toBeNull();
  const expired = await graph.execute('query ($after: String) { webhooks(after: $after) { nodes { id } } }', { after: mined.id });
  expect(expired.errors?.[0]?.extensions.code).toBe('CURSOR_EXPIRED');
  await remove(gasPrice.id);
});

test('tokens are shown when they are created and never again, nor in the log', async () => {
  const { id, authToken } = await create({ type: 'ADDRESS_ACTIVITY', addresses: addresses(1) });
  const rotated = await graph.execute(
    'mutation ($id: ID!) { rotateWebhookToken(input: { id: $id }) { authToken webhook { id } } }',
    { id },
  );
  const { authToken: newToken, webhook } = rotated.data.rotateWebhookToken;
  expect([webhook.id, newToken === authToken]).toEqual([id, false]);
  for (const token of [authToken, newToken]) {
    expect(token).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(token.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(graph.output()).not.toContain(token.slice('whsec_'.length));
  }
  const [row] = await runSql(
    databaseUrl,
    `select token, previous_token, previous_token_until > now() + interval '23 hours' as is_graceful
    from webhooks where id = '${id}'`,
  );
  expect(row).toEqual({ token: newToken, previous_token: authToken, is_graceful: true });
  await remove(id);
});

test('the webhooks of another application are null, whatever is done with them', async () => {
  const { id } = await create({ type: 'DROPPED_TRANSACTION', addresses: addresses(1) });
  const { data } = await graph.execute('mutation ($id: ID!) { testWebhook(input: { id: $id }) { delivery { id } } }', { id });
  const deliveryId = data.testWebhook.delivery.id;
  const fields = [
    'updateWebhook(input: { id: $id, active: false }) { webhook { id } }',
    'rotateWebhookToken(input: { id: $id }) { authToken }',
    'testWebhook(input: { id: $id }) { delivery { id } }',
    'deleteWebhook(input: { id: $id }) { deletedId }',
  ];
  for (const field of fields) {
    const responses = [id, 'f'.repeat(32)].map((each) => executeAsFarm(`mutation ($id: ID!) { field: ${field} }`, { id: each }));
    for (const response of await Promise.all(responses)) expect(response).toEqual({ data: { field: null } });
  }
  const redelivered = await executeAsFarm('mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id } } }', {
    id: deliveryId,
  });
  expect(redelivered).toEqual({ data: { redeliver: null } });
  expect(await executeAsFarm(`query ${READ}`, { id })).toEqual({ data: { webhook: null } });
  expect(await executeAsFarm('{ webhooks { nodes { id } } }')).toEqual({ data: { webhooks: { nodes: [] } } });
  expect((await graph.execute(`query ${READ}`, { id })).data.webhook).toMatchObject({
    id,
    deliveries: { nodes: [{ id: deliveryId }] },
  });
  await remove(id);
});

const DELIVERY = 'id status attempts event { id } webhook { id url } attemptLog { number statusCode error durationMs }';

test('deliveries arrive at subscribers of every server, and a dead one is sent again with its id', async () => {
  const { id } = await create({ type: 'MINED_TRANSACTION', addresses: addresses(1) });
  const deliveryId = 'd'.repeat(32);
  // Without a job, so that no worker sends it.
  await runSql(
    databaseUrl,
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, body_hash, status, attempts, last_status_code)
       values ('${deliveryId}', '${id}', '\\x00', 'DEAD', 1, 500);
     insert into webhook_attempts values ('${deliveryId}', 1, now(), 40, 500, 'the receiver responded with 500')`,
  );
  const read = await graph.execute(
    `query ($id: ID!) { webhook(id: $id) { dead: deliveries(status: DEAD) { nodes { ${DELIVERY} lastStatusCode nextAttemptAt } }
      delivered: deliveries(status: DELIVERED, first: 1) { nodes { id } pageInfo { hasNextPage } } } }`,
    { id },
  );
  expect(read.data.webhook).toEqual({
    dead: {
      nodes: [
        {
          ...{ id: deliveryId, status: 'DEAD', attempts: 1, event: null, webhook: { id, url: RECEIVER } },
          attemptLog: [{ number: 1, statusCode: 500, error: 'the receiver responded with 500', durationMs: 40 }],
          ...{ lastStatusCode: 500, nextAttemptAt: null },
        },
      ],
    },
    delivered: { nodes: [], pageInfo: { hasNextPage: false } },
  });

  const client = createSubscriptionClient(other.url);
  const subscription = `subscription ($id: ID) { webhookDeliveries(webhookId: $id) { ${DELIVERY} } }`;
  const live = client.subscribe(subscription, { id });
  const elsewhere = client.subscribe(subscription, { id: 'f'.repeat(32) });
  await waitUntil(
    async () => /^grimoire_subscriptions [2-9]/m.test(await (await fetch(`${other.url}/metrics`)).text()),
    'the server has both subscriptions',
  );
  const redelivered = await graph.execute(
    'mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id status } } }',
    { id: deliveryId },
  );
  expect(redelivered.data.redeliver.delivery).toEqual({ id: deliveryId, status: 'PENDING' });
  const [event] = await live.waitForEvents(1);
  expect(event!.webhookDeliveries).toMatchObject({ id: deliveryId, webhook: { id } });
  // Another attempt may have followed: the name of the receiver does not exist.
  expect(event!.webhookDeliveries.attemptLog[0]).toMatchObject({ number: 1, statusCode: 500 });
  const tested = await graph.execute(
    'mutation ($id: ID!) { testWebhook(input: { id: $id }) { delivery { id status event { id } } } }',
    {
      id,
    },
  );
  const sample = tested.data.testWebhook.delivery;
  expect(sample).toEqual({ id: expect.any(String), status: 'PENDING', event: null });
  await live.waitUntil(({ webhookDeliveries }) => webhookDeliveries.id === sample.id);
  expect(elsewhere.events).toEqual([]);
  await remove(id);
});
