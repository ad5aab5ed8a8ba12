import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from '@jest/globals';
import { checkDerivation } from '../../../src/domains/webhooks/derivation/options.ts';
import { addressOf, logFixture } from '../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { canonicalFacts, presentFacts, startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS, effectsOf, TOKEN, transactionOf } from '../../support/webhooks/transfer-chain.ts';

usePostgres();

const FULL_PENDING = [['svc_newFullPendingTransactions']];

/** A hash whose transaction has this sender and nonce. */
const hashWith = (sender: number, nonce: number, unique = nonce): string => {
  const bytes = Buffer.alloc(32, unique);
  bytes[0] = sender;
  bytes.writeUInt16BE(nonce, 10);
  return `0x${bytes.toString('hex')}`;
};

/** Registrations for dropped transactions of the first accounts, one for each application, and their watched transactions. */
async function startWatching(minuteMs: number, apps: readonly string[] = ['shop']) {
  const setup = await startDerivationSetup({ transports: 'both', fullTransactionSubscriptions: FULL_PENDING.flat(), minuteMs });
  setup.node.pool.supportedSubscriptions = FULL_PENDING;
  for (const [i, app] of apps.entries())
    await setup.register({ id: app, app, type: 'DROPPED_TRANSACTION', addresses: [ACCOUNTS[i]!] });
  const derivation = setup.start();
  await setup.caughtUp();
  await waitUntil(() => setup.feed.upstreamSubscriptions === 2, 'pending transactions are subscribed to');
  const watched = async () =>
    (await setup.database.query<{ hash: string }>('select hash from watched_transactions where settled_height is null')).map(
      ({ hash }) => hash,
    );
  const isWatched = async (hash: string): Promise<boolean> => (await watched()).includes(hash);
  const announce = (hash: string): void => {
    setup.pool.add(hash);
    setup.node.addPending(transactionOf(hash, undefined));
  };
  return {
    ...setup,
    derivation,
    watched,
    isWatched,
    announce,
    async announceWatched(hash: string) {
      announce(hash);
      await waitUntil(() => isWatched(hash), 'the transaction is watched');
    },
    /** Mines until blocks have included these transactions. */
    async include(...hashes: string[]) {
      setup.chain.queuedTransactions.push(...hashes);
      while (setup.chain.queuedTransactions.length > 0) setup.chain.mine();
      await setup.caughtUp();
    },
    dropped: async () => (await setup.eventsOf()).filter(({ content }) => content.type === 'DROPPED_TRANSACTION'),
  };
}

test('a pending transaction is dropped when a block includes another transaction with its nonce, not when it is mined', async () => {
  const { announceWatched, include, dropped, watched, deliveries, chain, caughtUp } = await startWatching(3_600_000);
  const [replaced, rival, mined] = [hashWith(0, 7, 1), hashWith(0, 7, 2), hashWith(0, 8, 3)];
  expect(effectsOf(replaced)).toMatchObject({ from: ACCOUNTS[0], nonce: '0x7' });
  await announceWatched(replaced);
  await announceWatched(mined);
  await include(mined);
  expect(await watched()).toEqual([replaced]);
  expect(await dropped()).toEqual([]);
  await include(rival);
  expect(await dropped()).toMatchObject([{ removed: false, content: { hash: replaced, fullTransaction: { blockHash: null } } }]);
  expect((await deliveries()).map(({ body }) => JSON.parse(body))).toMatchObject([
    { webhookType: 'DROPPED_TRANSACTION', hash: replaced, fullTransaction: { nonce: '0x7', blockNumber: null } },
  ]);
  // A reorg that removes the other transaction makes the first one pending again.
  const holder = (height: number): number => (chain.main.at(height)!.transactions.includes(rival) ? height : holder(height - 1));
  const depth = chain.head.height - holder(chain.head.height) + 1;
  chain.reorg(depth, depth + 1);
  await caughtUp();
  expect((await dropped()).map(({ removed }) => removed)).toEqual([true, true]);
  expect(await watched()).toContain(replaced);
});

