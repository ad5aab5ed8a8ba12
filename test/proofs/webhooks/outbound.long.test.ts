import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { Database } from '../../../src/database/database.ts';
import { stopAfterTests, untilTestsEnd } from '../../support/cleanups.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  addWithBodies,
  createDeliveryDatabase,
  createRegistration,
  type DeliveryWithBody,
  type TestRegistration,
  waitUntilPrepared,
} from '../../support/webhooks/delivery-setup.ts';
import { startReceiver, type TestReceiver } from '../../support/webhooks/receiver.ts';

const SEED = readSeed();
const DELIVERIES = runSize(2_000, 100_000);
/** Number of kills of servers, and number of kills of the database. */
const KILLS = runSize(3, 100);
const SERVERS = 2;
const REGISTRATIONS = 20;
/** Maximum number of deliveries that are added and have not arrived. */
const MAX_WAITING = 2_000;

let postgres: TestPostgres;
let database: Database;
let url: string;
const receivers: TestReceiver[] = [];
const servers: ChildProcess[] = [];

function startServer(): ChildProcess {
  const args = ['--import', 'tsx', 'test/support/webhooks/delivery-server.ts', url];
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  stopAfterTests(async () => server.kill('SIGKILL'));
  return server;
}

async function killServer(index: number): Promise<void> {
  const server = servers[index]!;
  server.kill('SIGKILL');
  await once(server, 'exit');
  servers[index] = startServer();
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = untilTestsEnd(createDeliveryDatabase(url));
  await waitUntilPrepared(database);
});

test(`each of ${DELIVERIES} deliveries arrives across ${KILLS} kills of servers and ${KILLS} of the database`, async () => {
  const draw = createRandomChoices(SEED);
  const accepted = new Set<string>();
  const requests = { all: 0, invalid: 0 };
  const idsByBody = new Map<string, Set<string>>();
  const registrations: TestRegistration[] = [];

  const respond = (registration: () => TestRegistration) => (response: ServerResponse, delivery: TestReceiver['received'][0]) => {
    requests.all += 1;
    const id = String(delivery.headers['webhook-id']);
    idsByBody.set(delivery.body, (idsByBody.get(delivery.body) ?? new Set()).add(id));
    try {
      new Webhook(registration().token).verify(delivery.body, delivery.headers as Record<string, string>);
    } catch {
      requests.invalid += 1;
    }
    draw.weighted([
      [900, () => accept(response, id)],
      [50, () => response.writeHead(500).end()],
      [30, () => response.socket?.destroy()],
      [20, () => void setTimeout(() => accept(response, id), 100)],
    ])();
  };
  const accept = (response: ServerResponse, id: string): void => {
    accepted.add(id);
    response.end();
  };
  for (let i = 0; i < REGISTRATIONS; i++) {
    const receiver = await startReceiver(respond(() => registrations[i]!));
    receivers.push(receiver);
    registrations.push(await createRegistration(database, receiver.url));
  }
  for (let i = 0; i < SERVERS; i++) servers.push(startServer());

  const started = performance.now();
  const deliveries = Array.from(
    { length: DELIVERIES },
    (_none, i): DeliveryWithBody => ({
      id: `delivery-${i}`,
      registrationId: draw.pick(registrations).id,
      eventId: null,
      body: `{"number":${i}}`,
    }),
  );
  const addAll = async (): Promise<void> => {
    for (let added = 0; added < DELIVERIES; ) {
      await waitUntil(() => added - accepted.size < MAX_WAITING, 'deliveries arrive', 300_000);
      const chunk = deliveries.slice(added, added + 1 + draw.below(100));
      try {
        // A chunk is repeated after a lost response; deliveries with a known id are not added again.
        await database.transaction((query) => addWithBodies(query, chunk));
        added += chunk.length;
      } catch {
        await waitUntilPrepared(database);
      }
    }
  };
  const killAll = async (): Promise<void> => {
    const moments = draw
      .many(2 * KILLS, (at) => ({ at: draw.below(DELIVERIES), isServer: at < KILLS }))
      .sort((a, b) => a.at - b.at);
    for (const { at, isServer } of moments) {
      await waitUntil(() => accepted.size >= at, 'deliveries arrive', 300_000);
      if (isServer) await killServer(draw.below(SERVERS));
      else {
        await postgres.kill();
        await postgres.restart();
      }
    }
  };
  await Promise.all([addAll(), killAll()]);
  // A job whose assignment was lost without the end of its connection is found after a minute, by a search each minute.
  await waitUntil(() => accepted.size === DELIVERIES, 'every delivery has arrived', 300_000);
  const seconds = (performance.now() - started) / 1_000;

  const unfinished = "select count(*)::integer as count from webhook_deliveries where status <> 'DELIVERED'";
  const countUnfinished = async (): Promise<number> => (await database.query<{ count: number }>(unfinished))[0]!.count;
  await waitUntil(async () => (await countUnfinished().catch(() => 1)) === 0, 'every delivery is recorded');
  const stored = await database.query<{ deliveries: number; attempts: number }>(
    `select (select count(*)::integer from webhook_deliveries) as deliveries, (select count(*)::integer from webhook_attempts) as attempts`,
  );
  expect(stored[0]!.deliveries).toBe(DELIVERIES);
  expect(stored[0]!.attempts).toBeLessThanOrEqual(requests.all);
  expect(requests.invalid).toBe(0);
  // All requests of a delivery have one id.
  expect([...idsByBody.values()].filter((ids) => ids.size !== 1)).toEqual([]);
  expect(idsByBody.size).toBe(DELIVERIES);
  const unrecorded = requests.all - stored[0]!.attempts;
  process.stdout.write(
    `deliveries: ${DELIVERIES} to ${REGISTRATIONS} receivers, ${KILLS} kills of servers and ${KILLS} of the database; ${requests.all} signed ` +
      `requests, ${unrecorded} of them repeated because a kill came before their record; 0 lost; ${seconds.toFixed(0)} s (SEED=${SEED})\n`,
  );
});
