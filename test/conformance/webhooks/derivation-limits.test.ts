import { expect, test } from '@jest/globals';
import { checkDerivation } from '../../../src/domains/webhooks/derivation/options.ts';
import { logFixture } from '../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { canonicalFacts, presentFacts, startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS, TOKEN, transactionOf } from '../../support/webhooks/transfer-chain.ts';

usePostgres();

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const [SENDER, RECIPIENT] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`];
const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;

type Setup = Awaited<ReturnType<typeof startDerivationSetup>>;

/** Adds equal transfers from one address to another to the first transaction of each block that has one. */
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

test('equal transfers above the maximum of a notification continue in further ones, whose bodies are stored once for their content', async () => {
  const setup = await startDerivationSetup();
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
  // A reorg removes all parts, and never sends those that waited for it.
  chain.reorg(1, 1);
  await caughtUp();
  expect((await eventsOf()).filter(({ removed }) => removed)).toHaveLength(2 * (3 + 3));
  expect((await deliveries()).filter(({ webhook_id }) => webhook_id === 'c')).toEqual([]);
});

test('a block that fails for one application is skipped for it after three failures, reported, and derived for the others', async () => {
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

test('events are derived on a chain whose timestamps are milliseconds', async () => {
  const setup = await startDerivationSetup({ genesisTime: 1_795_000_000_000 });
  await setup.register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: ACCOUNTS });
  setup.start();
  mineWithTransaction(setup);
  await setup.caughtUp();
  const [event] = await setup.eventsOf();
  expect(event).toMatchObject({ timestamp: '9999-12-31T23:59:59.000Z', content: { type: 'MINED_TRANSACTION' } });
});

test('a used up quota is an event as soon as a call of anyone reports it', async () => {
  const { node, upstream, register, start, caughtUp, eventsOf } = await startDerivationSetup();
  await register({ id: 'a', addresses: ACCOUNTS });
  start();
  await caughtUp();
  const serve = node.intercept!;
  const error = { code: -32005, message: 'monthly capacity limit exceeded' };
  node.intercept = (method, params) => (method === 'eth_getBalance' ? { error } : serve(method, params));
  const call = { method: 'eth_getBalance', params: [SENDER, 'latest'] };
  await upstream.endpoints[0]!.send([call], new AbortController().signal, undefined);
  await waitUntil(
    async () => (await eventsOf()).some(({ content }) => content.type === 'CAPACITY_EXCEEDED'),
    'the event is stored',
  );
});

/** A hash whose transaction has this sender and nonce. */
const hashWith = (sender: number, nonce: number): string => {
  const bytes = Buffer.alloc(32, nonce);
  bytes[0] = sender;
  bytes.writeUInt16BE(nonce, 10);
  return `0x${bytes.toString('hex')}`;
};

async function startWatching(minuteMs: number) {
  const setup = await startDerivationSetup({
    transports: 'both',
    fullTransactionSubscriptions: ['svc_newFullPendingTransactions'],
    minuteMs,
  });
  setup.node.pool.supportedSubscriptions = [['svc_newFullPendingTransactions']];
  await setup.register({ id: 'shop', type: 'DROPPED_TRANSACTION', addresses: [ACCOUNTS[0]!] });
  await setup.register({ id: 'farm', app: 'farm', type: 'DROPPED_TRANSACTION', addresses: [ACCOUNTS[1]!] });
  const derivation = setup.start();
  await setup.caughtUp();
  await waitUntil(() => setup.feed.upstreamSubscriptions === 2, 'pending transactions are subscribed to');
  const announce = (hash: string): void => {
    setup.pool.add(hash);
    setup.node.addPending(transactionOf(hash, undefined));
  };
  const watched = async (hash: string): Promise<boolean> =>
    (await setup.database.query('select 1 from watched_transactions where hash = $1', [hash])).length > 0;
  return { ...setup, derivation, announce, watched };
}

test('an application watches at most 2,000 pending transactions, which is reported, and others go on to watch theirs', async () => {
  const { database, announce, watched, eventsOf, deliveries, derivation } = await startWatching(3_600_000);
  await database.query(
    `insert into watched_transactions (hash, sender, nonce, content, bytes, seen_at)
     select 'tx' || n, $1, '0x' || n, '{}', 2, now() from generate_series(1, 2000) as n`,
    [ACCOUNTS[0]],
  );
  await database.query(`insert into watched_transaction_apps select 'shop', hash from watched_transactions`);
  const [rejected, other] = [hashWith(0, 7), hashWith(1, 8)];
  announce(rejected);
  announce(other);
  await waitUntil(() => watched(other), 'the transaction of the other application is watched');
  await waitUntil(async () => (await deliveries()).length > 0, 'the owner is notified');
  expect(await watched(rejected)).toBe(false);
  expect(derivation.status.unwatched).toBe(1);
  expect(await eventsOf()).toMatchObject([
    {
      app: 'shop',
      content: { type: 'CAPACITY_EXCEEDED', webhookType: 'DROPPED_TRANSACTION', error: expect.stringContaining('2000') },
    },
  ]);
});

test('large pending transactions are checked a part at a time, and a part that fails does not stop the others', async () => {
  const { database, announce, watched, eventsOf, pool, node } = await startWatching(150);
  const [failing, gone] = [hashWith(0, 7), hashWith(1, 8)];
  for (const hash of [failing, gone]) {
    announce(hash);
    await waitUntil(() => watched(hash), 'the transaction is watched');
  }
  await database.query('update watched_transactions set bytes = 4000000');
  const serve = node.intercept!;
  const error = { code: -32000, message: 'response too large' };
  node.intercept = (method, params) =>
    method === 'eth_getTransactionByHash' && params[0] === failing ? { error } : serve(method, params);
  pool.delete(gone);
  await waitUntil(async () => (await eventsOf()).length > 0, 'the transaction is dropped');
  expect(await eventsOf()).toMatchObject([{ app: 'farm', content: { hash: gone } }]);
  expect(await watched(failing)).toBe(true);
});
