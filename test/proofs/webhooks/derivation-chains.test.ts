import { expect, test } from '@jest/globals';
import { DEFAULT_CHAIN } from '../../../src/domains/webhooks/store/chain-statements.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { canonicalFacts, presentFacts, startDerivationSetup, usePostgres } from '../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS } from '../../support/webhooks/transfer-chain.ts';

usePostgres();

test('two forks of one history have their own events and deliveries, and a reorg of one changes nothing of the other', async () => {
  const [first, second] = await Promise.all([startDerivationSetup({ seed: 7 }), startDerivationSetup({ seed: 7 })]);
  expect(second.chain.head.hash).toBe(first.chain.head.hash);
  const derivation = first.start();
  derivation.add(second.derivedChain('0x5'));
  const { database, store } = first;
  const tipOf = async (chainId: string): Promise<string | undefined> => {
    const statement = `select hash from derived_blocks where chain_id = $1
       and not exists (select from derived_blocks as other where other.chain_id = $1 and not complete) order by height desc limit 1`;
    return (await database.query<{ hash: string }>(statement, [chainId]))[0]?.hash;
  };
  const caughtUp = () =>
    waitUntil(
      async () => (await tipOf(DEFAULT_CHAIN)) === first.chain.head.hash && (await tipOf('0x5')) === second.chain.head.hash,
      'the heads of both chains are processed',
    );
  await caughtUp();
  for (const type of ['ADDRESS_ACTIVITY', 'MINED_TRANSACTION'] as const) {
    await first.register({ id: `default ${type}`, type, addresses: ACCOUNTS });
    await first.register({ id: `further ${type}`, type, addresses: ACCOUNTS, confirmations: 2 });
  }
  await database.query(`update webhooks set chain_id = '0x5' where id like 'further %'`);
  const from = first.chain.head.height;
  for (let block = 0; block < 6; block++) for (const { chain } of [first, second]) chain.mine();
  expect(second.chain.head.hash).toBe(first.chain.head.hash);
  await caughtUp();
  const eventsOf = (chainId: string) => store.oldest({ app: undefined, chainId }, { limit: 1_000 });
  const facts = canonicalFacts(first.chain, from, ACCOUNTS);
  expect(facts.length).toBeGreaterThan(0);
  const before = await eventsOf(DEFAULT_CHAIN);
  expect(presentFacts(before)).toEqual(facts);
  expect(presentFacts(await eventsOf('0x5'))).toEqual(facts);
  const deliveries = await first.deliveries();
  const eventIds = new Set(before.map(({ id }) => id));
  expect(deliveries.some(({ webhook_id }) => webhook_id.startsWith('further'))).toBe(true);
  for (const { webhook_id, event_id } of deliveries) expect(eventIds.has(event_id!)).toBe(webhook_id.startsWith('default'));

  second.chain.reorg(3, 4);
  await caughtUp();
  expect(presentFacts(await eventsOf('0x5'))).toEqual(canonicalFacts(second.chain, from, ACCOUNTS));
  expect(await eventsOf(DEFAULT_CHAIN)).toEqual(before);
});