test('a pending transaction that the node no longer has is dropped after two checks, and one that is late is not', async () => {
  const { announceWatched, pool, dropped, watched } = await startWatching(150);
  const [late, gone] = [hashWith(0, 7, 1), hashWith(0, 8, 2)];
  await announceWatched(late);
  await announceWatched(gone);
  pool.delete(gone);
  await waitUntil(async () => (await dropped()).length > 0, 'the transaction is dropped');
  expect(await dropped()).toMatchObject([{ content: { hash: gone } }]);
  expect(await watched()).toEqual([late]);
});

test('gas prices are read once a minute while a registration exists, and notified at its threshold', async () => {
  const { node, register, start, caughtUp, eventsOf, deliveries } = await startDerivationSetup({ minuteMs: 50 });
  const serveBlocks = node.intercept!;
  node.intercept = (method, params) => {
    if (method !== 'eth_feeHistory') return serveBlocks(method, params);
    const rows = Math.min(Number(params[0]), Number(params[1]) + 1);
    const tips = params[2].map(() => '0x3b9aca00');
    return {
      result: {
        oldestBlock: `0x${(Number(params[1]) + 1 - rows).toString(16)}`,
        baseFeePerGas: Array.from({ length: rows + 1 }, () => '0x2540be400'),
        gasUsedRatio: Array.from({ length: rows }, () => 0.5),
        reward: Array.from({ length: rows }, () => tips),
      },
    };
  };
  start();
  await caughtUp();
  expect(node.callCounts.get('eth_feeHistory')).toBeUndefined();
  await register({ id: 'high', type: 'GAS_PRICE', gasPrice: { speed: 'FAST', above: 10, below: null } });
  await register({ id: 'higher', type: 'GAS_PRICE', gasPrice: { speed: 'FAST', above: 12, below: null } });
  await waitUntil(async () => (await deliveries()).length >= 2, 'two notifications are made');
  const made = await deliveries();
  expect(new Set(made.map(({ webhook_id }) => webhook_id))).toEqual(new Set(['high']));
  expect(JSON.parse(made[0]!.body)).toMatchObject({ gasPriceMetadata: { fast: 11, safeLow: 11, block_time: null } });
  expect(new Set((await eventsOf()).map(({ content }) => content.type))).toEqual(new Set(['GAS_PRICE']));
});

test('an exceeded quota of the node is notified to every registration as soon as a call reports it, once an hour', async () => {
  const { node, chain, register, start, caughtUp, eventsOf, deliveries } = await startDerivationSetup({
    transports: 'ws',
    minuteMs: 50,
  });
  await register({ id: 'a', addresses: [ACCOUNTS[0]!] });
  await register({ id: 'b', app: 'bank', type: 'GAS_PRICE', gasPrice: { speed: 'FAST', above: 10_000, below: null } });
  const serveBlocks = node.intercept!;
  start();
  await caughtUp();
  node.intercept = (method, params) =>
    method === 'eth_getBlockReceipts'
      ? { error: { code: -32005, message: 'monthly capacity limit exceeded' } }
      : serveBlocks(method, params);
  chain.mine();
  await waitUntil(async () => (await deliveries()).length >= 2, 'both are notified');
  node.intercept = serveBlocks;
  await caughtUp();
  const events = (await eventsOf()).filter(({ content }) => content.type === 'CAPACITY_EXCEEDED');
  expect(events.map(({ app, content }) => [app, 'webhookType' in content && content.webhookType]).sort()).toEqual([
    ['bank', 'GAS_PRICE'],
    ['shop', 'ADDRESS_ACTIVITY'],
  ]);
});

