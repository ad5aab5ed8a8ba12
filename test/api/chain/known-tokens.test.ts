import { expect, test } from '@jest/globals';
import { readTokenLists } from '../../../src/config/token-lists.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import { addressOf, block, type StubbedGraph, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

/** Balances in all tokens of the lists, over a node without token methods and without Multicall3. */
let graph: StubbedGraph;

const entry = (index: number, chainId = 1) => ({
  chainId,
  address: addressOf(0x1000 + index),
  name: `Token ${index}`,
  symbol: `T${index}`,
  decimals: 2,
  logoURI: 'https://example.com/logo.png',
});

async function start(count: number): Promise<void> {
  const tokens = [...Array.from({ length: count }, (_none, i) => entry(i)), entry(0), entry(9_999, 5)];
  graph = await startStubbedGraph(
    {
      eth_chainId: '0x1',
      eth_getBlockByNumber: block({ number: '0x5' }),
      eth_call: ({ to }: { to: string }) => {
        const index = Number(to) - 0x1000;
        if (!(index >= 0)) return '0x';
        return index === 1 ? '0x' : `0x${(index % 3).toString(16).padStart(64, '0')}`;
      },
    },
    { lists: readTokenLists([], [{ tokens }]) },
  );
}

const query = (args: string) =>
  `{ account(address: "${addressOf(1)}") { tokenBalances${args} { token { symbol } balance { formatted } error } } }`;

test('tokenBalances without contracts has each token that the lists have on the chain, once and in their order', async () => {
  await start(4);
  const data = await dataOf(graph.execute(query('')));
  expect(data.account.tokenBalances).toEqual([
    { token: { symbol: 'T0' }, balance: { formatted: '0' }, error: null },
    { token: { symbol: 'T1' }, balance: null, error: 'The contract returns no balance.' },
    { token: { symbol: 'T2' }, balance: { formatted: '0.02' }, error: null },
    { token: { symbol: 'T3' }, balance: { formatted: '0' }, error: null },
  ]);
});

test('nonZero leaves out balances of zero and contracts without a balance, also of named contracts', async () => {
  await start(6);
  const symbols = async (args: string) => {
    const data = await dataOf(graph.execute(query(args)));
    return data.account.tokenBalances.map(field('token')).map(field('symbol'));
  };
  expect(await symbols('(nonZero: true)')).toEqual(['T2', 'T4', 'T5']);
  expect(await symbols(`(contracts: ["${addressOf(0x1000)}", "${addressOf(0x1002)}"], nonZero: true)`)).toEqual(['T2']);
});

test('an empty list of contracts has no balances, and lists without a token of the chain neither', async () => {
  await start(0);
  expect((await graph.execute(query('(contracts: [])'))).data.account.tokenBalances).toEqual([]);
  expect((await graph.execute(query(''))).data.account.tokenBalances).toHaveLength(1);
});

test('more than 500 known tokens fail with RESULT_TOO_LARGE', async () => {
  await start(501);
  const { data, errors } = await graph.execute(query(''));
  expect(data.account.tokenBalances).toBeNull();
  expect(errors![0].extensions).toMatchObject({ code: 'RESULT_TOO_LARGE', limit: 500, actual: 501 });
});

test('formatted alone reads the balance and the metadata in one batch', async () => {
  await start(0);
  const address = addressOf(0x1002);
  await graph.execute(`{ account(address: "${address}") { tokenBalance(contract: "${address}") { balance { formatted } } } }`);
  // Chain id, detection of token methods, head, Multicall3, and the batch.
  expect(graph.node.takeCounts()).toMatchObject({ http: 5, methods: { eth_call: 5 } });
});
