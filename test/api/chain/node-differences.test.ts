import { expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import { block, receiptFixture, startStubbedGraph, transactionFixture } from '../../support/graph/stubbed-graph.ts';

/** Values of transactions that nodes omit, or return where others return null. */
async function valuesOf(fields: string, transaction: Record<string, unknown>, receipt: Record<string, unknown> = {}) {
  const own = transactionFixture(transaction);
  const graph = await startStubbedGraph({
    eth_getTransactionByHash: own,
    eth_getTransactionReceipt: receiptFixture({ ...receipt, logs: [] }),
    eth_getBlockByNumber: block({}),
    eth_getBlockByHash: block({}),
  });
  return (await dataOf(graph.execute(`{ transaction(hash: "${own.hash}") { ${fields} } }` as string))).transaction;
}

test.each<[string, Record<string, unknown>]>([
  ['omits the price', { gasPrice: undefined }],
  ['gives the price that would be paid now, as anvil does', { gasPrice: '0x50' }],
  ['gives the position in its unfinished block', { blockNumber: '0x11', transactionIndex: '0x3' }],
])('a pending transaction has the maximum price and no position where the node %s', async (_case, values) => {
  const pending = { blockHash: null, blockNumber: null, transactionIndex: null, type: '0x2', maxFeePerGas: '0x64', ...values };
  expect(await valuesOf('state index blockNumber gasPrice gasPriceIn(unit: WEI)', pending)).toEqual({
    ...{ state: 'PENDING', index: null, blockNumber: null, gasPrice: '0x64', gasPriceIn: '100' },
  });
});

test('yParity of a legacy transaction is null, also where the node returns it', async () => {
  expect(await valuesOf('yParity', { type: '0x0', v: '0x26', yParity: '0x1' })).toEqual({ yParity: null });
});

test.each([
  [undefined, null],
  ['0x0', null],
  ['0x20000', '0x1'],
])('blobGasPrice of a transaction with %s of blob gas is %s where each receipt has a price, as on anvil', async (used, price) => {
  const values = await valuesOf('blobGasPrice blobGasUsed', { type: '0x3' }, { blobGasPrice: '0x1', blobGasUsed: used });
  expect(values).toEqual({ blobGasPrice: price, blobGasUsed: price && used });
});
