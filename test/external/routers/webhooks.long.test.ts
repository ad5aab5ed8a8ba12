import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { CLIENT_HEADERS } from '../../support/secrets.ts';
import { BODIES } from '../../support/webhooks/bodies.ts';
import { randomBody, sendWebhook } from '../../support/webhooks/sender.ts';
import {
  APOLLO_GATEWAY,
  composeSupergraph,
  HIVE_GATEWAY,
  HIVE_GATEWAY_WEBSOCKET,
  type Router,
  startRouter,
} from './router-processes.ts';
import { createDatabase, readDevnet, type Subgraphs, startSubgraphs, upstreamSettings, urlsOf } from './split-graph.ts';

/** The key of the application `shop`, in the headers of the clients of the tests. */
const KEY = CLIENT_HEADERS['x-api-key']!;
const TOKEN = 'shop-token-canary-Hq81Nd';
const FARM_KEY = 'farm-key-canary-Zt72Lq';
const FARM_TOKEN = 'farm-token-canary-Wc52Xe';

let graph: GraphProcess;
let subgraphs: Subgraphs;
let devnet: DevnetDescription;
let supergraph: string;

/** Callers and webhooks belong to the application `shop`; the one graph and the subgraph share the database. */
beforeAll(async () => {
  const settings = {
    DATABASE_URL: await createDatabase(),
    API_KEYS: `shop=${KEY},farm=${FARM_KEY}`,
    WEBHOOK_AUTH_TOKENS: `shop=${TOKEN},farm=${FARM_TOKEN}`,
    LOG_LEVEL: 'error',
  };
  graph = await startGraph({ DEVNET_LIFE: 'off', ...settings });
  devnet = await readDevnet(graph);
  subgraphs = await startSubgraphs({ ...upstreamSettings(devnet), ...settings });
  supergraph = await composeSupergraph(urlsOf(subgraphs));
  for (const body of await notifications()) expect((await sendWebhook(subgraphs.webhooks.url, TOKEN, body)).status).toBe(200);
});

/** Notifications of each type. A transaction, its block, its sender and a token are on the chain. */
async function notifications(): Promise<string[]> {
  const { accounts, contracts, landmarks, nodeService } = devnet;
  const fullTransaction = await rpc(nodeService.http, 'eth_getTransactionByHash', [landmarks.tokenTransfer]);
  const [transfer] = BODIES.ADDRESS_ACTIVITY.activity;
  const [alice, bob] = accounts.map(({ address }) => `0x${address.slice(2).padStart(64, '0')}`);
  const activity = {
    ...transfer,
    fromAddress: alice,
    toAddress: bob,
    blockNum: fullTransaction.blockNumber,
    rawContract: { ...transfer.rawContract, address: contracts[0]!.address },
  };
  return [
    ...Object.values(BODIES),
    { ...BODIES.MINED_TRANSACTION, fullTransaction },
    { ...BODIES.ADDRESS_ACTIVITY, activity: [activity, transfer] },
  ].map((body) => JSON.stringify(body));
}

/** `balance` and `block` are of the chain, `symbol` of the tokens, `wizards` of the wizards. */
const PAGE = `query ($first: Int, $after: String) { webhookEvents(first: $first, after: $after) {
  edges { cursor } pageInfo { hasNextPage endCursor }
  nodes { __typename id type app timestamp receivedAt
    ... on MinedTransactionEvent { hash transaction { status value block { number hash } from { address balance } } }
    ... on DroppedTransactionEvent { fullTransaction { nonce blockHash } transaction { hash } }
    ... on AddressActivityEvent { activity {
      from { address balance } to { address balance wizards { totalCount } } blockNumber block { hash timestamp }
      rawContract { rawValue token { address symbol decimals } } } }
    ... on GasPriceEvent { gasPrice { average } }
    ... on CapacityExceededEvent { error webhookType } } } }`;

const codesOf = ({ errors = [] }: { readonly errors?: readonly any[] }): string[] =>
  errors.map(({ extensions }) => extensions?.code);

