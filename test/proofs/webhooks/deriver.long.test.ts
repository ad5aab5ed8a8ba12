import { expect, test } from '@jest/globals';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import {
  canonicalFacts,
  failingDatabase,
  presentFacts,
  startDerivationSetup,
  usePostgres,
} from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS } from '../../support/webhooks/transfer-chain.ts';

usePostgres();
const SEED = readSeed();
const WATCHED = ACCOUNTS.slice(0, 3);

const BLOCK_METHODS = [
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getLogs',
  'eth_getTransactionReceipt',
];

test.each([0, 1, 1_000])(
  'deriver reads a block with two calls in one POST, or no block without a registration: %s registrations',
  async (count) => {
    const { chain, node, register, start, caughtUp } = await startDerivationSetup({ transports: 'ws' });
    for (let i = 0; i < count; i++) await register({ id: `w${i}`, app: `app${i % 7}`, addresses: [ACCOUNTS[i % 3]!] });
    start();
    await caughtUp();
    const sentBefore = node.reads.length;
    for (let block = 0; block < 3; block++) {
      chain.mine();
      await caughtUp();
    }
    const sent = node.reads.slice(sentBefore).filter(({ over }) => over === 'http');
    expect(sent.map(({ calls }) => calls.map(({ method }) => method))).toEqual(
      count === 0 ? [] : Array.from({ length: 3 }, () => ['eth_getBlockByHash', 'eth_getBlockReceipts']),
    );
  },
);

test('deriver reads logs, and in one POST the receipts that it needs, where the node has no receipts of blocks', async () => {
  const { chain, node, register, start, caughtUp, eventsOf } = await startDerivationSetup({
    transports: 'ws',
    hasBlockReceipts: false,
  });
  await register({ id: 'activity', addresses: WATCHED });
  await register({ id: 'mined', type: 'MINED_TRANSACTION', addresses: WATCHED });
  start();
  await caughtUp();
  const from = chain.head.height - 1;
  const sentBefore = node.reads.length;
  for (let block = 0; block < 20; block++) {
    chain.mine();
    await caughtUp();
  }
  expect(presentFacts(await eventsOf())).toEqual(canonicalFacts(chain, from, WATCHED));
  const posts = node.reads
    .slice(sentBefore)
    .map(({ calls }) => calls.map(({ method }) => method).filter((name) => BLOCK_METHODS.includes(name)));
  expect(posts.filter((names) => names.includes('eth_getBlockByHash'))).toEqual(
    Array.from({ length: 20 }, () => ['eth_getBlockByHash', 'eth_getLogs']),
  );
  const receiptPosts = posts.filter((names) => names.includes('eth_getTransactionReceipt'));
  expect(receiptPosts.length).toBeGreaterThan(0);
  expect(receiptPosts.length).toBeLessThanOrEqual(20);
});

test('over random reorgs, crashes and two servers each canonical fact is one event and each delivery is made once', async () => {
  const draw = createRandomChoices(SEED);
  const setup = await startDerivationSetup({ seed: SEED });
  const { chain, register, caughtUp, eventsOf, deliveries, startDatabase } = setup;
  const depths = [1, 3, 12];
  for (const confirmations of depths) {
    await register({ id: `activity${confirmations}`, app: `shop${confirmations}`, addresses: WATCHED, confirmations });
    await register({
      id: `mined${confirmations}`,
      app: `shop${confirmations}`,
      type: 'MINED_TRANSACTION',
      addresses: WATCHED,
      confirmations,
    });
  }
  const from = chain.head.height - 1;
  let failureRate = 0;
  const start = () => setup.start(failingDatabase(startDatabase(), () => draw.chance(failureRate)));
  let servers = [start(), start()];
  await caughtUp();
  failureRate = 0.02;
  for (let move = 0; move < runSize(60, 2_000); move++) {
    const depth = draw.chance(0.4) ? 1 + draw.below(Math.min(8, chain.head.height - from - 1 || 1)) : 0;
    const { removed } = chain.reorg(depth, depth + 1 + draw.below(2));
    for (const hash of removed.flatMap(({ transactions }) => transactions))
      if (draw.chance(0.6)) chain.queuedTransactions.push(hash);
    if (draw.chance(0.3)) await caughtUp();
    if (draw.chance(0.15)) {
      // The head moves while no server derives.
      await Promise.all(servers.map((server) => server.stop()));
      chain.mine(1 + draw.below(3));
      servers = [start(), start()];
    }
  }
  failureRate = 0;
  chain.mine(12);
  await caughtUp();
  const events = await eventsOf();
  for (const confirmations of depths) {
    const own = events.filter(({ app }) => app === `shop${confirmations}`);
    expect(presentFacts(own)).toEqual(canonicalFacts(chain, from, WATCHED));
  }
  const made = await deliveries();
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
  for (const confirmations of depths) {
    const bodies = made.filter(({ webhook_id }) => webhook_id === `mined${confirmations}`).map(({ body }) => JSON.parse(body));
    const sent = bodies.map(({ fullTransaction }) => `mined ${fullTransaction.hash} ${fullTransaction.blockHash}`);
    const due = Math.min(chain.head.height, chain.head.height - confirmations + 1);
    const expected = canonicalFacts(chain, from, WATCHED).filter((fact) => fact.startsWith('mined'));
    const settled = new Set(Array.from({ length: due - from }, (_none, i) => chain.main.at(from + 1 + i)!.hash));
    expect(sent).toEqual(expect.arrayContaining(expected.filter((fact) => settled.has(fact.split(' ')[2]!))));
    expect(new Set(sent).size).toBe(sent.length);
  }
});
