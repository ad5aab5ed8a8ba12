import { makeExecutableSchema } from '@graphql-tools/schema';
import { pino } from 'pino';
import { NO_BUDGET_LIMITS } from '../../src/lib/operation-budget.ts';
import { startServer } from '../../src/server/http.ts';
import { createEvent } from './event.ts';
import { serveCommands } from './server-commands.ts';

interface Listener {
  next(batch: readonly { root: unknown }[]): void;
}

// The server over a graph with one stream.

const bytes = Number(process.argv[2]);
let listener: Listener | undefined;
let number = 0;

const stream = {
  subscribe(subscriber: Listener) {
    listener = subscriber;
    return () => {
      listener = undefined;
    };
  },
};
const limit = 10_000;
const { url } = (await startServer({
  host: '127.0.0.1',
  port: 0,
  corsOrigins: [],
  operationTimeoutMs: 10_000,
  maxConnections: 100_000,
  maxUnsentBytes: 1024 * 1024 * 1024,
  maxSubscriptions: 100,
  trustedProxies: [],
  limits: {
    MAX_TOKENS: limit,
    MAX_DEPTH: 12,
    MAX_ALIASES: 1,
    MAX_DIRECTIVES: 1,
    MAX_ROOT_FIELDS: 1,
    MAX_FRAGMENTS: 1,
    INTROSPECTION: 'on',
    ...NO_BUDGET_LIMITS,
    MAX_COST: limit,
    MAX_BLOCKS: 1,
    MAX_SUBSCRIPTION_COST: limit,
    MAX_CLIENT_SUBSCRIPTION_COST: limit,
    MAX_SERVER_SUBSCRIPTION_COST: limit,
  },
  weights: {},
  schema: makeExecutableSchema({
    typeDefs: `
      type Query { unused: Int }
      type Subscription { head: Head! }
      type Head { number: String!, hash: String!, parentHash: String!, extraData: String! }
    `,
    resolvers: { Subscription: { head: { subscribe: () => stream } } },
  }),
  contextOf: () => ({}),
  responseCache: undefined,
  follower: { head: undefined, window: undefined, onFreshHead: () => () => {} },
  probe: async () => ({}),
  metrics: [],
  documents: {},
  log: pino({ level: 'silent' }),
})) as { url: string };

serveCommands({
  port: Number(new URL(url).port),
  emit: () => listener?.next([{ root: { head: createEvent(++number, bytes) } }]),
  async subscribers() {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^grimoire_subscriptions (\d+)$/m.exec(text)?.[1]);
  },
});
