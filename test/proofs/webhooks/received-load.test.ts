import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { runSize } from '../../support/random-tests.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';

const LARGE = runSize(40, 100);
/** Transfers of a body of almost 1 MiB. */
const TRANSFERS = 2_900;
/** Of every application, so that the server must read the application of a body. */
const TOKEN = 'any-token-canary-Pm43Vs';
/** Of the longest delay of others to the time that the large notifications take, which depends on the machine. */
const MAX_SHARE = 1 / 3;

let postgres: TestPostgres;
let graph: GraphProcess;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const { nodeService } = sharedDevnet();
  graph = await startGraph({
    RPC_URL: nodeService.http,
    RPC_WS_URL: nodeService.ws,
    DATABASE_URL: await postgres.createDatabase(),
    WEBHOOK_AUTH_TOKENS: TOKEN,
    LOG_LEVEL: 'warn',
  });
});
afterAll(() => postgres?.stop());

/** An activity of almost 1 MiB. Each activity has transfers of another block. */
function largeBody(index: number): string {
  const [transfer] = BODIES.ADDRESS_ACTIVITY.activity;
  const activity = Array.from({ length: TRANSFERS }, (_none, i) => ({
    ...transfer,
    fromAddress: `0x${i.toString(16).padStart(64, '0')}`,
    blockNum: `0x${(index + 1).toString(16)}`,
  }));
  return JSON.stringify({ ...BODIES.ADDRESS_ACTIVITY, app: 'large', activity });
}

/** Sends a body, and once more after the time of `retry-after` if the response is 503. Returns the statuses. */
async function sendWithRetry(body: string): Promise<readonly number[]> {
  const response = await sendWebhook(graph.url, TOKEN, body);
  if (response.status !== 503) return [response.status];
  await wait(Number(response.headers.get('retry-after')) * 1_000);
  return [503, (await sendWebhook(graph.url, TOKEN, body)).status];
}

/** Repeats a request until `isDone`. Returns the longest response time. */
async function longestTime(request: () => Promise<Response>, isDone: () => boolean): Promise<number> {
  let longest = 0;
  do {
    const start = performance.now();
    expect((await request()).status).toBe(200);
    longest = Math.max(longest, performance.now() - start);
    await wait(10);
  } while (!isDone());
  return longest;
}

test(`${LARGE} notifications of 1 MiB at once are stored, and neither another application nor a query waits for all of them`, async () => {
  const bodies = Array.from({ length: LARGE }, (_none, index) => largeBody(index));
  expect(Buffer.byteLength(bodies[0]!)).toBeGreaterThan(900_000);
  const sendSmall = () => sendWebhook(graph.url, TOKEN, randomBody('small'));
  const query = () => fetch(`${graph.url}/graphql?query={__typename}`);
  let isSent = false;
  const start = performance.now();
  const sent = Promise.all(bodies.map(sendWithRetry)).finally(() => {
    isSent = true;
  });
  const [statuses, smallMs, queryMs] = await Promise.all([
    sent,
    longestTime(sendSmall, () => isSent),
    longestTime(query, () => isSent),
  ]);
  const totalMs = performance.now() - start;
  process.stdout.write(
    `webhooks: ${LARGE} notifications of 1 MiB stored in ${Math.round(totalMs)} ms, ` +
      `${statuses.filter(({ length }) => length > 1).length} after a retry; meanwhile at most ${Math.round(smallMs)} ms ` +
      `for a notification of another application and ${Math.round(queryMs)} ms for a query\n`,
  );
  expect(statuses.map((each) => each.at(-1))).toEqual(Array(LARGE).fill(200));
  expect(Math.max(smallMs, queryMs) / totalMs).toBeLessThan(MAX_SHARE);
});