test('a delivery waits for the confirmations of its registration, and is never made for a block that a reorg has removed', async () => {
  const { chain, register, start, caughtUp, deliveries } = await startDerivationSetup();
  await register({ id: 'one', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  await register({ id: 'three', type: 'MINED_TRANSACTION', addresses: ACCOUNTS, confirmations: 3 });
  start();
  await caughtUp();
  const sent = async (id: string) =>
    (await deliveries())
      .filter(({ webhook_id }) => webhook_id === id)
      .map(({ body }) => JSON.parse(body).fullTransaction.blockHash as string);
  do {
    chain.mine();
    await caughtUp();
  } while (chain.head.transactions.length === 0);
  const removed = chain.head.hash;
  chain.mine();
  await caughtUp();
  expect(await sent('one')).toContain(removed);
  expect(await sent('three')).not.toContain(removed);
  chain.reorg(2, 3);
  await caughtUp();
  for (let block = 0; block < 4; block++) {
    chain.mine();
    await caughtUp();
  }
  const settled = chain.main.at(chain.head.height - 2)!;
  expect(await sent('one')).toContain(removed);
  expect(await sent('three')).not.toContain(removed);
  if (settled.transactions.length > 0) expect(await sent('three')).toContain(settled.hash);
});

test('after a pause the deriver reverts removed blocks and catches up in order, with one POST for each block', async () => {
  const { chain, node, register, start, caughtUp, eventsOf } = await startDerivationSetup({ transports: 'ws' });
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  await register({ id: 'activity', addresses: [...ACCOUNTS, addressOf(1)] });
  const from = chain.head.height - 1;
  const first = start();
  for (let block = 0; block < 6; block++) {
    await caughtUp();
    chain.mine();
  }
  await caughtUp();
  await first.stop();
  chain.reorg(4, 6);
  chain.mine(120);
  const sentBefore = node.reads.length;
  start();
  await caughtUp();
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from, ACCOUNTS));
  const posts = node.reads.slice(sentBefore).filter(({ calls }) => calls.some(({ method }) => method === 'eth_getBlockReceipts'));
  expect(posts.every(({ calls }) => calls.length === 2)).toBe(true);
});

