import { beforeAll, expect, test } from '@jest/globals';
import { createDatabase } from '../../../../../src/database/database.ts';
import type { Statements } from '../../../../../src/database/statements.ts';
import type { DomainServices } from '../../../../../src/domains/domain.ts';
import { webhooks } from '../../../../../src/domains/webhooks/index.ts';
import { contentReader, operationStatements, webhookLoaders } from '../../../../../src/domains/webhooks/loaders/index.ts';
import { deliveryLoaders, registrationLoaders } from '../../../../../src/domains/webhooks/loaders/registrations.ts';
import type { EventContent, WebhookEventHeader } from '../../../../../src/domains/webhooks/model.ts';
import { RegistrationStore } from '../../../../../src/domains/webhooks/registrations/registration-store.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../../../src/domains/webhooks/store/chain-statements.ts';
import { EventStore } from '../../../../../src/domains/webhooks/store/event-store.ts';
import { CallerTurns } from '../../../../../src/lib/caller-turns.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../../src/lib/operation-budget.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { stopAfterTests } from '../../../../support/cleanups.ts';
import { log } from '../../../../support/silent-log.ts';
import { createRegistration, WITH_EMPTY_BODY, waitUntilPrepared } from '../../../../support/webhooks/delivery-setup.ts';
import { newEventOf } from '../../../../support/webhooks/events.ts';
import { useDatabase } from '../../../../support/webhooks/store-fixture.ts';

const fixture = useDatabase();
/** The values of the statements that `database` has executed. */
const executed: (readonly unknown[] | undefined)[] = [];
const database: Statements = {
  transaction: (run) => fixture.database.transaction(run),
  query(text, values) {
    executed.push(values);
    return fixture.database.query(text, values);
  },
};
const store = new EventStore(database);
let headers: readonly WebhookEventHeader[];

beforeAll(async () => {
  await store.insert(Array.from({ length: 5 }, (_, index) => newEventOf(index)));
  headers = await store.newest({ app: undefined }, { limit: 5 });
});

const createOperation = (limits: { MAX_COST?: number; MAX_UPSTREAM_BYTES?: number } = {}) => {
  const controller = new AbortController();
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, ...limits }, (error) => controller.abort(error));
  const operation = {
    ...{ requestId: 'request', signal: controller.signal, extensions: {}, dependencies: new ResponseDependencies() },
    budget,
  };
  const statements = operationStatements(
    { database: fixture.database, turns: new CallerTurns({ running: 3, runningOfCaller: 2 }) },
    operation,
  );
  return { operation, controller, budget, statements };
};

test('the deliveries of a page of webhooks are one statement, and their attempts and events one each', async () => {
  const registrations = new RegistrationStore(statementsOfChain(fixture.database, DEFAULT_CHAIN));
  const gasPrice = { speed: 'FAST', above: 1, below: null } as const;
  const registration = {
    type: 'GAS_PRICE',
    url: 'https://receiver.example/',
    gasPrice,
    confirmations: 1,
    addresses: [],
  } as const;
  const ids: string[] = [];
  for (let i = 0; i < 20; i++)
    ids.push((await registrations.create('shop', registration, { token: 'whsec_token', maxWebhooks: 100 })).id);
  await fixture.database.query(
    `${WITH_EMPTY_BODY} insert into webhook_deliveries (id, webhook_id, event_id, body_hash)
     select webhook || ' ' || n, webhook, 'event ' || n, '\\x00' from unnest($1::text[]) as webhook, generate_series(1, 3) as n`,
    [ids],
  );
  const loaders = deliveryLoaders({ database, store }, createOperation().operation);
  executed.length = 0;
  const pages = await Promise.all(ids.flatMap((id) => [loaders.of(id, { first: 2 }), loaders.of(id, { status: 'DEAD' })]));
  expect(executed).toHaveLength(1);
  // One delivery more than the page has.
  expect(executed[0]?.[3]).toEqual(ids.flatMap(() => [3, 51]));
  const deliveries = pages.flatMap(({ nodes }) => nodes);
  expect(deliveries.map(({ id }) => id)).toEqual(ids.flatMap((id) => [`${id} 3`, `${id} 2`]));
  await Promise.all(deliveries.map((delivery) => loaders.attempts(delivery)));
  await Promise.all(deliveries.map((delivery) => loaders.event(delivery)));
  expect(executed).toHaveLength(3);
  expect(pages[0]!.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });

  const next = await loaders.of(ids[0]!, { first: 2, after: pages[0]!.pageInfo.endCursor });
  expect(next.nodes.map(({ id }) => id)).toEqual([`${ids[0]} 1`]);
  expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  await expect(loaders.of(ids[1]!, { after: next.pageInfo.endCursor })).rejects.toMatchObject({ code: 'CURSOR_EXPIRED' });
});

const hashOf = (content: EventContent) => 'fullTransaction' in content && content.fullTransaction.hash;

