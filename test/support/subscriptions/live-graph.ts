import { afterEach } from '@jest/globals';
import { pino } from 'pino';
import { readSettings } from '../../../src/config.ts';
import { chain as chainDomain } from '../../../src/domains/chain/index.ts';
import { compose } from '../../../src/graphql/federation/compose.ts';
import { startServer } from '../../../src/server/http.ts';
import { TIMING } from '../../../src/server/timing.ts';
import { openEventReads } from '../../../src/snapshot/event-reads.ts';
import { openView } from '../../../src/snapshot/index.ts';
import { openMemory } from '../../../src/snapshot/rpc-result-cache.ts';
import type { SimChain } from '../simulator/chain.ts';
import { type FeedWorld, type FeedWorldOptions, feedOver } from './feed.ts';

/** The graph of a simulated chain, served on a real socket by this process: put together as the program puts it together. */
export interface LiveGraph extends FeedWorld {
  readonly url: string;
  /** Answers a query, whose errors it throws. */
  ask<T = any>(query: string, variables: object): Promise<T>;
  /** A number of `/metrics`, by its name without the prefix. */
  metric(name: string): Promise<number>;
}

const leftOver: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of leftOver.splice(0)) await stop();
});

const schema = compose([chainDomain]);

/** All of it ends with the test. */
export async function liveGraph(
  chain: SimChain,
  { cacheBytes, ...options }: FeedWorldOptions & { readonly cacheBytes?: number } = {},
): Promise<LiveGraph> {
  const world = await feedOver(chain, options);
  const { upstream, follower, feed } = world;
  const settings = readSettings({}, {});
  const sources = {
    node: upstream,
    follower,
    memory: cacheBytes === 0 ? undefined : openMemory(cacheBytes ?? settings.CACHE_BYTES, follower),
    events: openEventReads(feed),
  };
  const chainOf = chainDomain.open({ maxBlocks: settings.MAX_BLOCKS, maxLogs: settings.MAX_LOGS, live: { feed, sources } });
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    corsOrigins: [],
    operationTimeoutMs: settings.OPERATION_TIMEOUT_MS,
    maxConnections: settings.MAX_CONNECTIONS,
    maxSubscriptions: settings.MAX_SUBSCRIPTIONS,
    limits: settings,
    weights: chainDomain.weights ?? {},
    errorStatus: settings.ERROR_STATUS,
    schema,
    contextOf: (operation) => ({ chain: chainOf(openView(sources, operation)) }),
    answers: undefined,
    probe: async () => ({}),
    metrics: [],
    documents: {},
    log: pino({ level: 'silent' }),
    // So that streams are closed and opened again when everybody is gone for a moment.
    timing: { ...TIMING, linger: 5, goodbye: 50 },
  });
  leftOver.push(() => server.stop());
  return {
    ...world,
    url: server.url,
    async ask(query, variables) {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as { data: any; errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async metric(name) {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(text)?.[1]);
    },
  };
}