test('a reorg below the first processed block, and a failed read of it, lose no events', async () => {
  const { chain, node, register, start, caughtUp, eventsOf } = await startDerivationSetup({ transports: 'ws' });
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  await register({ id: 'activity', addresses: ACCOUNTS });
  const from = chain.head.height - 1;
  const serve = node.intercept!;
  const isFailing = new Promise<void>((resolve) => {
    node.intercept = (method, params) => {
      if (!/Receipt/.test(method)) return serve(method, params);
      resolve();
      return { error: { code: -32603, message: 'internal error' } };
    };
  });
  const first = start();
  await isFailing;
  chain.mine(3);
  node.intercept = serve;
  await caughtUp();
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from, ACCOUNTS));

  const replaced = chain.head.height - from + 2;
  chain.reorg(replaced, replaced + 2);
  await caughtUp();
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from - 2, ACCOUNTS));

  await first.stop();
  chain.reorg(replaced + 3, replaced + 20);
  start();
  await caughtUp();
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from - 2, ACCOUNTS));
});

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const [SENDER, RECIPIENT] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`];
const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;

type Setup = Awaited<ReturnType<typeof startDerivationSetup>>;

/** Adds equal transfers from one address to another to the first transaction of each block that has one; its header does not have them. */
function addTransfers({ node }: Setup, count: number): void {
  const serve = node.intercept!;
  node.intercept = (method, params) => {
    const response = serve(method, params);
    if (method !== 'eth_getBlockReceipts' || !response || !('result' in response)) return response;
    const [first, ...others] = response.result as any[];
    if (!first) return response;
    const { transactionHash, transactionIndex, blockHash, blockNumber } = first;
    const logs = Array.from({ length: count }, (_none, i) =>
      logFixture({
        ...{ transactionHash, transactionIndex, blockHash, blockNumber, address: TOKEN, logIndex: `0x${i.toString(16)}` },
        topics: [TRANSFER, padded(SENDER), padded(RECIPIENT)],
        data: `0x${'00'.repeat(31)}01`,
      }),
    );
    return { result: [{ ...first, status: '0x1', logs }, ...others.map((receipt) => ({ ...receipt, logs: [] }))] };
  };
}

const mineWithTransaction = ({ chain }: Setup): void => {
  do chain.mine();
  while (chain.head.transactions.length === 0);
};

test('equal transfers above the maximum of a notification fill further notifications, whose equal bodies are stored once', async () => {
  const setup = await startDerivationSetup({ headerChecks: 'report' });
  const { register, start, caughtUp, eventsOf, deliveries, database, chain } = setup;
  addTransfers(setup, 1_200);
  start();
  await caughtUp();
  for (const id of ['a', 'b', 'c']) await register({ id, addresses: [SENDER], confirmations: id === 'c' ? 2 : 1 });
  await register({ id: 'other', app: 'farm', addresses: [RECIPIENT] });
  mineWithTransaction(setup);
  await caughtUp();
  const present = async (app: string) => (await eventsOf()).filter((event) => event.app === app && !event.removed);
  const lengths = (events: readonly { content: any }[]) => events.map(({ content }) => content.activity.length);
  expect(lengths(await present('shop'))).toEqual([500, 500, 200]);
  expect(lengths(await present('farm'))).toEqual([500, 500, 200]);
  const made = await deliveries();
  expect(made).toHaveLength(3 * 3);
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
  for (const { body } of made)
    expect(Object.keys(JSON.parse(body))).toEqual(['app', 'network', 'webhookType', 'timestamp', 'activity']);
  const counts = await database.query('select count(*)::integer as bodies from webhook_delivery_bodies');
  expect(counts).toEqual([{ bodies: 2 * 2 }]);
  // A reorg removes all parts; parts that waited for confirmations are never sent.
  chain.reorg(1, 1);
  await caughtUp();
  expect((await eventsOf()).filter(({ removed }) => removed)).toHaveLength(2 * (3 + 3));
  expect((await deliveries()).filter(({ webhook_id }) => webhook_id === 'c')).toEqual([]);
});

/** At full size, the transfers of one transaction of 16 M gas. */
const ATTACK_TRANSFERS = 'PROVE' in globalThis ? 8_700 : 2_900;

test('an application with many deliveries of a block delays neither events of others nor the event loop', async () => {
  const setup = await startDerivationSetup({ headerChecks: 'report' });
  const { register, start, caughtUp, eventsOf, deliveries, database, chain } = setup;
  addTransfers(setup, ATTACK_TRANSFERS);
  start();
  await caughtUp();
  for (let i = 0; i < 99; i++) await register({ id: `attacker${i}`, app: 'attacker', addresses: [SENDER] });
  await register({ id: 'shop', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  mineWithTransaction(setup);
  await caughtUp();
  delay.disable();
  expect(delay.percentile(99) / 1e6).toBeLessThan(1_000);
  const parts = Math.ceil(ATTACK_TRANSFERS / 500);
  const apps = (await eventsOf()).map(({ app }) => app);
  expect(apps.filter((app) => app === 'attacker')).toHaveLength(parts);
  // The event of `shop` waits for at most one event of the attacker.
  expect(apps.slice(0, 2).sort()).toEqual(['attacker', 'shop']);
  expect((await deliveries()).filter(({ webhook_id }) => webhook_id !== 'shop')).toHaveLength(99 * parts);
  const [bodies] = await database.query<{ count: number }>('select count(*)::integer as count from webhook_delivery_bodies');
  // Equal parts have one body.
  expect(bodies!.count).toBe(2 + chain.head.transactions.length);
}, 120_000);

test('a block that fails three times for an application is skipped for it and reported, and derived for others', async () => {
  const setup = await startDerivationSetup();
  const { register, start, caughtUp, eventsOf, database, chain } = setup;
  const derivation = start();
  await caughtUp();
  await database.query(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'too large'; end $$`);
  await database.query(
    `create trigger fail before insert on webhook_events for each row
     when (new.app = 'bad' and new.type <> 'CAPACITY_EXCEEDED') execute function fail()`,
  );
  for (const app of ['bad', 'shop']) await register({ id: app, app, addresses: ACCOUNTS });
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  const from = chain.head.height;
  expect(() => checkDerivation(derivation.status)).not.toThrow();
  for (let block = 0; block < 6; block++) chain.mine();
  await caughtUp();
  const events = await eventsOf();
  expect(presentFacts(events)).toEqual(canonicalFacts(chain, from, ACCOUNTS));
  const errors = events.filter(({ app }) => app === 'bad').map(({ content }) => content);
  expect(errors.length).toBeGreaterThan(0);
  expect(derivation.status.skipped.count).toBe(errors.length);
  for (const content of errors)
    expect(content).toMatchObject({
      type: 'CAPACITY_EXCEEDED',
      error: expect.stringMatching(/^The notifications of block \d+ could not/),
    });
  expect(() => checkDerivation(derivation.status)).toThrow('could not be derived for an application');
});

