import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { executeOverHttp, type HttpResponse } from '../../support/graph/running-graph.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createDeliveries, FACT_FIELDS, factOf } from '../../support/webhooks/deliveries.ts';
import { startRestartingServer } from '../../support/webhooks/restarting-server.ts';
import { startResumingEventListener } from '../../support/webhooks/resuming-event-listener.ts';
import { createRetryingSender } from '../../support/webhooks/retrying-sender.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';

const SEED = readSeed();
const DELIVERIES = runSize(500, 10_000);
/** Of the server in the first half of the deliveries, and of the database in the second. */
const KILLS = runSize(3, 50);
const CONCURRENCY = 16;
const TOKEN = 'shop-token-canary-Hq81Nd';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

test(`each of ${DELIVERIES} deliveries becomes one event across ${KILLS} kills of the server and ${KILLS} of the database (SEED=${SEED})`, async () => {
  const draw = createRandomChoices(SEED);
  const { nodeService } = sharedDevnet();
  const databaseUrl = await postgres.createDatabase();
  const server = await startRestartingServer({
    RPC_URL: nodeService.http,
    RPC_WS_URL: nodeService.ws,
    DATABASE_URL: databaseUrl,
    API_KEYS: `shop=${CLIENT_HEADERS['x-api-key']}`,
    WEBHOOK_AUTH_TOKENS: `shop=${TOKEN}`,
  });
  // The listener resumes after this event when it is cut off before any other.
  await waitUntil(async () => (await sendWebhook(server.url, TOKEN, randomBody())).ok, 'the first event is stored');
  const [first] = await readPages(server.url);
  const listener = startResumingEventListener(server, first!.id);

  const started = performance.now();
  const progress = createProgress();
  const deliveries = createDeliveries(draw, DELIVERIES);
  const sender = createRetryingSender({
    server,
    token: TOKEN,
    deliveries,
    concurrency: CONCURRENCY,
    draw: createRandomChoices(SEED + 1),
    onAcknowledged: progress.advance,
  });
  const sent = sender.sendAll();
  const killAll = async () => {
    for (const count of randomMoments(0)) {
      await progress.reached(count);
      await turns(draw.below(40));
      await server.killAndRestart();
    }
    for (const count of randomMoments(DELIVERIES / 2)) {
      await progress.reached(count);
      await turns(draw.below(40));
      await postgres.kill();
      if (draw.chance(0.5)) listener.disconnect();
      await postgres.restart();
    }
  };
  const randomMoments = (from: number) =>
    draw.many(KILLS, () => from + draw.below(DELIVERIES / 2 - CONCURRENCY)).sort((a, b) => a - b);
  await Promise.race([Promise.all([sent, killAll()]), listener.failed]);
  const seconds = (performance.now() - started) / 1_000;

  const rows = await runSql<{ id: string; fact: string }>(databaseUrl, EVENTS_BY_SEQUENCE);
  const facts = new Set(deliveries.map(({ fact }) => fact));
  const stored = rows.slice(1);
  expect(stored.map(({ fact }) => fact).sort()).toEqual([...facts].sort());
  // A lost event would be stored again by a repeat.
  expect([...sender.stored].filter(([, times]) => times > 1)).toEqual([]);
  expect(await readPages(server.url)).toEqual([...rows].reverse());
  await waitUntil(() => listener.received().length >= stored.length, 'the subscription has every event');
  await listener.stop();
  expect(listener.received()).toEqual(stored);
  await server.running();
  process.stdout.write(
    `webhooks: ${DELIVERIES} deliveries of ${facts.size} events, ${KILLS} kills of the server and ${KILLS} of the database; ` +
      `${sender.retries.disconnected} broken and ${sender.retries.unavailable} rejected requests, ${listener.resumptions} resumptions; ` +
      `${stored.length} events stored, 0 lost, 0 duplicated; ${seconds.toFixed(0)} s (SEED=${SEED})\n`,
  );
});

/** The facts of the stored events, computed in the database. */
const EVENTS_BY_SEQUENCE = `select id, type || ' ' || coalesce(content->'fullTransaction'->>'hash', content->'activity'->0->>'transactionHash',
  content->'gasPrice'->>'average', content->>'error') as fact from webhook_events order by sequence`;

const PAGE = `query ($after: String) { webhookEvents(first: 500, after: $after) { nodes { ${FACT_FIELDS} } pageInfo { hasNextPage endCursor } } }`;

/** All events of the graph, the newest first. */
async function readPages(url: string): Promise<{ id: string; fact: string }[]> {
  const events: { id: string; fact: string }[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors }: HttpResponse = await executeOverHttp(url, PAGE, { after });
    // Until the server has noticed that the database is running again.
    if (errors?.[0]?.extensions.code === 'STORE_UNAVAILABLE') continue;
    expect(errors).toBeUndefined();
    const { nodes, pageInfo }: any = data.webhookEvents;
    events.push(...nodes.map((node: any) => ({ id: node.id, fact: factOf(node) })));
    if (!pageInfo.hasNextPage) return events;
    after = pageInfo.endCursor;
  }
}

/** A count that others wait for. */
function createProgress() {
  let count = 0;
  let notify: () => void = () => {};
  return {
    advance: (next: number) => {
      count = next;
      notify();
    },
    async reached(target: number): Promise<void> {
      while (count < target) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
  };
}

/** Spreads kills over the time of a request. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
