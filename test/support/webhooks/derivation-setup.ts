import { beforeAll } from '@jest/globals';
import { readTokenLists } from '../../../src/config/token-lists.ts';
import { createDatabase, type Database } from '../../../src/database/database.ts';
import type { Query } from '../../../src/database/statements.ts';
import { createBlockWriter } from '../../../src/domains/webhooks/derivation/block-writer.ts';
import { startDerivation } from '../../../src/domains/webhooks/derivation/index.ts';
import type { StoredWebhookEvent } from '../../../src/domains/webhooks/model.ts';
import type { WebhookRegistration } from '../../../src/domains/webhooks/registrations/model.ts';
import { DEFAULT_CHAIN, statementsOfChain } from '../../../src/domains/webhooks/store/chain-statements.ts';
import { EventStore } from '../../../src/domains/webhooks/store/event-store.ts';
import { createEventReads } from '../../../src/snapshot/event-reads.ts';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { cleanups } from '../cleanups.ts';
import { startTestPostgres, type TestPostgres } from '../postgres.ts';
import { log } from '../silent-log.ts';
import { SimChain } from '../simulator/chain.ts';
import { type FeedSetup, type FeedSetupOptions, startFeed } from '../subscriptions/feed-setup.ts';
import { hashOf } from '../upstream/rpc-fixtures.ts';
import { waitUntil } from '../wait-until.ts';
import { createDeliveryDatabase, waitUntilPrepared } from './delivery-setup.ts';
import { expectedFacts, serveTransfers, transferReceiptsOf } from './transfer-chain.ts';

let postgres: TestPostgres;
let emptyUrl: string;

/** Starts a PostgreSQL server for the tests of a file. */
export function usePostgres(): void {
  beforeAll(async () => {
    postgres = await startTestPostgres();
    emptyUrl = await postgres.createDatabase();
    const database = createDeliveryDatabase(emptyUrl);
    await waitUntilPrepared(database);
    await database.stop();
  });
}

/** The token of the chain is in no list. */
const LISTS = readTokenLists([], []);

/** The network of the chain of `startBlockWriter`. */
export const NETWORK = 'CHAIN_7';

/** Starts a writer of derived blocks without a chain. Its last block is block 4. */
export async function startBlockWriter(database: Database) {
  const status = { isLeading: true, height: undefined, waitingSince: undefined, skipped: { count: 0, at: 0 }, unwatched: 0 };
  const writer = createBlockWriter({ database: statementsOfChain(database, DEFAULT_CHAIN), network: NETWORK, status, log });
  await writer.append({ height: 4, hash: hashOf(4), parentHash: '' }, undefined);
  return writer;
}

export interface NewRegistration extends Partial<Pick<WebhookRegistration, 'app' | 'type' | 'confirmations' | 'gasPrice'>> {
  readonly id: string;
  readonly addresses?: readonly string[];
}

export interface DerivationSetupOptions extends FeedSetupOptions {
  readonly seed?: number;
  readonly hasBlockReceipts?: boolean;
  /** Blocks before the first head. */
  readonly blocks?: number;
  readonly minuteMs?: number;
}

/** A chain with transfers, a node, a feed, a database, and derivers that a test starts. */
export async function startDerivationSetup({
  seed = 1,
  hasBlockReceipts,
  blocks = 3,
  minuteMs = 3_600_000,
  ...options
}: DerivationSetupOptions = {}) {
  const chain = new SimChain({ seed, maxLogsPerBlock: 3, blocks, receiptsOf: transferReceiptsOf });
  const world = await startFeed(chain, { transports: 'both', ...options });
  const pool = serveTransfers(world.node, chain, { ...(hasBlockReceipts !== undefined && { hasBlockReceipts }) });
  const derivers = await prepareDerivation(world, minuteMs);
  return {
    chain,
    pool,
    ...world,
    ...derivers,
    /** Resolves when the head of the chain is the last processed block. */
    caughtUp: () => waitUntil(async () => (await derivers.tip()) === chain.head.hash, 'the deriver has processed the head'),
  };
}

