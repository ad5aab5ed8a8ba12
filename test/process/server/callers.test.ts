import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { connectEventStream } from '../../support/clients/event-stream-client.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { sharedDevnet, upstreamSettings } from '../../support/graph/devnet-setup.ts';
import { bodyOf, field, type ResponseError } from '../../support/graph/results.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.ts';
import { APP_KEYS, assertNoSecret, CLIENT_HEADERS, NOTIFICATION_TOKEN } from '../../support/secrets.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';
import {
  createIssuerKey,
  createKeySetServer,
  type IssuerKey,
  type KeySetServer,
} from '../../unit/server/callers/key-set-server.ts';

/** Callers of the built program: keys, tokens and limits, over HTTP, WebSocket and event streams. */
const SHOP_KEY = CLIENT_HEADERS['x-api-key']!;
const FARM_HASH = createHash('sha256').update(APP_KEYS.farm).digest('hex');
const CLAIMS = { iss: 'https://issuer.example/', aud: 'grimoire' };

let postgres: TestPostgres;
let keySet: KeySetServer;
let issuer: IssuerKey;
let graph: GraphProcess;
/** A server with a limit of requests. */
let limited: GraphProcess;
const sentTokens: string[] = [];

beforeAll(async () => {
  issuer = await createIssuerKey('ES256', 'key-1');
  keySet = await createKeySetServer([issuer.publicJwk]);
  [postgres] = await Promise.all([startTestPostgres(), keySet.start()]);
  const settings = {
    ...upstreamSettings(sharedDevnet()),
    API_KEYS: `shop=${SHOP_KEY},farm=sha256:${FARM_HASH},mill=${APP_KEYS.mill}`,
    TRUSTED_PROXIES: '127.0.0.1,::1',
  };
  [graph, limited] = await Promise.all([
    startGraph({
      ...settings,
      DATABASE_URL: await postgres.createDatabase(),
      WEBHOOK_AUTH_TOKENS: NOTIFICATION_TOKEN,
      JWT_JWKS_URL: keySet.url,
      JWT_ISSUER: CLAIMS.iss,
      JWT_AUDIENCE: CLAIMS.aud,
      JWT_APP_CLAIM: 'client_id',
    }),
    startGraph({ ...settings, RATE_LIMIT_REQUESTS: '4' }),
  ]);
});

afterAll(() => {
  for (const token of sentTokens) expect(graph.output()).not.toContain(token.slice(-20));
});

/** A token of the issuer for an application. */
async function tokenOf(app: string, claims: Record<string, unknown> = {}, key = issuer): Promise<string> {
  const token = await key.sign({ ...CLAIMS, client_id: app, ...claims });
  sentTokens.push(token);
  return token;
}

interface Result {
  readonly status: number;
  readonly headers: Headers;
  readonly data: any;
  readonly error: ResponseError['extensions'] | undefined;
}

async function send({ url }: GraphProcess, query: string, headers: Record<string, string> = {}): Promise<Result> {
  const response = await postJson(`${url}/graphql`, { query }, headers);
  const { data, errors } = await bodyOf(response);
  return { status: response.status, headers: response.headers, data, error: errors?.[0].extensions };
}

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const from = (address: string) => ({ 'x-forwarded-for': address });

const HEAD = '{ block { number } }';
const EVENTS = '{ webhookEvents(first: 500) { nodes { app } } }';

const appsIn = ({ data }: Result): string[] => [...new Set<string>(data.webhookEvents.nodes.map(field('app')))];

const store = async (app: string): Promise<void> => {
  expect((await sendWebhook(graph.url, NOTIFICATION_TOKEN, randomBody(app))).status).toBe(200);
};

/** A client of graphql-ws that sends no credentials but these. */
function connect({ url }: GraphProcess, connectionParams: Record<string, unknown>) {
  let close: (event: { code: number; reason: string }) => void;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    close = resolve;
  });
  class Watched extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols);
      this.on('message', (data) => assertNoSecret(String(data), 'a message'));
      this.on('close', (code, reason) => close({ code, reason: String(reason) }));
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Watched,
    connectionParams,
    retryAttempts: 0,
  });
  return { client, closed };
}

