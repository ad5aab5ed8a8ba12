import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { resolveSchemaCoordinate } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { sendWebhook } from '../../support/webhooks/sender.ts';
import { accountRows } from './account-rows.ts';
import { blockRows } from './block-rows.ts';
import { eventRows, mutationRows } from './event-rows.ts';
import { createSeedFacts, type SeedFacts } from './facts.ts';
import { logRows } from './log-rows.ts';
import { pendingRows } from './pending-rows.ts';
import { operationOf, type SeedRow, VARIABLE_TYPES, valueAt } from './rows.ts';
import { tokenRows } from './token-rows.ts';
import { transactionRows } from './transaction-rows.ts';
import { webhookRows } from './webhook-rows.ts';

/** A method or field of the node interface, and the coordinates of the graph that serve it; without any, the reason. */
interface SeedElement {
  readonly seed: string;
  readonly coordinates: readonly string[];
  readonly reason?: string;
}

const mapping: readonly SeedElement[] = JSON.parse(readFileSync(new URL('coordinates.json', import.meta.url), 'utf8'));
const coordinates = [...new Set(mapping.flatMap((element) => element.coordinates))];

const queryRows: readonly SeedRow[] = [
  ...blockRows,
  ...transactionRows,
  ...logRows,
  ...accountRows,
  ...tokenRows,
  ...pendingRows,
];

/** Compared by tests of their own, because only a submission or a webhook during the subscription causes an event. */
const LIVE_COORDINATES = ['Subscription.pendingTransactions', 'Subscription.addressActivity'];
const WEBHOOK_TOKEN = 'any-token-canary-Pm43Vs';

const schema = composeSchema(domains);

function isInSchema(coordinate: string): boolean {
  try {
    return resolveSchemaCoordinate(schema, coordinate) !== undefined;
  } catch {
    // The type or the field of the coordinate is missing.
    return false;
  }
}

test('each coordinate of the seed mapping exists in the schema', () => {
  expect(coordinates.filter((coordinate) => !isInSchema(coordinate))).toEqual([]);
});

test('each element of the seed has a coordinate or a reason for having none', () => {
  expect(mapping.filter((element) => element.coordinates.length === 0 && !element.reason)).toEqual([]);
});

test('each coordinate of the seed mapping has a row that compares its value', () => {
  const compared = [...queryRows, ...webhookRows, ...eventRows, ...mutationRows].map(([coordinate]) => coordinate);
  expect([...compared, ...LIVE_COORDINATES].sort()).toEqual([...coordinates].sort());
});

let setup: DevnetSetup;
let postgres: TestPostgres;
let facts: SeedFacts;

const sendBody = async (body: object): Promise<void> => {
  const { status } = await sendWebhook(setup.graph.url, WEBHOOK_TOKEN, JSON.stringify(body));
  if (status !== 200) throw new Error(`The server rejected a webhook with status ${status}.`);
};

beforeAll(async () => {
  postgres = await startTestPostgres();
  setup = await startDevnetSetup({ DATABASE_URL: await postgres.createDatabase(), WEBHOOK_AUTH_TOKENS: WEBHOOK_TOKEN });
  facts = await createSeedFacts(setup);
  for (const body of Object.values(BODIES)) await sendBody(body);
});

afterAll(async () => {
  await setup?.stop();
  await postgres?.stop();
});

/** The variables that an operation declares. */
const variablesOf = (operation: string) =>
  Object.fromEntries(
    Object.keys(VARIABLE_TYPES).flatMap((name) => (operation.includes(`$${name}:`) ? [[name, facts.variables[name]]] : [])),
  );

function assertInSchema(coordinate: string): void {
  if (!isInSchema(coordinate)) throw new Error(`The schema has no ${coordinate}.`);
}

async function execute(type: 'query' | 'mutation', path: readonly string[]): Promise<unknown> {
  const operation = operationOf(type, path);
  const { data, errors } = await setup.graph.execute(operation, variablesOf(operation));
  if (errors) throw new Error(`${operation} has errors: ${JSON.stringify(errors)}`);
  return valueAt(data, path);
}

test.each(queryRows)('%s has the value of the node', async (coordinate, path, expected) => {
  assertInSchema(coordinate);
  const value = await expected(facts);
  expect(value).toBeDefined();
  expect(await execute('query', path)).toEqual(value);
});

test.each(webhookRows)('%s has the value of the body that was sent', async (coordinate, path, expected) => {
  assertInSchema(coordinate);
  expect(await execute('query', path)).toEqual(expected(facts));
});

test('Subscription.addressActivity emits a transfer as it was sent', async () => {
  const client = createSubscriptionClient(setup.graph.url);
  const fields = 'from { address } blockNumber category value asset rawContract { rawValue address decimals }';
  const live = client.subscribe(`subscription { addressActivity { ${fields} } }`);
  const [{ fromAddress, toAddress, blockNum, ...values }] = BODIES.ADDRESS_ACTIVITY.activity;
  // Only a first event shows that the server has accepted the subscription.
  for (let height = 17; live.events.length === 0; height++) {
    const activity = [{ fromAddress, toAddress, ...values, blockNum: `0x${height.toString(16)}` }];
    await sendBody({ ...BODIES.ADDRESS_ACTIVITY, activity });
  }
  const { from, blockNumber, ...event } = live.events[0]!.data.addressActivity;
  expect(event).toEqual(values);
  expect([from.address, Number(blockNumber)]).toEqual([`0x${fromAddress.slice(-40)}`, expect.any(Number)]);
});

test.each(eventRows)(
  '%s has the value of the node in the first event after the known ones',
  async (coordinate, path, expected) => {
    assertInSchema(coordinate);
    const client = createSubscriptionClient(setup.graph.url);
    const operation = operationOf('subscription', path);
    const [event] = await client.subscribe(operation, variablesOf(operation)).waitForEvents(1);
    expect(valueAt(event, path)).toEqual(await expected(facts));
  },
);

test('Subscription.pendingTransactions emits a transaction as the node has it', async () => {
  const client = createSubscriptionClient(setup.graph.url);
  const pending = client.subscribe('subscription { pendingTransactions { hash nonce value inputData } }');
  const [, sender, recipient] = setup.devnet.description.accounts.map(({ address }) => address);
  // Only a first event shows that the node has accepted the subscription.
  for (let sent = 1; pending.events.length === 0; sent++) {
    await facts.call('eth_sendTransaction', { from: sender, to: recipient, value: `0x${sent.toString(16)}` });
  }
  const { hash, ...values } = pending.events[0]!.data.pendingTransactions;
  const { nonce, value, input } = await facts.call('eth_getTransactionByHash', hash);
  expect(values).toEqual({ nonce, value, inputData: input });
});

test.each(mutationRows)('%s returns the hash of a transaction that the node then has', async (coordinate, path, expected) => {
  assertInSchema(coordinate);
  const hash = await execute('mutation', path);
  expect(hash).toBe(expected(facts));
  expect((await facts.call('eth_getTransactionByHash', hash)).hash).toBe(hash);
});