/** A database for the events of a feed, and derivers that a test starts. */
export async function prepareDerivation({ upstream, follower, feed }: Omit<FeedSetup, 'node'>, minuteMs = 3_600_000) {
  const url = await postgres.createDatabase(emptyUrl);
  const startDatabase = (): Database => {
    const database = createDatabase({ url, log });
    cleanups.push(() => database.stop());
    return database;
  };
  const database = startDatabase();
  const store = new EventStore(database);
  const eventsOf = (): Promise<readonly StoredWebhookEvent[]> => store.oldest({ app: undefined }, { limit: 100_000 });
  /** Hash of the last processed block. */
  const tip = async () => {
    const [row] = await database.query<{ hash: string }>(
      'select hash from derived_blocks where not exists (select from derived_blocks where not complete) order by height desc limit 1',
    );
    return row?.hash;
  };
  const derivedChain = (chainId: string) => {
    const eventReads = createEventReads(feed);
    const sources = { node: upstream, follower, eventReads, cache: createRpcResultCache(10_000_000, follower) };
    return { chainId, node: upstream, follower, feed, snapshotSources: sources, tokenLists: LISTS };
  };
  return {
    tip,
    database,
    statements: statementsOfChain(database, DEFAULT_CHAIN),
    startDatabase,
    store,
    eventsOf,
    derivedChain,
    start(over: Database = database, tracesBlocks = false) {
      const timing = { retryMs: 5, minuteMs };
      const derivation = startDerivation({ database: over, log, timing, tracesBlocks });
      cleanups.push(() => derivation.stop());
      return { ...derivation, status: derivation.add(derivedChain(DEFAULT_CHAIN)) };
    },
    async register({
      id,
      app = 'shop',
      type = 'ADDRESS_ACTIVITY',
      confirmations = 1,
      gasPrice = null,
      addresses = [],
    }: NewRegistration) {
      await database.query(
        `insert into webhooks (id, app, type, url, confirmations, gas_price, token) values ($1, $2, $3, 'https://receiver.example/', $4, $5, 'whsec_')`,
        [id, app, type, confirmations, gasPrice && JSON.stringify(gasPrice)],
      );
      await database.query('insert into webhook_addresses select $1, address from unnest($2::text[]) as address', [
        id,
        addresses,
      ]);
    },
    deliveries: (): Promise<readonly { id: string; webhook_id: string; event_id: string | null; body: string }[]> =>
      database.query(
        `select id, webhook_id, event_id, body from webhook_deliveries join webhook_delivery_bodies on hash = body_hash order by sequence`,
      ),
  };
}

/** The facts of the events that are not removed, in the form of `expectedFacts`, sorted. */
export const presentFacts = (events: readonly StoredWebhookEvent[]): string[] =>
  events
    .flatMap(({ content, removed }) => {
      if (removed) return [];
      if (content.type === 'MINED_TRANSACTION')
        return [`mined ${content.fullTransaction.hash} ${content.fullTransaction.blockHash}`];
      if (content.type !== 'ADDRESS_ACTIVITY') return [];
      return content.activity.map(
        ({ blockNumber, from, to, rawContract }) =>
          `transfer ${Number(blockNumber)} ${from} ${to} ${rawContract.address} ${rawContract.rawValue}`,
      );
    })
    .sort();

/** The facts of the canonical blocks above a height, sorted. */
export const canonicalFacts = (chain: SimChain, above: number, addresses: readonly string[]): string[] =>
  Array.from({ length: chain.head.height - above }, (_none, i) => chain.main.at(above + 1 + i)!)
    .flatMap((block) => expectedFacts(block, new Set(addresses)))
    .sort();

/**
 * A database whose statements fail at random, before or after they had an effect, as when a server dies between two of them. It is down until
 * it is checked once after a failure.
 */
export function failingDatabase(database: Database, fails: () => boolean): Database {
  let isDown = false;
  const failAtRandom = (message: string): void => {
    if (!fails()) return;
    isDown = true;
    throw new Error(message);
  };
  const failing =
    (query: Query): Query =>
    async (text, values) => {
      failAtRandom('the connection was lost');
      return query(text, values);
    };
  return {
    ...database,
    query: failing(database.query),
    async transaction(run) {
      const result = await database.transaction((query) => run(failing(query)));
      failAtRandom('the connection was lost after the commit');
      return result;
    },
    async check() {
      const wasDown = isDown;
      isDown = false;
      if (wasDown) throw new Error('the database is down');
    },
  };
}