/** The first result of an operation, or its errors. */
const first = async (client: Client, query: string): Promise<any> => {
  try {
    for await (const result of client.iterate({ query })) return result;
    return undefined;
  } catch (error) {
    return { errors: error };
  }
};

describe('keys and tokens over HTTP', () => {
  beforeAll(async () => {
    for (const app of ['shop', 'farm', 'shop']) await store(app);
  });

  test('the chain needs no key, and webhook events need one', async () => {
    expect(await send(graph, HEAD)).toMatchObject({ status: 200, data: { block: { number: expect.any(String) } } });
    const { status, headers, error } = await send(graph, EVENTS);
    expect([status, headers.get('www-authenticate'), error!.code]).toEqual([401, 'Bearer', 'UNAUTHENTICATED']);
  });

  test('a key, and a key of which the server knows the hash, read the events of their application', async () => {
    for (const headers of [bearer(SHOP_KEY), { 'x-api-key': SHOP_KEY }])
      expect(appsIn(await send(graph, EVENTS, headers))).toEqual(['shop']);
    const farm = await send(graph, EVENTS, { 'x-api-key': APP_KEYS.farm });
    expect([appsIn(farm), farm.headers.get('cache-control')]).toEqual([['farm'], 'private, no-store']);
    expect(appsIn(await send(graph, EVENTS, bearer(APP_KEYS.mill)))).toEqual([]);
  });

  test('a token of the issuer reads the events of the application in its claim', async () => {
    await store('wallet');
    expect(appsIn(await send(graph, EVENTS, bearer(await tokenOf('wallet'))))).toEqual(['wallet']);
    expect(appsIn(await send(graph, EVENTS, { 'x-api-key': await tokenOf('wallet') }))).toEqual(['wallet']);
  });
});

/** Expects 429 with equal waiting times in the header and in the error. */
function expectLimited({ status, headers, error }: Result, setting: string): void {
  expect([status, error]).toEqual([
    429,
    expect.objectContaining({
      code: 'RATE_LIMITED',
      retryable: true,
      source: 'graph',
      setting,
      retryAfterMs: expect.any(Number),
    }),
  ]);
  expect(headers.get('retry-after')).toBe(String(Math.ceil(error!.retryAfterMs! / 1_000)));
}

describe('RATE_LIMIT_REQUESTS', () => {
  test('an application has one limit at all addresses and on all transports', async () => {
    for (let i = 0; i < 3; i++)
      expect((await send(limited, HEAD, { ...bearer(SHOP_KEY), ...from(`192.0.2.${i}`) })).status).toBe(200);
    const { client } = connect(limited, { 'x-api-key': SHOP_KEY });
    expect((await first(client, HEAD)).data.block.number).toMatch(/^0x/);
    expect((await first(client, HEAD)).errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', setting: 'RATE_LIMIT_REQUESTS', limit: 4, retryAfterMs: expect.any(Number) } },
    ]);
    expectLimited(await send(limited, HEAD, bearer(SHOP_KEY)), 'RATE_LIMIT_REQUESTS');
    const stream = await connectEventStream(limited.url, { query: HEAD });
    expect([stream.response.status, stream.response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    stream.close();
    expect((await send(limited, HEAD, { 'x-api-key': APP_KEYS.mill })).status).toBe(200);
    await client.dispose();
  });
});

test('REQUIRE_CALLER without API_KEYS and JWT_JWKS_URL does not start', async () => {
  await expect(startGraph({ REQUIRE_CALLER: 'on' })).rejects.toThrow('Set API_KEYS or JWT_JWKS_URL, too.');
});

test('servers stop and have written no key', async () => {
  expect(await Promise.all([graph, limited].map((server) => server.stop()))).toEqual([0, 0]);
});
