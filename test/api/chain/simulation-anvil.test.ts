import { expect, test } from '@jest/globals';
import { startTestAnvil } from '../../support/anvil.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { createInProcessGraph } from '../../support/graph/in-process-graph.ts';
import { dataOf } from '../../support/graph/results.ts';
import { addressOf, hashOf } from '../../support/graph/stubbed-graph.ts';

/** Stores the first word of its call data at slot 0; without call data, returns that slot. */
const CELL_CODE = '0x36600c575f545f5260205ff35b5f355f5500';
const [PAYER, PAYEE, LAST, CELL] = [0xa1, 0xb1, 0xc1, 0xd1].map(addressOf) as [string, string, string, string];

test('simulate over anvil carries storage and ether from the first block to the second, over overridden state', async () => {
  const anvil = await startTestAnvil();
  const graph = createInProcessGraph([anvil.url]);
  stopAfterTests(graph.close);
  const variables = {
    blocks: [
      {
        stateOverrides: [
          { address: PAYER, balance: '1000' },
          { address: CELL, code: CELL_CODE, stateDiff: [{ slot: hashOf(0), value: hashOf(5) }] },
        ],
        calls: [{ to: CELL }, { to: CELL, data: hashOf(7) }, { from: PAYER, to: PAYEE, value: '900' }],
      },
      {
        blockOverrides: { number: 5, timestamp: '0x70000000', feeRecipient: LAST },
        calls: [{ to: CELL }, { from: PAYEE, to: LAST, value: '800' }],
      },
    ],
  };
  const data = await dataOf(
    graph.execute(
      `query ($blocks: [SimulatedBlockInput!]) {
        simulate(blocks: $blocks) {
          block { number }
          blocks { number timestamp miner { address } transactions { from { address } to { address } value }
            calls { status data transfers { from { address balance } to { address } value } } }
        }
      }`,
      { variables },
    ),
  );
  const account = (address: string) => ({ address });
  const anyone = account(addressOf(0));
  const transfer = (from: string, to: string, value: string) => ({
    from: { address: from, balance: '0x0' },
    to: account(to),
    value,
  });
  const succeeded = { status: '0x1', data: '0x', transfers: [] };
  expect(data.simulate).toEqual({
    block: { number: '0x0' },
    blocks: [
      {
        // Anvil gives the first block the height of the genesis block.
        number: '0x0',
        timestamp: '0x1',
        miner: anyone,
        transactions: [
          { from: anyone, to: account(CELL), value: '0x0' },
          { from: anyone, to: account(CELL), value: '0x0' },
          { from: account(PAYER), to: account(PAYEE), value: '0x384' },
        ],
        calls: [{ ...succeeded, data: hashOf(5) }, succeeded, { ...succeeded, transfers: [transfer(PAYER, PAYEE, '0x384')] }],
      },
      {
        number: '0x5',
        timestamp: '0x70000000',
        miner: account(LAST),
        transactions: [
          { from: anyone, to: account(CELL), value: '0x0' },
          { from: account(PAYEE), to: account(LAST), value: '0x320' },
        ],
        calls: [
          { ...succeeded, data: hashOf(7) },
          { ...succeeded, transfers: [transfer(PAYEE, LAST, '0x320')] },
        ],
      },
    ],
  });
});
