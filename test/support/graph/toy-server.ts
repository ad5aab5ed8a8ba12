import { Writable } from 'node:stream';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { onAbort } from '../../../src/lib/abort.ts';
import { GraphError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { CONNECTION_TIMING, type ConnectionTiming } from '../../../src/server/clients/client-registry.ts';
import type { ServerOptions } from '../../../src/server/context.ts';
import { startServer } from '../../../src/server/http.ts';
import { stopAfterTests } from '../cleanups.ts';
import { assertNoSecret, NODE_KEY } from '../secrets.ts';
import { SUBSCRIPTION_LIMITS } from '../subscriptions/throttled-sink.ts';
import { Ticker } from '../subscriptions/ticker.ts';
import { waitUntil } from '../wait-until.ts';

import { UNSYNCED_FOLLOWER } from './unsynced-follower.ts';

export { waitUntil };

const typeDefs = `
  type Query { answer: Int, held: String, big(size: Int!): String, block: String, sum(of: [Int!]!): Int, fail: Int, leak: Int }
  type Mutation { bump: Int! }
  type Subscription { ticks(name: String = "a", after: String): Tick, refused: Tick, leak: Tick }
  type Tick { n: Int!, text: String!, late: Int!, fail: Int, leak: Int, block: String, requestId: String! }
`;

interface Context {
  readonly operation: Operation;
}

/** The state behind the toy graph; a test changes it. */
export class ToyServerState {
  readonly #tickers = new Map<string, Ticker>();
  /** How many events a subscription operation was executed for. */
  executions = 0;
  bumped = 0;
  /** Every operation that has a context. */
  readonly operations: Operation[] = [];
  /** `Query.held` and `Tick.late` wait for this promise. */
  hold: Promise<unknown> = Promise.resolve();

  ticker(name = 'a'): Ticker {
    const ticker = this.#tickers.get(name) ?? new Ticker();
    this.#tickers.set(name, ticker);
    return ticker;
  }

  /** Open streams and backlogs that are being read. */
  get openStreams(): number {
    return [...this.#tickers.values()].reduce((sum, { openStreams, activeBacklogs }) => sum + openStreams + activeBacklogs, 0);
  }
}

const leak = () => {
  throw new Error(`http://user:${NODE_KEY}@node/ is away`);
};

const resolversOf = (world: ToyServerState) => ({
  Query: {
    answer: () => 42,
    held: async (_root: unknown, _args: unknown, { operation: { signal } }: Context) => {
      await Promise.race([world.hold, new Promise((_resolve, reject) => onAbort(signal, () => reject(signal.reason)))]);
      return 'let go';
    },
    big: (_root: unknown, { size }: { size: number }) => 'x'.repeat(size),
    block: (_root: unknown, _args: unknown, { operation }: Context) => {
      operation.extensions.block = { number: operation.block ?? 'head' };
      return operation.block ?? 'head';
    },
    sum: (_root: unknown, { of }: { of: number[] }) => of.reduce((a, b) => a + b, 0),
    fail: () => {
      throw new GraphError('UPSTREAM_TIMEOUT', 'The node took too long.');
    },
    leak,
  },
  Mutation: { bump: () => ++world.bumped },
  Subscription: {
    ticks: {
      subscribe: (_root: unknown, { name, after }: { name: string; after?: string }) => {
        if (after === 'nonsense') throw new GraphError('BAD_USER_INPUT', '`after` is no cursor.');
        return world.ticker(name).stream(after);
      },
      resolve: ({ ticks }: { ticks: unknown }, _args: unknown, _context: unknown) => {
        world.executions++;
        return ticks;
      },
    },
    refused: { subscribe: async () => Promise.reject(new GraphError('BAD_USER_INPUT', 'Not like this.')) },
    leak: { subscribe: leak },
  },
  Tick: {
    late: ({ n }: { n: number }) => world.hold.then(() => n),
    fail: ({ n }: { n: number }) =>
      n % 2 === 0 ? n : Promise.reject(new GraphError('UPSTREAM_UNAVAILABLE', 'The node does not respond.')),
    leak,
    block: (_tick: unknown, _args: unknown, { operation }: Context) => operation.block ?? null,
    requestId: (_tick: unknown, _args: unknown, { operation }: Context) => operation.requestId,
  },
});

/** The real server over a graph of a few fields, in this process. */
export interface ToyServer {
  readonly url: string;
  readonly state: ToyServerState;
  readonly server: Awaited<ReturnType<typeof startServer>>;
  /** A value of `/metrics`; `name` is without the prefix grimoire_. */
  metric(name: string): Promise<number>;
  /** The log so far. */
  logText(): string;
  /** Stops the server; rejects when it has logged a secret. */
  stop(): Promise<void>;
}

export const LIMITS: ServerOptions['limits'] = {
  MAX_TOKENS: 5_000,
  MAX_DEPTH: 12,
  MAX_ALIASES: 200,
  MAX_DIRECTIVES: 50,
  MAX_ROOT_FIELDS: 200,
  MAX_FRAGMENTS: 50,
  INTROSPECTION: 'on',
  MAX_UPSTREAM_BYTES: 128 * 1024 * 1024,
  MAX_RESPONSE_BYTES: 16 * 1024 * 1024,
  MAX_EVENT_LOOP_MS: 2_000,
  MAX_BLOCKS: 100,
  ...SUBSCRIPTION_LIMITS,
};

export async function startToyServer({
  timing,
  ...options
}: Partial<Omit<ServerOptions, 'timing'>> & { timing?: Partial<ConnectionTiming> } = {}): Promise<ToyServer> {
  const state = new ToyServerState();
  let written = '';
  const out = new Writable({
    write(line, _encoding, done) {
      written += line;
      done();
    },
  });
  const log = createLogger('trace', [NODE_KEY], out);
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    corsOrigins: [],
    operationTimeoutMs: 10_000,
    maxConnections: 1_000,
    maxUnsentBytes: 256 * 1024 * 1024,
    maxSubscriptions: 100,
    trustedProxies: [],
    limits: LIMITS,
    weights: {},
    schema: makeExecutableSchema({ typeDefs, resolvers: resolversOf(state) }),
    contextOf: (operation) => {
      state.operations.push(operation);
      return {};
    },
    responseCache: undefined,
    follower: UNSYNCED_FOLLOWER,
    probe: async () => ({}),
    metrics: [],
    documents: {},
    log,
    timing: { ...CONNECTION_TIMING, lingerMs: 20, drainGraceMs: 0, drainJitterMs: 100, ...timing },
    ...options,
  });
  return {
    url: server.url,
    state,
    server,
    async metric(name) {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(text)?.[1]);
    },
    logText: () => written,
    stop: stopAfterTests(async () => {
      await server.stop();
      assertNoSecret(written, 'the log');
    }),
  };
}

/** Resolves when operations have started, and no further one starts within 100 ms. */
export async function waitUntilIdle({ state }: ToyServer): Promise<void> {
  let before = 0;
  const isQuiet = async (): Promise<boolean> => {
    const count = before;
    before = state.operations.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return count > 0 && count === before;
  };
  await waitUntil(isQuiet, 'no further operation starts');
}
