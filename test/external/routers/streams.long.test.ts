import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type GraphProcess, startGraph } from '../../support/graph/running-graph.ts';
import { startBalancer } from '../../support/proxies/balancer.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { APP_KEYS, CLIENT_HEADERS } from '../../support/secrets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { composeSupergraph, HIVE_GATEWAY_STREAMS, type Router, startRouter } from './router-processes.ts';
import { mineTransfer, readDevnet, startSubgraphs, upstreamSettings, urlsOf } from './split-graph.ts';

/** Named streams through Hive Gateway with its own reconnects, and Apollo Client with those of graphql-ws. */
const KILLS = runSize(10, 1_000);
const KEY = CLIENT_HEADERS['x-api-key']!;

let graph: GraphProcess;
let router: Router;
let cutSubgraph: () => void;

beforeAll(async () => {
  graph = await startGraph({ DEVNET_LIFE: 'off', LOG_LEVEL: 'error' });
  const settings = { ...upstreamSettings(await readDevnet(graph)), LOG_LEVEL: 'error' };
  const subgraphs = await startSubgraphs({ ...settings, API_KEYS: `shop=${KEY},farm=${APP_KEYS.farm}` });
  const balancer = await startBalancer();
  await balancer.addServer(subgraphs.chain.url);
  cutSubgraph = balancer.cutConnections;
  router = await startRouter(HIVE_GATEWAY_STREAMS, await composeSupergraph({ ...urlsOf(subgraphs), chain: balancer.url }));
});

/** Sends an operation until the router has a connection to the subgraph. */
async function execute(query: string, key = KEY): Promise<any> {
  for (;;) {
    const { data, errors } = await router.execute(query, {}, { 'x-api-key': key });
    if (!errors?.some(({ extensions }: any) => extensions?.code === 'UPSTREAM_UNAVAILABLE')) return { data, errors };
  }
}

test(`a stream loses no event across ${KILLS} kills on each side of the router, and repeats only what was not acknowledged`, async () => {
  const draw = random(readSeed());
  const devnet = await readDevnet(graph);
  const socket = createClient({
    url: `${router.url.replace('http', 'ws')}/graphql`,
    connectionParams: { 'x-api-key': KEY },
    webSocketImpl: WebSocket,
    shouldRetry: () => true,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 20)),
  });
  const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });
  const { data: first } = await execute('{ block { number } }');
  const from = Number(first.block.number) + 1;
  const received: string[] = [];
  const failures: unknown[] = [];
  const query = gql(`subscription { logs(stream: "orders", fromBlock: ${from}) { cursor } }`);
  const subscription = client.subscribe<{ logs: { cursor: string } }>({ query }).subscribe({
    next: ({ data, error }) => void (data ? received.push(data.logs.cursor) : failures.push(error)),
    error: (error) => failures.push(error),
    complete: () => failures.push('complete'),
  });
  /** The cursors that were processed, in order, each once. */
  const processed: string[] = [];
  let acknowledged = 0;
  let read = 0;
  /** Processes what has arrived: events go on after the last acknowledged or the last processed one. */
  const processEvents = (): void => {
    for (const cursor of received.slice(read)) {
      read += 1;
      const position = processed.indexOf(cursor);
      if (position < 0) processed.push(cursor);
      else expect(position).toBeGreaterThanOrEqual(acknowledged);
    }
  };
  let mined = 0;
  for (let kill = 0; kill < 2 * KILLS; kill++) {
    for (let i = Math.floor(draw() * 3); i >= 0; i--) {
      await mineTransfer(devnet);
      mined += 1;
    }
    await waitUntil(() => {
      processEvents();
      return processed.length === mined || failures.length > 0;
    }, `the client has ${mined} logs`);
    expect(failures).toEqual([]);
    if (draw() < 0.7) {
      const { errors } = await execute(`mutation { acknowledge(stream: "orders", cursor: "${processed.at(-1)}") { cursor } }`);
      expect(errors).toBeUndefined();
      acknowledged = processed.length;
    }
    if (kill % 2 === 0) cutSubgraph();
    else socket.terminate();
  }
  await mineTransfer(devnet);
  await waitUntil(() => {
    processEvents();
    return processed.length === mined + 1 || failures.length > 0;
  }, 'the client has the last log');
  expect(failures).toEqual([]);
  const { data } = await graph.execute(`{ logs(filter: { fromBlock: ${from} }) { cursor } }`);
  expect(processed).toEqual(data.logs.map(({ cursor }: { cursor: string }) => cursor));
  expect((await execute('{ streams { name } }', APP_KEYS.farm)).data).toEqual({ streams: [] });
  subscription.unsubscribe();
  await socket.dispose();
});
