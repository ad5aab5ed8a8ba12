import { expect, test } from '@jest/globals';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { canonicalFacts, presentFacts, startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS, effectsOf, transactionOf } from '../../support/webhooks/transfer-chain.ts';

usePostgres();

const FULL_PENDING = [['svc_newFullPendingTransactions']];

/** A hash whose transaction has this sender and nonce. */
const hashWith = (sender: number, nonce: number, unique: number): string => {
  const bytes = Buffer.alloc(32, unique);
  bytes[0] = sender;
  bytes.writeUInt16BE(nonce, 10);
  return `0x${bytes.toString('hex')}`;
};

async function startDropped(minuteMs: number) {
  const setup = await startDerivationSetup({ transports: 'both', fullTransactionSubscriptions: FULL_PENDING.flat(), minuteMs });
  setup.node.pool.supportedSubscriptions = FULL_PENDING;
  await setup.register({ id: 'dropped', type: 'DROPPED_TRANSACTION', addresses: [ACCOUNTS[0]!] });
  setup.start();
  await setup.caughtUp();
  await waitUntil(() => setup.feed.upstreamSubscriptions === 2, 'pending transactions are subscribed to');
  const watched = async () =>
    (await setup.database.query<{ hash: string }>('select hash from watched_transactions where settled_height is null')).map(
      ({ hash }) => hash,
    );
  return {
    ...setup,
    watched,
    async announce(hash: string) {
      setup.pool.add(hash);
      setup.node.addPending(transactionOf(hash, undefined));
      await waitUntil(async () => (await watched()).includes(hash), 'the transaction is watched');
    },
    /** Mines until a block has included these. */
    async include(...hashes: string[]) {
      setup.chain.queuedTransactions.push(...hashes);
      while (setup.chain.queuedTransactions.length > 0) setup.chain.mine();
      await setup.caughtUp();
    },
    dropped: async () => (await setup.eventsOf()).filter(({ content }) => content.type === 'DROPPED_TRANSACTION'),
  };
}

test('a pending transaction is dropped when a block includes another one of its sender and nonce, and not when it is mined', async () => {
  const { announce, include, dropped, watched, deliveries, chain, caughtUp } = await startDropped(3_600_000);
  const [replaced, rival, mined] = [hashWith(0, 7, 1), hashWith(0, 7, 2), hashWith(0, 8, 3)];
  expect(effectsOf(replaced)).toMatchObject({ from: ACCOUNTS[0], nonce: '0x7' });
  await announce(replaced);
  await announce(mined);
  await include(mined);
  expect(await watched()).toEqual([replaced]);
  expect(await dropped()).toEqual([]);
  await include(rival);
  expect(await dropped()).toMatchObject([{ removed: false, content: { hash: replaced, fullTransaction: { blockHash: null } } }]);
  expect((await deliveries()).map(({ body }) => JSON.parse(body))).toMatchObject([
    { webhookType: 'DROPPED_TRANSACTION', hash: replaced, fullTransaction: { nonce: '0x7', blockNumber: null } },
  ]);
  // A reorg that removes the other transaction makes it pending again.
  const holder = (height: number): number => (chain.main.at(height)!.transactions.includes(rival) ? height : holder(height - 1));
  const depth = chain.head.height - holder(chain.head.height) + 1;
  chain.reorg(depth, depth + 1);
  await caughtUp();
  expect((await dropped()).map(({ removed }) => removed)).toEqual([true, true]);
  expect(await watched()).toContain(replaced);
});

test('a pending transaction that the node no longer has is dropped after two checks, and one that is late is not', async () => {
  const { announce, pool, dropped, watched } = await startDropped(150);
  const [late, gone] = [hashWith(0, 7, 1), hashWith(0, 8, 2)];
  await announce(late);
  await announce(gone);
  pool.delete(gone);
  await waitUntil(async () => (await dropped()).length > 0, 'the transaction is dropped');
  expect(await dropped()).toMatchObject([{ content: { hash: gone } }]);
  expect(await watched()).toEqual([late]);
});

test('a pending transaction of another sender is not watched', async () => {
  const { announce, node, watched } = await startDropped(3_600_000);
  node.addPending(transactionOf(hashWith(1, 1, 1), undefined));
  const own = hashWith(0, 1, 2);
  await announce(own);
  expect(await watched()).toEqual([own]);
});

test('gas prices are read once a minute, while there is a registration, and notify those whose threshold is reached', async () => {
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

test('an exceeded quota of the node is notified to every registration, once an hour', async () => {
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

test('after a pause the deriver reverts what is no longer canonical and catches up in order, with one POST for each block', async () => {
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
  chain.mine(300);
  const sentBefore = node.reads.length;
  start();
  await caughtUp();
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from, ACCOUNTS));
  const posts = node.reads.slice(sentBefore).filter(({ calls }) => calls.some(({ method }) => method === 'eth_getBlockReceipts'));
  expect(posts.every(({ calls }) => calls.length === 2)).toBe(true);
});
