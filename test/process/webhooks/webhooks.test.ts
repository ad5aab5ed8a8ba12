import { beforeAll, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { sharedDevnet, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { bodyOf, type DataOf } from '../../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { BODIES, CONTRACT } from '../../support/webhooks/bodies.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';

/** The clients of the tests send this key. */
const SHOP_KEY = CLIENT_HEADERS['x-api-key']!;
const FARM_KEY = 'farm-key-canary-Zt72Lq';
const SHOP_TOKEN = 'shop-token-canary-Hq81Nd';
const OLD_SHOP_TOKEN = 'old-shop-token-canary-Wc';
const ANY_TOKEN = 'any-token-canary-Pm43Vs';

let postgres: TestPostgres;
let graph: GraphProcess;
/** Another server on the same database. */
let other: GraphProcess;
let settings: Record<string, string>;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  settings = {
    ...upstreamSettings(sharedDevnet()),
    DATABASE_URL: databaseUrl,
    API_KEYS: `shop=${SHOP_KEY},farm=${FARM_KEY}`,
    WEBHOOK_AUTH_TOKENS: `shop=${SHOP_TOKEN},shop=${OLD_SHOP_TOKEN},${ANY_TOKEN}`,
  };
  [graph, other] = await Promise.all([startGraph(settings), startGraph(settings)]);
});

const statusOf = async (token: string, body: string, headers?: Record<string, string>) =>
  (await sendWebhook(graph.url, token, body, headers)).status;

