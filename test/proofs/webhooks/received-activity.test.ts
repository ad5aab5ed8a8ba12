import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { readTip } from '../../../src/domains/webhooks/derivation/derived-blocks.ts';
import { startDerivation } from '../../../src/domains/webhooks/derivation/index.ts';
import { eventId } from '../../../src/domains/webhooks/event-id.ts';
import { DEFAULT_CHAIN } from '../../../src/domains/webhooks/store/chain-statements.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { log } from '../../support/silent-log.ts';
import type { SimBlock } from '../../support/simulator/view.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { canonicalFacts, presentFacts, startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS, expectedFacts } from '../../support/webhooks/transfer-chain.ts';

usePostgres();
const SEED = readSeed();
const NETWORK = 'CHAIN_7';
type Setup = Awaited<ReturnType<typeof startDerivationSetup>>;

const isTransfer = (fact: string): boolean => fact.startsWith('transfer');

/** Stores the notification of a service for all transfers of a block, as the receiver does. */
async function receive({ store }: Setup, app: string, block: SimBlock, network = NETWORK): Promise<void> {
  const facts = expectedFacts(block, new Set(ACCOUNTS)).filter(isTransfer);
  if (facts.length === 0) return;
  const activity = facts.map((fact) => {
    const [, height, from, to, contract, rawValue] = fact.split(' ') as [string, string, string, string, string, string];
    return {
      ...{ from, to, blockNumber: `0x${Number(height).toString(16)}`, transactionHash: null, category: 'token' },
      ...{ value: 1, asset: 'MANA' },
      rawContract: { rawValue, address: contract === 'null' ? null : contract, decimals: 18 },
    };
  });
  const notification = { app, network, timestamp: null, content: { type: 'ADDRESS_ACTIVITY', activity } } as const;
  const bodyHash = createHash('sha256').update(JSON.stringify(notification)).digest();
  await store.insert([{ ...notification, id: eventId(notification), bodyHash }]);
}

const blocksOf = ({ chain }: Setup, count: number): SimBlock[] =>
  Array.from({ length: count }, (_none, i) => chain.main.at(chain.head.height - i)!).reverse();

/** The canonical transfers above a height. */
const canonicalTransfers = ({ chain }: Setup, above: number): string[] =>
  canonicalFacts(chain, above, ACCOUNTS).filter(isTransfer);

test('over random reorgs each transfer that a service reports is one event that is not removed', async () => {
  const draw = createRandomChoices(SEED);
  const setup = await startDerivationSetup({ seed: SEED });
  const { chain, caughtUp, eventsOf, register } = setup;
  const from = chain.head.height;
  setup.start();
  await caughtUp();
  // The webhooks of one application are derived, too.
  await register({ id: 'both', app: 'both', addresses: ACCOUNTS.slice(0, 2) });
  for (let move = 0; move < runSize(40, 1_000); move++) {
    const depth = draw.chance(0.5) ? draw.below(Math.min(4, chain.head.height - from) + 1) : 0;
    const length = depth + 1;
    const { removed } = chain.reorg(depth, length);
    for (const hash of removed.flatMap(({ transactions }) => transactions))
      if (draw.chance(0.7)) chain.queuedTransactions.push(hash);
    // The service may be ahead of this server or behind it.
    if (draw.chance(0.5)) await caughtUp();
    for (const block of blocksOf(setup, length)) for (const app of ['received', 'both']) await receive(setup, app, block);
    await caughtUp();
  }
  const events = await eventsOf();
  expect(events.filter(({ removed }) => removed).length).toBeGreaterThan(5);
  for (const app of ['received', 'both'])
    expect(presentFacts(events.filter((event) => event.app === app))).toEqual(canonicalTransfers(setup, from));
});

test('a received activity of a removed block is announced as removed, and one of another network is not', async () => {
  const setup = await startDerivationSetup({ seed: 3 });
  const { chain, caughtUp, eventsOf } = setup;
  setup.start();
  await caughtUp();
  while (expectedFacts(chain.head, new Set(ACCOUNTS)).filter(isTransfer).length === 0) chain.mine();
  await caughtUp();
  await receive(setup, 'shop', chain.head);
  await receive(setup, 'shop', chain.head, 'MATIC_MAINNET');
  chain.reorg(1, 2);
  await caughtUp();
  const events = await eventsOf();
  expect(events.map(({ network, removed }) => [network, removed])).toEqual([
    [NETWORK, true],
    ['MATIC_MAINNET', false],
    [NETWORK, true],
  ]);
  expect(events[2]!.content).toEqual(events[0]!.content);
  expect(events[2]!.id).not.toBe(events[0]!.id);
});

/** A feed as that of a server that has just started: it knows the head alone. */
function feedOfNewServer(chain: ReturnType<Setup['derivedChain']>) {
  const { feed } = chain;
  const pathBetween: typeof feed.pathBetween = (from, to) => (from === to.hash ? feed.pathBetween(from, to) : undefined);
  return { ...chain, feed: Object.assign(Object.create(feed) as typeof feed, { pathBetween }) };
}

/** Stores a received activity of the head, and stops the server that has processed it before or within a reorg of that block. */
async function restartInReorg(isKilledWithin: boolean, hasWebhook: boolean) {
  const setup = await startDerivationSetup({ seed: 3 });
  const { chain, caughtUp, eventsOf, database, derivedChain, register } = setup;
  if (hasWebhook) await register({ id: 'other', app: 'other', addresses: [addressOf(0xff)] });
  let isKilled = false;
  const killed: typeof database.transaction = (run) =>
    database.transaction((query) =>
      run(async (text, values) => {
        // The removed block is reverted, but no block takes its place.
        if (isKilled && text.startsWith('insert into derived_blocks') && !text.includes('not exists')) throw new Error('killed');
        return query(text, values);
      }),
    );
  const first = setup.start({ ...database, transaction: killed });
  await caughtUp();
  while (expectedFacts(chain.head, new Set(ACCOUNTS)).filter(isTransfer).length === 0) chain.mine();
  await caughtUp();
  const block = chain.head;
  await receive(setup, 'shop', block);
  isKilled = isKilledWithin;
  if (isKilledWithin) {
    chain.queuedTransactions.push(...block.transactions);
    chain.reorg(1, 3);
    await waitUntil(async () => (await readTip(setup.statements.query))!.height < block.height, 'the block is reverted');
    await first.stop();
  } else {
    await first.stop();
    chain.reorg(1, 3);
  }
  const second = startDerivation({ database, log, timing: { retryMs: 5, minuteMs: 3_600_000 } });
  second.add(feedOfNewServer(derivedChain(DEFAULT_CHAIN)));
  await caughtUp();
  await second.stop();
  return { present: presentFacts(await eventsOf()), canonical: canonicalTransfers(setup, block.height - 1), received: block };
}

test.each([true, false])(
  'a received activity of a block that a reorg removes while no server runs is removed (with another webhook: %s)',
  async (hasWebhook) => {
    const { present } = await restartInReorg(false, hasWebhook);
    expect(present).toEqual([]);
  },
);

test.each([true, false])(
  'a received transfer becomes an event again after a server was killed within the reorg (with another webhook: %s)',
  async (hasWebhook) => {
    const { present, canonical, received } = await restartInReorg(true, hasWebhook);
    const sent = expectedFacts(received, new Set(ACCOUNTS)).filter(isTransfer);
    expect(present.length).toBeGreaterThan(0);
    expect(present).toEqual(canonical.filter((fact) => sent.includes(fact)));
  },
);