test('the derivation is degraded while it has made no progress for a minute, and not while it waits for blocks', async () => {
  const { start, caughtUp } = await startDerivationSetup();
  const { status } = start();
  await caughtUp();
  await waitUntil(() => status.waitingSince === undefined, 'the deriver waits for the next block');
  expect(() => checkDerivation(status)).not.toThrow();
  expect(() => checkDerivation({ ...status, waitingSince: performance.now() - 61_000 })).toThrow(
    'No block has been processed for 61 seconds',
  );
});

test('an application watches at most 2,000 pending transactions, more are reported, and others are not limited', async () => {
  const { database, announce, isWatched, eventsOf, deliveries, derivation } = await startWatching(3_600_000, ['shop', 'farm']);
  await database.query(
    `insert into watched_transactions (hash, sender, nonce, content, bytes, seen_at)
     select 'tx' || n, $1, '0x' || n, '{}', 2, now() from generate_series(1, 2000) as n`,
    [ACCOUNTS[0]],
  );
  await database.query(`insert into watched_transaction_apps (app, hash) select 'shop', hash from watched_transactions`);
  const [rejected, other] = [hashWith(0, 7), hashWith(1, 8)];
  announce(rejected);
  announce(other);
  await waitUntil(() => isWatched(other), 'the transaction of the other application is watched');
  await waitUntil(async () => (await deliveries()).length > 0, 'the owner is notified');
  expect(await isWatched(rejected)).toBe(false);
  expect(derivation.status.unwatched).toBe(1);
  expect(await eventsOf()).toMatchObject([
    {
      app: 'shop',
      content: { type: 'CAPACITY_EXCEEDED', webhookType: 'DROPPED_TRANSACTION', error: expect.stringContaining('2000') },
    },
  ]);
});

test('large pending transactions are checked in parts, and a part that fails does not stop other parts', async () => {
  const { database, announceWatched, isWatched, eventsOf, pool, node } = await startWatching(150, ['shop', 'farm']);
  const [failing, gone] = [hashWith(0, 7), hashWith(1, 8)];
  for (const hash of [failing, gone]) await announceWatched(hash);
  await database.query('update watched_transactions set bytes = 4000000');
  const serve = node.intercept!;
  const error = { code: -32000, message: 'response too large' };
  node.intercept = (method, params) =>
    method === 'eth_getTransactionByHash' && params[0] === failing ? { error } : serve(method, params);
  pool.delete(gone);
  await waitUntil(async () => (await eventsOf()).length > 0, 'the transaction is dropped');
  expect(await eventsOf()).toMatchObject([{ app: 'farm', content: { hash: gone } }]);
  expect(await isWatched(failing)).toBe(true);
});