describe.each([HIVE_GATEWAY, APOLLO_GATEWAY])('$name', (kind) => {
  let router: Router;

  beforeAll(async () => {
    router = await startRouter(kind, supergraph);
  });

  test.each([
    ['authorization', `Bearer ${KEY}`],
    ['x-api-key', KEY],
  ])(
    'pages of webhook events equal the pages of the one graph, with transactions, accounts, tokens and blocks, for a key in %s',
    async (header, value) => {
      const all = await router.execute(PAGE, {}, { [header]: value });
      expect(all).toEqual({ status: 200, data: (await graph.execute(PAGE)).data });
      const { nodes } = all.data.webhookEvents;
      expect(nodes).toHaveLength(7);
      expect(nodes[0].activity[0]).toMatchObject({ block: {}, rawContract: { token: { symbol: devnet.contracts[0]!.symbol } } });
      expect(nodes[1].transaction).toMatchObject({ status: '0x1', from: { balance: expect.any(String) } });
      const variables = { first: 2, after: nodes[0].id };
      const page = await router.execute(PAGE, variables, { 'x-api-key': KEY });
      expect(page).toEqual({ status: 200, data: (await graph.execute(PAGE, variables)).data });
    },
  );

  test('webhook events without a key, and with an invalid one, fail with UNAUTHENTICATED', async () => {
    const query = '{ webhookEvents { nodes { id } } }';
    const anonymous = await router.execute(query);
    expect([anonymous.data?.webhookEvents ?? null, codesOf(anonymous)]).toEqual([null, ['UNAUTHENTICATED']]);
    const wrong = await router.execute(query, {}, { 'x-api-key': 'not-a-key-of-this-server' });
    expect([wrong.data?.webhookEvents ?? null, codesOf(wrong)]).toEqual([null, ['UNAUTHENTICATED']]);
    expect((await router.execute('{ chainID }')).data).toEqual({ chainID: '0x7a69' });
  });
});

describe.each([HIVE_GATEWAY, HIVE_GATEWAY_WEBSOCKET])('$name', (kind) => {
  const LIVE = `subscription ($after: ID) { webhookEvents(after: $after) { id
    ... on MinedTransactionEvent { hash fullTransaction { nonce } transaction { hash } } } }`;

  /** A client whose key is in `connection_init`. */
  const connect = (router: Router, connectionParams?: Record<string, unknown>) =>
    createClient({
      url: `${router.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      onNonLazyError: () => {},
      ...(connectionParams && { connectionParams }),
    });

  test('subscribers receive each webhook event once, and resume after its id', async () => {
    const router = await startRouter(kind, supergraph);
    const bodies = Array.from({ length: 5 }, () => randomBody());
    const { data } = await graph.execute('{ webhookEvents(first: 1) { nodes { id } } }');
    const client = connect(router, { 'x-api-key': KEY });
    const events: any[] = [];
    const read = async (count: number, after: string) => {
      for await (const result of client.iterate({ query: LIVE, variables: { after } })) {
        expect(result.errors).toBeUndefined();
        events.push((result.data as any).webhookEvents);
        if (events.length === count) return;
      }
    };
    const first = read(3, data.webhookEvents.nodes[0]!.id);
    for (const body of bodies.slice(0, 3)) await sendWebhook(graph.url, TOKEN, body);
    await first;
    for (const body of bodies.slice(3)) await sendWebhook(subgraphs.webhooks.url, TOKEN, body);
    await read(5, events[2].id);
    const hashes = bodies.map((body) => JSON.parse(body).fullTransaction.hash);
    expect(events.map(({ hash }) => hash)).toEqual(hashes);
    // The node has none of these transactions.
    expect(events[0]).toMatchObject({ fullTransaction: { nonce: '0x7' }, transaction: null });
    await client.dispose();
    await router.stop();
  });

  test('a subscription without a key fails with UNAUTHENTICATED', async () => {
    const router = await startRouter(kind, supergraph);
    const client = connect(router);
    const results: any[] = [];
    for await (const result of client.iterate({ query: LIVE })) results.push(result);
    expect(results.map(codesOf)).toEqual([['UNAUTHENTICATED']]);
    await client.dispose();
    await router.stop();
  });
});