test('the contents that are requested in one tick are one statement, also where several fields request one', async () => {
  const read = contentReader(store, undefined);
  executed.length = 0;
  const contents = await Promise.all([...headers, ...headers].map(read));
  expect(executed).toEqual([[headers.map(({ id }) => id)]]);
  expect(contents.map(hashOf)).toEqual(
    [4, 3, 2, 1, 0, 4, 3, 2, 1, 0].map((index) => `0x${index.toString(16).padStart(64, '0')}`),
  );
});

test('long contents are read one group after the other, and a deleted event fails alone', async () => {
  const read = contentReader(store, undefined);
  executed.length = 0;
  const sizes = [400_000, 600_000, 100_000, 3_000_000, 1];
  const events = headers.map((header, i) => ({ ...header, contentBytes: sizes[i]! }));
  events[1] = { ...events[1]!, id: 'f'.repeat(32) };
  const results = await Promise.allSettled(events.map(read));
  expect(executed).toEqual([[0, 1], [2], [3], [4]].map((group) => [group.map((i) => events[i]!.id)]));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(results[1]).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
});

const TEXT = "select repeat('x', 2000) as text";

test('the rows of an operation count as bytes from an upstream, and end it at the limit', async () => {
  const { budget, statements } = createOperation({ MAX_UPSTREAM_BYTES: 5_000 });
  await statements.query(TEXT);
  await statements.transaction((query) => query(TEXT));
  expect(budget.upstreamBytes).toBe(4_000);
  await statements.query(TEXT);
  const rejection = { code: 'RESULT_TOO_LARGE', extensions: { setting: 'MAX_UPSTREAM_BYTES', limit: 5_000, actual: 6_000 } };
  expect(budget.error).toMatchObject(rejection);
  await expect(statements.query(TEXT)).rejects.toMatchObject(rejection);
  expect(budget.upstreamBytes).toBe(6_000);
});

test('each millisecond of the database costs an operation 1', async () => {
  const { budget, statements } = createOperation();
  await statements.query('select pg_sleep(0.05)');
  expect(budget.spent).toBeGreaterThanOrEqual(50);
  // A busy machine takes longer, so that the limit has an operation of its own.
  const limited = createOperation({ MAX_COST: 100 });
  await limited.statements.query('select pg_sleep(0.1)');
  expect(limited.budget.error).toMatchObject({ code: 'RESULT_TOO_LARGE', extensions: { setting: 'MAX_COST' } });
});

test('a statement of an operation that has ended while it waited is not sent', async () => {
  const { controller, statements } = createOperation();
  const results = Promise.allSettled(Array.from({ length: 10 }, () => statements.query('select txid_current() as id')));
  controller.abort(new Error('the operation has ended'));
  const rejected = (await results).filter(({ status }) => status === 'rejected');
  expect(rejected.length).toBeGreaterThanOrEqual(8);
});

test('updateWebhook returns the changed webhook in its payload', async () => {
  const { id } = await createRegistration(fixture.database, 'https://receiver.example/');
  const sources = {
    registrations: new RegistrationStore(statementsOfChain(database, DEFAULT_CHAIN)),
    rules: { maxAddresses: 1 },
  };
  const registrations = registrationLoaders(sources as any, { ...createOperation().operation, caller: { app: undefined } });
  const { updateWebhook } = (webhooks.resolvers as any).Mutation;
  const payload = await updateWebhook({}, { input: { id, active: false } }, { webhooks: { registrations } });
  expect(payload).toMatchObject({ webhook: { id, active: false } });
});

test('a start over a restored chain marks the events of lost blocks, and a disabled derivation has no metric', async () => {
  await store.insert([newEventOf(9, { blockNumber: 17 })]);
  const embedded = { services: {}, database: { url: Promise.resolve(fixture.url), restoredHeight: 16 } };
  const settings = { WEBHOOK_AUTH_TOKENS: [], WEBHOOK_RETENTION_DAYS: 30, WEBHOOK_DERIVATION: 'off' };
  const database = createDatabase({ url: embedded.database.url, log });
  stopAfterTests(() => database.stop());
  const domain = webhooks.create({ settings, embedded, openDatabase: () => database, log } as unknown as DomainServices<any>);
  stopAfterTests(() => domain.stop!());
  await waitUntilPrepared({ ...fixture.database, check: (signal) => domain.checkOptional!(signal!) });
  expect((await store.newest({ app: undefined }, { limit: 2 })).map(({ removed }) => removed)).toEqual([true, false]);
  expect(domain.metrics!.find(({ name }) => name === 'webhook_derivation_leading')!.value()).toBeUndefined();
});

test('an empty page of events states whether there are entries after it', async () => {
  const { operation } = createOperation();
  const loaders = webhookLoaders(
    { database, turns: new CallerTurns({ running: 3, runningOfCaller: 2 }), chainId: DEFAULT_CHAIN, rules: {} } as never,
    { operation: { ...operation, caller: { app: 'page' } } } as never,
  );
  expect((await loaders.events({ first: 0 })).pageInfo).toMatchObject({ hasNextPage: false });
  await store.insert([newEventOf(9, { app: 'page' })]);
  expect((await loaders.events({ first: 0 })).pageInfo).toMatchObject({ hasNextPage: true });
});
