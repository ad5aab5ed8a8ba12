import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { executeOverHttp, type HttpResponse } from '../../support/graph/running-graph.ts';
import { runSql, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { createDeliveries, type Delivery, FACT_FIELDS, factOf } from '../../support/webhooks/deliveries.ts';
import { startRestartingServer } from '../../support/webhooks/restarting-server.ts';
import { sendWebhook } from '../../support/webhooks/sender.ts';

const SEED = readSeed();
const DELIVERIES = runSize(500, 10_000);
/** Kills of the server in the first half of the deliveries, and kills of the database in the second half. */
const KILLS = runSize(3, 50);
const CONCURRENCY = 16;
/** Maximum pause after a 503. */
const MAX_BACKOFF_MS = 200;
const TOKEN = 'shop-token-canary-Hq81Nd';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});

test(`each of ${DELIVERIES} deliveries becomes one event across ${KILLS} kills of the server and ${KILLS} of the database`, async () => {
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
  const started = performance.now();
  const deliveries = createDeliveries(draw, DELIVERIES);
  const stored = new Map<string, number>();
  const retries = { unavailable: 0, disconnected: 0 };
  const progress = createProgress();

  /** Sends one delivery as the notification service does: again until the response is 200. */
  const send = async ({ fact, body }: Delivery): Promise<void> => {
    for (;;) {
      await server.running();
      const response = await sendWebhook(server.url, TOKEN, body).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response?.status === 200 && text !== undefined) {
        const isStored = (JSON.parse(text) as { status: string }).status === 'stored';
        stored.set(fact, (stored.get(fact) ?? 0) + Number(isStored));
        return progress.advance();
      }
      if (response && text !== undefined) {
        expect(response.status).toBe(503);
        retries.unavailable += 1;
        await sleep(draw.below(MAX_BACKOFF_MS));
      } else retries.disconnected += 1;
    }
  };
  let next = 0;
  const sendAll = async (): Promise<void> => {
    while (next < deliveries.length) await send(deliveries[next++]!);
  };
  const killAll = async (): Promise<void> => {
    for (const count of randomMoments(0)) {
      await progress.reached(count);
      await turns(draw.below(40));
      await server.killAndRestart();
    }
    for (const count of randomMoments(DELIVERIES / 2)) {
      await progress.reached(count);
      await turns(draw.below(40));
      await postgres.kill();
      await postgres.restart();
    }
  };
  const randomMoments = (from: number) =>
    draw.many(KILLS, () => from + draw.below(DELIVERIES / 2 - CONCURRENCY)).sort((a, b) => a - b);
  await Promise.all([...Array.from({ length: CONCURRENCY }, sendAll), killAll()]);
  const seconds = (performance.now() - started) / 1_000;

  const rows = await runSql<{ id: string; fact: string }>(databaseUrl, EVENTS_BY_SEQUENCE);
  const facts = new Set(deliveries.map(({ fact }) => fact));
  expect(rows.map(({ fact }) => fact).sort()).toEqual([...facts].sort());
  // If an event was lost, its repeat is stored a second time.
  expect([...stored].filter(([, times]) => times > 1)).toEqual([]);
  expect(await readPages(server.url)).toEqual([...rows].reverse());
  await server.running();
  process.stdout.write(
    `webhooks: ${DELIVERIES} deliveries of ${facts.size} events, ${KILLS} kills of the server and ${KILLS} of the database; ` +
      `${retries.disconnected} broken and ${retries.unavailable} rejected requests; ${rows.length} events stored, 0 lost, ` +
      `0 duplicated; ${seconds.toFixed(0)} s (SEED=${SEED})\n`,
  );
});

/** The facts of the stored events, computed in the database. */
const EVENTS_BY_SEQUENCE = `select id, type || ' ' || coalesce(content->'fullTransaction'->>'hash', content->'activity'->0->>'transactionHash')
  as fact from webhook_events order by sequence`;

const PAGE = `query ($after: String) { webhookEvents(first: 500, after: $after) { nodes { ${FACT_FIELDS} } pageInfo { hasNextPage endCursor } } }`;

/** All events of the graph, the newest first. */
async function readPages(url: string): Promise<{ id: string; fact: string }[]> {
  const events: { id: string; fact: string }[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors }: HttpResponse = await executeOverHttp(url, PAGE, { after });
    // Repeats the read until the server has noticed that the database is running again.
    if (errors?.[0]?.extensions.code === 'STORE_UNAVAILABLE') continue;
    expect(errors).toBeUndefined();
    const { nodes, pageInfo }: any = data.webhookEvents;
    events.push(...nodes.map((node: any) => ({ id: node.id, fact: factOf(node) })));
    if (!pageInfo.hasNextPage) return events;
    after = pageInfo.endCursor;
  }
}

/** A count, and promises that wait until it reaches a value. */
function createProgress() {
  let count = 0;
  let notify: () => void = () => {};
  return {
    advance(): void {
      count += 1;
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
