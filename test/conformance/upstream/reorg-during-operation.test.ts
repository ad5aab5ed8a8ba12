import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { executeQuery, nameOf, waitForGraphHead } from '../../support/graph/consistent-reads.ts';
import { type ReorgSetup, startReorgSetup } from '../../support/graph/reorg-setup.ts';

// A reorg of each kind before every call: test/simulation/queries/reorgs.test.ts.
let setup: ReorgSetup;

beforeAll(async () => {
  setup = await startReorgSetup();
});

afterAll(() => setup?.stop());

const hex = (n: number): string => `0x${n.toString(16)}`;
const headersFrom = (base: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => setup.rpc('eth_getBlockByNumber', hex(base + i), false)));

test('an operation over several round trips returns what the node returns for its block', async () => {
  const { expected, head, base } = await setup.prepare('longer');
  const alice = setup.devnet.description.accounts[0]!.address;
  const at = { blockHash: head.hash };
  expect(expected.data.account).toEqual({
    balance: await setup.rpc('eth_getBalance', alice, at),
    transactionCount: await setup.rpc('eth_getTransactionCount', alice, at),
    storage: await setup.rpc('eth_getStorageAt', alice, '0x0', at),
  });
  const blocks = await headersFrom(base, 4);
  expect(expected.data.blocks.map(nameOf)).toEqual(blocks.map(nameOf));
  expect(expected.data.blocks.map((one: any) => one.confirmations)).toEqual(['0x4', '0x3', '0x2', '0x1']);
  const balances = await Promise.all(blocks.map(({ hash }) => setup.rpc('eth_getBalance', alice, { blockHash: hash })));
  expect(expected.data.blocks.map((one: any) => one.account.balance)).toEqual(balances);
  const logs = await setup.rpc('eth_getLogs', { fromBlock: hex(base), toBlock: head.number });
  expect(expected.data.logs.map((log: any) => log.data)).toEqual(logs.map((log: any) => log.data));
  expect(expected.data.transaction).toMatchObject({ state: 'MINED', confirmations: '0x1', blockNumber: head.number });
});

test.each(['longer', 'equally long', 'shorter'] as const)(
  'a reorg to a branch that is %s, in the middle of an operation, leaves consistent values or BLOCK_NOT_AVAILABLE',
  async (kind) => {
    let codes: string[] = [];
    for (const share of [0.1, 0.6]) {
      const prepared = await setup.prepare(kind);
      codes = codes.concat(await setup.executeAcrossReorg(prepared, Math.floor(prepared.calls * share)));
    }
    expect(new Set(codes)).toEqual(new Set(['BLOCK_NOT_AVAILABLE']));
  },
);

test('the same query after a reorg returns the new branch only', async () => {
  const { query, reorganize, base } = await setup.prepare('longer');
  await reorganize();
  const head = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  await waitForGraphHead(setup.graph, head.hash);
  const { data, errors, extensions } = await executeQuery(setup.graph, query);
  expect({ errors, block: extensions!.block }).toEqual({ errors: undefined, block: nameOf(head) });
  expect(data.transaction).toBeNull();
  expect(data.blocks.map(nameOf)).toEqual((await headersFrom(base, 5)).map(nameOf));
  const alice = setup.devnet.description.accounts[0]!.address;
  expect(data.account.balance).toBe(await setup.rpc('eth_getBalance', alice, { blockHash: head.hash }));
});
