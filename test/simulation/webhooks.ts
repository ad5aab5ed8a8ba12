import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { CLIENT_HEADERS, NOTIFICATION_TOKEN } from '../support/secrets.ts';
import { createDeliveries, type Delivery, FACT_FIELDS, factOf } from '../support/webhooks/deliveries.ts';
import { startReceiver } from '../support/webhooks/receiver.ts';
import { sign } from '../support/webhooks/sender.ts';
import { ACCOUNTS, expectedFacts } from '../support/webhooks/transfer-chain.ts';
import { deliveredAtLeastOnce, eachNotificationOnce, eventsAreThoseOfTheChain, missingOf, recovers } from './promises.ts';
import { followSubscription } from './subscribers.ts';
import type { World } from './world.ts';

const KEY = { 'x-api-key': CLIENT_HEADERS['x-api-key']! };

/** The settings of a server that receives and sends webhooks. */
export const webhookSettings = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  WEBHOOK_ALLOW_PRIVATE: 'on',
  WEBHOOK_AUTH_TOKENS: `shop=${NOTIFICATION_TOKEN}`,
  API_KEYS: `shop=${KEY['x-api-key']}`,
});

const CREATE = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { authToken webhook { id } } }';
/** The types of received notifications differ from those of derived events. */
const RECEIVED = `query { webhookEvents(types: [DROPPED_TRANSACTION], first: 500) { nodes { id ${FACT_FIELDS} } } }`;
const SUBSCRIPTION = `subscription ($after: ID) { webhookEvents(types: [DROPPED_TRANSACTION], after: $after) { id ${FACT_FIELDS} } }`;
const DERIVED = `query ($after: String) { webhookEvents(types: [MINED_TRANSACTION, ADDRESS_ACTIVITY], first: 500, after: $after) {
  pageInfo { hasNextPage endCursor }
  nodes {
    id removed
    ... on MinedTransactionEvent { hash fullTransaction { blockHash } }
    ... on AddressActivityEvent { activity { removed from { address } to { address } blockNumber rawContract { rawValue address } } }
  }
} }`;
const DELIVERIES = `query ($id: ID!, $after: String) { webhook(id: $id) { deliveries(first: 500, after: $after) {
  pageInfo { hasNextPage endCursor } nodes { id status }
} } }`;

const NOTIFICATIONS = 60;
/** Failed attempts of a delivery: the retry after the second one comes within a minute. */
const MAX_FAILURES = 2;

