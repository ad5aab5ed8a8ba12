import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { sendWebhook } from '../../support/webhooks/sender.ts';

const FARM_KEY = 'farm-key-canary-Zt72Lq';
const SHOP_TOKEN = 'shop-token-canary-Hq81Nd';
/** Events of about 2 MB in the database. */
const LONG_EVENTS = 30;
const TRANSFERS = 8_000;
const SAMPLES = 40;
/** How much longer a request of another application may take than without the attack, and what is always permitted. */
const MAX_FACTOR = 50;
const ALWAYS_PERMITTED_MS = 400;

let postgres: TestPostgres;
let graph: GraphProcess;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const { nodeService, wizardService } = sharedDevnet();
  graph = await startGraph({
    RPC_URL: nodeService.http,
    RPC_WS_URL: nodeService.ws,
    WIZARDS_URL: wizardService.url,
    DATABASE_URL: await postgres.createDatabase(),
    API_KEYS: `shop=${CLIENT_HEADERS['x-api-key']},farm=${FARM_KEY}`,
    WEBHOOK_AUTH_TOKENS: `shop=${SHOP_TOKEN}`,
    WEBHOOK_DERIVATION: 'off',
    LOG_LEVEL: 'warn',
  });
  for (let event = 0; event < LONG_EVENTS; event++) {
    const activity = Array.from({ length: TRANSFERS }, (_, i) => ({ blockNum: event * TRANSFERS + i, category: 'token' }));
    const body = JSON.stringify({ app: 'shop', network: 'ETH_MAINNET', webhookType: 'ADDRESS_ACTIVITY', activity });
    // A busy machine may not prepare the database in time: 503, as the sender of the service description repeats it.
    await waitUntil(async () => (await sendWebhook(graph.url, SHOP_TOKEN, body)).status === 200, 'the event is stored');
  }
});
afterAll(() => postgres?.stop());

/** The median time of a request of the other application, none of which may fail. */
async function medianMs(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const start = performance.now();
    const response = await fetch(`${graph.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': FARM_KEY },
      body: JSON.stringify({ query: '{ webhooks { nodes { id } } }' }),
    });
    expect(await response.json()).toEqual({ data: { webhooks: { nodes: [] } } });
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[SAMPLES / 2]!;
}

const aliases = (count: number, field: string): string =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: ${field.replace('ID', String(i))}`).join(' ')} }`;

test.each([
  ['200 webhooks by their ids', 10, aliases(200, 'webhook(id: "ID") { id }')],
  ['200 pages after a cursor with U+0000', 3, aliases(200, 'webhooks(after: "\\u0000") { nodes { id } }')],
  ['five pages of long events', 2, aliases(5, 'webhookEvents(first: 500) { nodes { id } }')],
  [
    'five pages of long events with their transfers',
    2,
    aliases(5, 'webhookEvents(first: 500) { nodes { ... on AddressActivityEvent { activity { category } } } }'),
  ],
])('operations with %s do not starve another application', async (_fields, clients, query) => {
  const baseline = await medianMs();
  let isOver = false;
  const attackers = Array.from({ length: clients }, async () => {
    while (!isOver) await graph.execute(query);
  });
  const attacked = await medianMs().finally(() => {
    isOver = true;
  });
  await Promise.all(attackers);
  expect(attacked).toBeLessThan(Math.max(ALWAYS_PERMITTED_MS, MAX_FACTOR * baseline));
});
