import { expect, test } from '@jest/globals';
import { waitUntil } from '../../../../support/wait-until.ts';
import { startDerivationSetup, usePostgres } from '../../../../support/webhooks/derivation-setup.ts';
import { ACCOUNTS } from '../../../../support/webhooks/transfer-chain.ts';

usePostgres();

// schema: `asset` is the "Symbol of the asset"; docs/chains.md: a webhook belongs to its chain.
test.each([
  ['0x89', 'MATIC_MAINNET', 'POL'],
  ['0x64', 'GNOSIS_MAINNET', 'xDAI'],
  ['0xa', 'OPT_MAINNET', 'ETH'],
])('the native coin in the bodies of chain %s, %s, is %s', async (chainId, network, asset) => {
  const setup = await startDerivationSetup();
  const { chain, database, register, deliveries, start, derivedChain } = setup;
  start().add(derivedChain(chainId));
  const isReady = async () => {
    const statement = 'select 1 from derived_blocks where chain_id = $1 and hash = $2';
    return (await database.query(statement, [chainId, chain.head.hash])).length > 0;
  };
  await waitUntil(isReady, 'the head is processed');
  await register({ id: 'activity', addresses: ACCOUNTS });
  await database.query('update webhooks set chain_id = $1', [chainId]);
  const natives = async () =>
    (await deliveries())
      .map(({ body }) => JSON.parse(body))
      .flatMap((body) => body.activity.map((activity: object) => ({ network: body.network, ...activity })))
      .filter(({ category }) => category === 'external');
  const hasNatives = async () => {
    chain.mine();
    return (await natives()).length > 0;
  };
  await waitUntil(hasNatives, 'a native transfer is notified');
  expect((await natives())[0]).toMatchObject({ network, asset });
});