/** Registers webhooks at a receiver that fails at times, and sends notifications until each is acknowledged. */
export async function startWebhooks(world: World) {
  const { draw, chain, pause } = world;
  const accepted = new Map<string, { readonly body: string; readonly headers: Record<string, string> }>();
  const failures = new Map<string, number>();
  const receiver = await startReceiver((response, { headers, body }) => {
    const id = String(headers['webhook-id']);
    const failed = failures.get(id) ?? 0;
    if (failed < MAX_FAILURES && draw.chance(0.2)) {
      failures.set(id, failed + 1);
      return draw.pick(FAILURES)(response);
    }
    world.counts.deliveries += 1;
    accepted.set(id, { body, headers: headers as Record<string, string> });
    response.end();
  });

  /** Repeats a request until it succeeds. */
  const untilDone = async <T>(request: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const done = await request().catch(() => undefined);
      if (done !== undefined) return done;
      await pause(200 + draw.below(800));
    }
  };
  const untilAccepted = (...request: Parameters<World['post']>) =>
    untilDone(async () => ((await world.post(...request)).status === 200 ? true : undefined));
  const execute = (query: string, variables: object = {}): Promise<any> =>
    untilDone(async () => {
      const { body } = await world.post('/graphql', JSON.stringify({ query, variables }), KEY);
      return body?.errors ? undefined : body?.data;
    });
  /** Reads all pages of a connection, the newest nodes first. */
  const readAll = async (query: string, connectionOf: (data: any) => any, variables: object = {}): Promise<any[]> => {
    const nodes = [];
    for (let after: string | null = null; ; ) {
      const page = connectionOf(await execute(query, { ...variables, after }));
      nodes.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) return nodes;
      after = page.pageInfo.endCursor;
    }
  };

  /** Acknowledged registrations: blocks above their height count. */
  const registrations: { readonly id: string; readonly token: string; readonly above: number }[] = [];
  const registered = new Set(ACCOUNTS.slice(0, 1 + draw.below(3)));
  const register = async (type: string) => {
    const { createWebhook } = await execute(CREATE, { input: { type, url: receiver.url, addresses: [...registered] } });
    registrations.push({ id: createWebhook.webhook.id, token: createWebhook.authToken, above: chain.head.height });
  };

  const sent: string[] = [];
  const subscribed: string[] = [];
  const notify = async ({ fact, body }: Delivery): Promise<void> => {
    const headers = { 'x-svc-signature': sign(NOTIFICATION_TOKEN, body) };
    await untilAccepted('/webhooks', body, headers);
    sent.push(fact);
  };
  const notifications = createDeliveries(draw, NOTIFICATIONS).filter(({ fact }) => fact.startsWith('DROPPED'));
  let leave = () => {};
  const run = async (): Promise<void> => {
    // Events are derived from the first head of the server.
    await untilAccepted('/readyz');
    await pause(1_000);
    await Promise.all(['MINED_TRANSACTION', 'ADDRESS_ACTIVITY'].map(register));
    const [first, ...others] = notifications;
    if (!first) return;
    await notify(first);
    const [{ id }] = (await execute(RECEIVED)).webhookEvents.nodes;
    const onEvent = (event: any) => void subscribed.push(factOf(event));
    const cursorOf = ({ webhookEvents }: any) => webhookEvents.id;
    leave = followSubscription(world, {
      name: 'webhook events',
      query: SUBSCRIPTION,
      after: id,
      headers: KEY,
      cursorOf,
      onEvent,
    });
    await Promise.all(
      others.map(async (delivery) => {
        await pause(draw.below(20_000));
        await notify(delivery);
      }),
    );
  };
  let isDone = false;
  run().then(() => {
    isDone = true;
  }, world.fail);

  const factsAbove = (height: number): string[] => {
    const facts: string[] = [];
    for (let block = chain.head; block.height > height; block = block.parent!) facts.push(...expectedFacts(block, registered));
    return facts;
  };
  const derivedFacts = async () => (await readAll(DERIVED, ({ webhookEvents }) => webhookEvents)).flatMap(factsOf);
  /** The facts since both registrations were acknowledged. */
  const requiredFacts = () => factsAbove(Math.max(...registrations.map(({ above }) => above)));
  const deliveriesOf = (id: string) => readAll(DELIVERIES, ({ webhook }) => webhook.deliveries, { id });
  return {
    /** Whether everything was sent and has arrived. */
    async isComplete(): Promise<boolean> {
      if (!isDone || missingOf(requiredFacts(), await derivedFacts()).length > 0) return false;
      const waiting = await Promise.all(registrations.map(({ id }) => deliveriesOf(id)));
      return waiting.flat().every(({ status }) => status === 'DELIVERED');
    },
    async check(): Promise<void> {
      recovers(isDone, 'each notification is acknowledged', { registrations, sent: sent.length, all: notifications.length });
      const received = (await execute(RECEIVED)).webhookEvents.nodes.map(factOf).reverse();
      eachNotificationOnce(received, sent);
      if (received.length > 0) eachNotificationOnce([received[0], ...subscribed], received);
      eventsAreThoseOfTheChain(await derivedFacts(), { required: requiredFacts(), possible: factsAbove(0) });
      for (const { id, token } of registrations) deliveredAtLeastOnce(await deliveriesOf(id), accepted, new Webhook(token));
    },
    async stop(): Promise<void> {
      leave();
      await receiver.close();
    },
  };
}

/** The facts of an event that no reorg has removed, in the form of `expectedFacts`. */
function factsOf({ removed, hash, fullTransaction, activity }: any): string[] {
  if (removed) return [];
  if (hash) return [`mined ${hash} ${fullTransaction.blockHash}`];
  return activity.map(
    ({ from, to, blockNumber, rawContract }: any) =>
      `transfer ${Number(blockNumber)} ${from.address} ${to.address} ${rawContract.address} ${rawContract.rawValue}`,
  );
}

const FAILURES: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.socket?.destroy(),
  // Never responds.
  () => undefined,
];
