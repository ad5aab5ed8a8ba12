import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type DataOf, dataOf } from '../../support/graph/results.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { reservePort } from '../../support/reserved-port.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { type ReceivedDelivery, startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';

let postgres: TestPostgres;
let setup: DevnetSetup;
let receiver: TestReceiver;
/** What the receiver responds. */
const status = 200;

beforeAll(async () => {
  [postgres, receiver] = await Promise.all([
    startTestPostgres(),
    startReceiver((response) => response.writeHead(status, { location: 'http://127.0.0.1/' }).end()),
  ]);
  setup = await startDevnetSetup({ DATABASE_URL: await postgres.createDatabase(), WEBHOOK_ALLOW_PRIVATE: 'on' });
  await waitUntil(
    async () => /^grimoire_webhook_derivation_height \d/m.test(await metrics()),
    'the server derives events from the first block on',
  );
});

const metrics = async (): Promise<string> => (await fetch(`${setup.graph.url}/metrics`)).text();

const execute = <const Text extends string>(query: Text, variables?: Record<string, unknown>) =>
  dataOf(setup.graph.execute(query, variables));

const account = (i: number): string => setup.devnet.description.accounts[i]!.address;
const padded = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

/** Registers a webhook to the receiver. */
const create = async (
  type: string,
  addresses: readonly string[],
  url = receiver.url,
): Promise<{ id: string; authToken: string }> => {
  const mutation = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { authToken webhook { id } } }`;
  const { createWebhook } = await execute(mutation, { input: { type, url, addresses } });
  return { id: createWebhook.webhook.id, authToken: createWebhook.authToken };
};
const remove = (id: string) => execute('mutation ($id: ID!) { deleteWebhook(input: { id: $id }) { deletedId } }', { id });

/** Sends one ether and returns its transaction as the node has it. */
const transfer = async (from: string, to: string) => {
  const hash = await setup.rpc('eth_sendTransaction', { from, to, value: '0xde0b6b3a7640000', gas: '0x5208' });
  await setup.rpc('evm_mine');
  return setup.rpc('eth_getTransactionByHash', hash);
};

/** Resolves with the `count`th delivery that the token of a webhook has signed; checks its other signatures. */
const received = async (authToken: string, count = 1): Promise<{ body: any; id: string }> => {
  const isOwn = ({ headers, body }: ReceivedDelivery): boolean =>
    headers['x-svc-signature'] === createHmac('sha256', authToken).update(body).digest('hex');
  await waitUntil(() => receiver.received.filter(isOwn).length >= count, `${count} deliveries arrive`);
  const own = receiver.received.filter(isOwn);
  expect(own).toHaveLength(count);
  const { headers, body } = own[count - 1]!;
  expect(headers['content-type']).toBe('application/json');
  expect(new Webhook(authToken).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  return { body: JSON.parse(body), id: headers['webhook-id'] as string };
};

const DELIVERIES = `query ($id: ID!) { webhook(id: $id) { deliveries { nodes {
  id status attempts lastStatusCode nextAttemptAt event { __typename app network ... on AddressActivityEvent { activity { removed } } }
  attemptLog { number statusCode error }
} } } }`;

/** Resolves with the newest delivery of a webhook once it has a status. */
const deliveryWith = async (id: string, expected: string) => {
  let delivery: DataOf<typeof DELIVERIES>['webhook']['deliveries']['nodes'][number] | undefined;
  await waitUntil(async () => {
    delivery = (await execute(DELIVERIES, { id })).webhook.deliveries.nodes[0];
    return delivery?.status === expected;
  }, `the delivery is ${expected}`);
  return delivery!;
};

test('a transfer of a registered address reaches the receiver with the body of the service description, signed', async () => {
  const { id, authToken } = await create('ADDRESS_ACTIVITY', [account(1)]);
  const live = createSubscriptionClient(setup.graph.url).subscribe(
    'subscription ($id: ID) { webhookDeliveries(webhookId: $id) { id status } }',
    { id },
  );
  await waitUntil(async () => /^grimoire_subscriptions [1-9]/m.test(await metrics()), 'the subscription has started');
  const { from, to, blockNumber } = await transfer(account(0), account(1));
  const { body, id: deliveryId } = await received(authToken);
  expect(body).toEqual({
    ...{ app: 'default', network: 'CHAIN_31337', timestamp: null, webhookType: 'ADDRESS_ACTIVITY' },
    activity: [
      {
        ...{
          fromAddress: padded(from),
          toAddress: padded(to),
          blockNum: blockNumber,
          category: 'external',
          value: 1,
          asset: 'ETH',
        },
        rawContract: { rawValue: '0xde0b6b3a7640000', address: null, decimals: 18 },
      },
    ],
  });
  await live.waitUntil(({ webhookDeliveries }) => webhookDeliveries.status === 'DELIVERED');
  expect(new Set(live.events.map(({ data }) => data.webhookDeliveries.id))).toEqual(new Set([deliveryId]));
  const delivery = await deliveryWith(id, 'DELIVERED');
  expect(delivery).toEqual({
    ...{ id: deliveryId, status: 'DELIVERED', attempts: 1, lastStatusCode: 200, nextAttemptAt: null },
    event: { __typename: 'AddressActivityEvent', app: 'default', network: 'CHAIN_31337', activity: [{ removed: false }] },
    attemptLog: [{ number: 1, statusCode: 200, error: null }],
  });
  await remove(id);
});

test('a mined transaction of a registered sender is notified with the transaction object of the node', async () => {
  const { id, authToken } = await create('MINED_TRANSACTION', [account(2)]);
  const transaction = await transfer(account(2), account(3));
  const { timestamp } = await setup.rpc('eth_getBlockByHash', transaction.blockHash, false);
  const { body } = await received(authToken);
  const fields = Object.keys(BODIES.MINED_TRANSACTION.fullTransaction);
  expect(body).toEqual({
    ...{ app: 'default', network: 'CHAIN_31337', webhookType: 'MINED_TRANSACTION' },
    timestamp: new Date(Number(timestamp) * 1_000).toISOString(),
    fullTransaction: Object.fromEntries(fields.map((field) => [field, transaction[field]])),
  });
  await remove(id);
});

test('a test is sent at once, and a redelivery repeats the body with its id', async () => {
  const { id, authToken } = await create('ADDRESS_ACTIVITY', [account(4)]);
  const tested = await execute('mutation ($id: ID!) { testWebhook(input: { id: $id }) { delivery { id status } } }', { id });
  const first = await received(authToken);
  expect(tested.testWebhook.delivery).toEqual({ id: first.id, status: 'PENDING' });
  expect(Object.keys(first.body).sort()).toEqual(Object.keys(BODIES.ADDRESS_ACTIVITY).sort());
  expect((await deliveryWith(id, 'DELIVERED')).event).toBeNull();
  const redelivered = await execute('mutation ($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id status } } }', {
    id: first.id,
  });
  expect(redelivered.redeliver.delivery).toEqual({ id: first.id, status: 'PENDING' });
  expect(await received(authToken, 2)).toEqual(first);
  expect(await deliveryWith(id, 'DELIVERED')).toMatchObject({ attempts: 2, attemptLog: [{ number: 1 }, { number: 2 }] });
  await remove(id);
});

test('the example receiver accepts signed deliveries and rejects others', async () => {
  const reserved = await reservePort();
  const port = String(reserved.port);
  const url = `http://127.0.0.1:${port}/`;
  const { id, authToken } = await create('ADDRESS_ACTIVITY', [account(6)], url);
  const program = fileURLToPath(new URL('../../../examples/webhooks/receiver.mjs', import.meta.url));
  await reserved.release();
  const child = spawn(process.execPath, [program, port], {
    env: { AUTH_TOKEN: authToken },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe(`listening on port ${port}`);
    for (const signature of ['', 'zz', createHmac('sha256', 'another').update('{}').digest('hex')]) {
      const { status: rejected } = await fetch(url, {
        method: 'POST',
        body: '{}',
        headers: { 'x-svc-signature': signature },
      });
      expect(rejected).toBe(401);
    }
    await transfer(account(0), account(6));
    const delivery = await deliveryWith(id, 'DELIVERED');
    expect(delivery).toMatchObject({ attempts: 1, lastStatusCode: 204 });
    const [deliveryId, body] = (await lines.next()).value.split(/ (.*)/s);
    expect([deliveryId, JSON.parse(body)]).toEqual([
      delivery.id,
      expect.objectContaining({ webhookType: 'ADDRESS_ACTIVITY', activity: [expect.objectContaining({ value: 1 })] }),
    ]);
  } finally {
    child.kill();
  }
  await remove(id);
});

test('the tokens of webhooks are not in the log, and the metrics count the attempts', async () => {
  expect(setup.graph.output()).not.toMatch(/whsec_/);
  expect(await metrics()).toMatch(/^grimoire_webhook_attempts_delivered_total [4-9]/m);
  expect(await metrics()).toMatch(/^grimoire_webhook_derivation_leading 1$/m);
});
