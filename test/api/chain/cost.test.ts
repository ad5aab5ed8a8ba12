import { describe, expect, test } from '@jest/globals';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** MAX_COST during execution, on a node with one block of 30 transactions of 30 senders. */
const COUNT = 30;
const SENDERS = '{ block(number: 16) { number transactions { hash from { address balance } } } }';

const transactions = Array.from({ length: COUNT }, (_, i) =>
  transactionFixture({ hash: hashOf(0x100 + i), transactionIndex: `0x${i.toString(16)}`, from: addressOf(0x200 + i) }),
);
const receipts = transactions.map(({ hash, transactionIndex }) =>
  receiptFixture({ transactionHash: hash, transactionIndex, logs: [] }),
);

const start = (maxCost: number, more: Record<string, unknown> = {}) =>
  startStubbedGraph(
    {
      eth_getBlockByNumber: (_number: string, full: boolean) =>
        block({ transactions: full ? transactions : transactions.map(({ hash }) => hash) }),
      eth_getBlockByHash: () => block({ transactions }),
      eth_getBalance: '0x1',
      ...more,
    },
    { maxCost },
  );

describe('an operation with a limit on the cost of its upstream calls', () => {
  test('MAX_COST ends an operation with RESULT_TOO_LARGE before the calls above it are sent', async () => {
    // Cost: 21 for the head and the whole block, 30 for the balances.
    const graph = await start(50);
    const { data, errors } = await graph.execute(SENDERS);
    expect(data).toBeNull();
    const extensions = { limit: 50, actual: 51, setting: 'MAX_COST', retryable: false, source: 'graph' };
    expect(errors).toEqual([
      { message: expect.stringContaining('(MAX_COST)'), extensions: { code: 'RESULT_TOO_LARGE', ...extensions } },
    ]);
    expect(graph.node.takeCounts().methods).not.toHaveProperty('eth_getBalance');
  });

  test('an operation whose cost equals MAX_COST succeeds', async () => {
    const graph = await start(51);
    const { data, errors, budget } = await graph.execute(SENDERS);
    expect(errors).toBeUndefined();
    expect(data.block.transactions).toHaveLength(COUNT);
    expect(budget).toMatchObject({ spent: 51, error: undefined });
  });

  test('MAX_COST counts the calls that check whether a missing transaction exists', async () => {
    const graph = await start(100, { eth_getLogs: [logFixture({})], eth_getTransactionByHash: null });
    const { budget } = await graph.execute('{ logs(filter: { fromBlock: 1 }) { transaction { nonce } } }');
    // Cost: 21 for the head and the search, 1 for the transaction, 2 for reading it again together with the head.
    expect(graph.node.takeCounts().calls).toBe(5);
    expect(budget!.spent).toBe(24);
  });
});

test('receipts fetched one by one cost a tenth of a call each', async () => {
  const graph = await start(100, {
    eth_getTransactionReceipt: (hash: string) => receipts.find((one) => one.transactionHash === hash),
  });
  const { errors, budget } = await graph.execute('{ block(number: 16) { transactions { status } } }');
  expect(errors).toBeUndefined();
  // Cost: the block, eth_getBlockReceipts, which the node does not support, and a tenth for each transaction.
  expect(budget!.spent).toBeCloseTo(1 + 20 + COUNT / 10);
  expect(budget!.calls).toBe(2 + COUNT);
});

test('the budget counts equal calls once and each retry', async () => {
  let calls = 0;
  const graph = await start(100, {
    eth_getBalance: () => {
      calls += 1;
      return calls === 1 ? Object.assign(new Error('try again'), { code: -32603 }) : '0x1';
    },
  });
  const account = `account(address: "${addressOf(1)}") { balance }`;
  const { data, budget } = await graph.execute(`{ a: ${account} b: ${account} }`, {}, hashOf(0xb10));
  expect(data).toEqual({ a: { balance: '0x1' }, b: { balance: '0x1' } });
  expect(budget).toMatchObject({ spent: 2, requests: 3, calls: 3 });
});