const EVENTS = `query ($types: [WebhookType!], $first: Int, $after: String) {
  webhookEvents(types: $types, first: $first, after: $after) {
    edges { cursor } nodes { __typename id type app network timestamp } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** The response to a request with the key of another application. */
const executeAs = (key: string, query: string) => postJson(`${graph.url}/graphql`, { query }, { 'x-api-key': key });

test('each type of a notification becomes an event with the values of its body', async () => {
  for (const body of Object.values(BODIES)) expect(await statusOf(SHOP_TOKEN, JSON.stringify(body))).toBe(200);
  const { data, headers } = await graph.execute(`{ webhookEvents(first: 5) { nodes {
    __typename type app network timestamp removed
    ... on MinedTransactionEvent { hash fullTransaction { hash nonce blockNumber value gasPrice gas inputData to v } transaction { hash } }
    ... on DroppedTransactionEvent { dropped: hash fullTransaction { hash blockNumber blockHash transactionIndex } }
    ... on AddressActivityEvent { activity { from { address } to { address } blockNumber block { number } category value asset removed
      transactionHash rawContract { rawValue address decimals token { address } } } }
    ... on GasPriceEvent { gasPrice { fast fastest safeLow average blockTime blockNumber speed safeLowWait avgWait fastWait fastestWait } }
    ... on CapacityExceededEvent { error webhookType }
  } } }`);
  const common = { app: 'shop', network: 'ETH_MAINNET', timestamp: '2026-11-01T12:00:00.000Z', removed: false };
  const hash = BODIES.MINED_TRANSACTION.fullTransaction.hash;
  expect(data.webhookEvents.nodes).toEqual([
    {
      __typename: 'CapacityExceededEvent',
      type: 'CAPACITY_EXCEEDED',
      ...common,
      error: BODIES.CAPACITY_EXCEEDED.error,
      webhookType: 'MINED_TRANSACTION',
    },
    {
      __typename: 'GasPriceEvent',
      type: 'GAS_PRICE',
      ...common,
      gasPrice: {
        ...{ fast: 40.5, fastest: 60, safeLow: 20, average: 30, blockTime: 12.5, blockNumber: '0x10', speed: 0.9 },
        ...{ safeLowWait: 10, avgWait: 4, fastWait: 1, fastestWait: 0.5 },
      },
    },
    {
      __typename: 'AddressActivityEvent',
      type: 'ADDRESS_ACTIVITY',
      ...common,
      timestamp: null,
      activity: [
        {
          from: { address: `0x${'11'.repeat(20)}` },
          to: { address: `0x${'22'.repeat(20)}` },
          blockNumber: '0x10',
          block: { number: '0x10' },
          category: 'token',
          value: 1.5,
          asset: 'MANA',
          removed: false,
          transactionHash: null,
          rawContract: { rawValue: '0x14d1120d7b160000', address: CONTRACT, decimals: 18, token: { address: CONTRACT } },
        },
      ],
    },
    {
      __typename: 'DroppedTransactionEvent',
      type: 'DROPPED_TRANSACTION',
      ...common,
      dropped: hash,
      fullTransaction: { hash, blockNumber: null, blockHash: null, transactionIndex: null },
    },
    {
      __typename: 'MinedTransactionEvent',
      type: 'MINED_TRANSACTION',
      ...common,
      hash,
      fullTransaction: {
        ...{ hash, nonce: '0x7', blockNumber: '0x10', value: '0xde0b6b3a7640000', gasPrice: '0x3b9aca00', gas: '0x5208' },
        ...{ inputData: '0x', to: `0x${'22'.repeat(20)}`, v: '0x25' },
      },
      // The node does not have it.
      transaction: null,
    },
  ]);
  expect(headers.get('cache-control')).toBe('private, no-store');
});

test('a wrong signature, a foreign application, a large and an invalid body are rejected', async () => {
  const body = randomBody();
  const rejected = async (response: Response) => [response.status, (await bodyOf(response)).errors[0].extensions.code];
  expect(await rejected(await sendWebhook(graph.url, 'another-token', body))).toEqual([401, 'UNAUTHENTICATED']);
  expect(await statusOf(SHOP_TOKEN, body, { 'x-svc-signature': '' })).toBe(401);
  const foreign = await sendWebhook(graph.url, SHOP_TOKEN, randomBody('farm'));
  expect([foreign.status, await foreign.text()]).toEqual([
    401,
    expect.stringContaining('names another application than the token'),
  ]);
  expect(await rejected(await sendWebhook(graph.url, SHOP_TOKEN, '{"app":"shop"}'))).toEqual([400, 'BAD_REQUEST']);
  expect(await statusOf(SHOP_TOKEN, '{')).toBe(400);
  expect(await rejected(await sendWebhook(graph.url, SHOP_TOKEN, ' '.repeat(1024 * 1024 + 1)))).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
  const { data } = await graph.execute(EVENTS, {});
  expect(data.webhookEvents.nodes).toHaveLength(5);
});

test('a body without an application belongs to the application of its token, which must name one', async () => {
  const { app: _app, ...body } = { ...BODIES.GAS_PRICE, timestamp: '2026-11-03T00:00:00Z' };
  expect(await statusOf(ANY_TOKEN, JSON.stringify(body))).toBe(400);
  expect(await statusOf(SHOP_TOKEN, JSON.stringify(body))).toBe(200);
  const { data } = await graph.execute(EVENTS, { first: 1 });
  expect(data.webhookEvents.nodes).toMatchObject([{ app: 'shop', type: 'GAS_PRICE', timestamp: '2026-11-03T00:00:00.000Z' }]);
});

test('a caller reads the events of its application alone, and without a key there are none', async () => {
  expect(await statusOf(ANY_TOKEN, randomBody('farm'))).toBe(200);
  const farm = await bodyOf(await executeAs(FARM_KEY, '{ webhookEvents { nodes { app } } }'));
  expect(farm.data.webhookEvents.nodes).toEqual([{ app: 'farm' }]);
  const shop = await graph.execute(EVENTS, {});
  expect(new Set(shop.data.webhookEvents.nodes.map((event) => event.app))).toEqual(new Set(['shop']));
  const wrong = await executeAs('not-a-key-of-this-server', '{ block { number } }');
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  const anonymous = await fetch(`${graph.url}/graphql?query={webhookEvents{nodes{id}}}`);
  expect(anonymous.status).toBe(401);
  expect((await bodyOf(anonymous)).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  expect((await fetch(`${graph.url}/graphql?query={block{number}}`)).status).toBe(200);
});

test('pages contain every event once, and a cursor that is not stored has expired', async () => {
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const { webhookEvents }: DataOf<typeof EVENTS> = (await graph.execute(EVENTS, { first: 2, after })).data;
    seen.push(...webhookEvents.edges.map((edge) => edge.cursor));
    expect(webhookEvents.pageInfo.hasPreviousPage).toBe(after !== null);
    after = webhookEvents.pageInfo.endCursor;
    if (!webhookEvents.pageInfo.hasNextPage) break;
  }
  const { data } = await graph.execute(EVENTS, {});
  expect(seen).toEqual(data.webhookEvents.nodes.map((event) => event.id));
  const { errors } = await graph.execute(EVENTS, { after: 'f'.repeat(32) });
  expect(errors?.[0]?.extensions.code).toBe('CURSOR_EXPIRED');
});

const LIVE = 'subscription ($after: ID) { webhookEvents(after: $after) { id ... on MinedTransactionEvent { hash } } }';

test('a subscription at another server emits each event once and resumes after its id', async () => {
  await unsubscribed(other);
  const hashes = Array.from({ length: 6 }, () => randomBody());
  const hashOf = (body: string) => JSON.parse(body).fullTransaction.hash;
  const client = createSubscriptionClient(other.url);
  const live = client.subscribe(LIVE);
  await subscribed(other);
  for (const body of hashes.slice(0, 3)) expect(await statusOf(SHOP_TOKEN, body)).toBe(200);
  const first = await live.waitForEvents(3);
  client.kill();
  for (const body of hashes.slice(3)) expect(await statusOf(SHOP_TOKEN, body)).toBe(200);
  const resumed = createSubscriptionClient(graph.url).subscribe(LIVE, { after: first[0]!.webhookEvents.id });
  const events = [first[0]!, ...(await resumed.waitForEvents(5))];
  expect(events).toMatchObject(hashes.map((body) => ({ webhookEvents: { hash: hashOf(body) } })));
});

test('addressActivity emits the transfers of the given addresses', async () => {
  const [activity] = BODIES.ADDRESS_ACTIVITY.activity;
  await unsubscribed(graph);
  const live = createSubscriptionClient(graph.url).subscribe(
    'subscription ($a: [Address!]) { addressActivity(addresses: $a) { blockNumber from { address } rawContract { rawValue } } }',
    { a: [`0x${'22'.repeat(20)}`] },
  );
  await subscribed(graph);
  const elsewhere = { ...activity, fromAddress: `0x${'44'.repeat(20)}`, toAddress: `0x${'55'.repeat(20)}`, blockNum: '0x11' };
  const body = { ...BODIES.ADDRESS_ACTIVITY, activity: [elsewhere, { ...activity, blockNum: '0x12' }] };
  expect(await statusOf(SHOP_TOKEN, JSON.stringify(body))).toBe(200);
  expect(await live.waitForEvents(1)).toEqual([
    {
      addressActivity: {
        blockNumber: '0x12',
        from: { address: `0x${'11'.repeat(20)}` },
        rawContract: { rawValue: '0x14d1120d7b160000' },
      },
    },
  ]);
});

test('while the database is down, webhooks wait at their sender and the chain is served', async () => {
  await unsubscribed(other);
  const live = createSubscriptionClient(other.url).subscribe(LIVE);
  await subscribed(other);
  await postgres.kill();
  const body = randomBody();
  const rejected = await sendWebhook(graph.url, SHOP_TOKEN, body);
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
  const { errors } = await graph.execute(EVENTS, {});
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  expect((await graph.execute('{ block { number } }')).errors).toBeUndefined();
  const readiness = await fetch(`${graph.url}/readyz`);
  expect(readiness.status).toBe(200);
  expect(await readiness.json()).toMatchObject({ degraded: [{ domain: 'webhooks', code: 'STORE_UNAVAILABLE' }] });
  await postgres.restart();
  await waitUntil(async () => (await statusOf(SHOP_TOKEN, body)) === 200, 'the webhook is stored');
  const [event] = await live.waitForEvents(1);
  expect(event).toMatchObject({ webhookEvents: { hash: JSON.parse(body).fullTransaction.hash } });
  const readyz = async () => (await fetch(`${graph.url}/readyz`)).text();
  await waitUntil(async () => !(await readyz()).includes('"degraded"'), 'the server is ready');
  const lines = graph.output().match(/^.*"the database (?:fails|works).*$/gm)!;
  const { host: endpoint } = new URL(settings.DATABASE_URL!);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([40, 30].map((level) => ({ level, endpoint })));
});

/** The open subscriptions of a server. */
const subscriptionCount = async ({ url }: GraphProcess): Promise<number> =>
  Number(/^grimoire_subscriptions (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())![1]);

/** Resolves when the subscriptions of earlier tests have ended: their clients close after each test. */
const unsubscribed = (server: GraphProcess): Promise<void> =>
  waitUntil(async () => (await subscriptionCount(server)) === 0, 'the server has no subscription');

const subscribed = (server: GraphProcess): Promise<void> =>
  waitUntil(async () => (await subscriptionCount(server)) > 0, 'the server has a subscription');
