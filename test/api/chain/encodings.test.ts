import { beforeAll, describe, expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { type BuiltBlock, buildBlock } from '../../support/ethereum/built-block.ts';
import { field } from '../../support/graph/results.ts';
import { type StubbedGraph, type StubResponses, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

/** The encodings of blocks, transactions and receipts, by the calls that they cost and by the nodes that they need. */
let graph: StubbedGraph;
let built: BuiltBlock;

beforeAll(async () => {
  built = await buildBlock({ ommers: 2 });
});

/** A node with one block. */
const nodeOf = ({ block, receipts, ommers }: Pick<BuiltBlock, 'block' | 'receipts' | 'ommers'>): StubResponses => {
  const blockBy = (_ref: string, full: boolean) =>
    full ? block : { ...block, transactions: block.transactions.map(field('hash')) };
  const byHash = (from: readonly any[], name: string) => (hash: string) => from.find((one) => one[name] === hash) ?? null;
  return {
    eth_getBlockByNumber: blockBy,
    eth_getBlockByHash: blockBy,
    eth_getBlockReceipts: receipts,
    eth_getTransactionByHash: byHash(block.transactions, 'hash'),
    eth_getTransactionReceipt: byHash(receipts, 'transactionHash'),
    eth_getUncleByBlockHashAndIndex: (_hash: string, index: string) => ommers[Number(index)] ?? null,
    eth_getTransactionByBlockHashAndIndex: (_hash: string, index: string) => block.transactions[Number(index)],
  };
};

/** Executes an operation and counts its requests. */
async function run(query: string, variables?: Record<string, unknown>) {
  const { data, errors } = await graph.execute(query, variables);
  const { http, methods } = graph.node.takeCounts();
  return { data, errors, http, methods };
}

describe('upstream calls', () => {
  test('the header of a block costs 1/1, without full transactions', async () => {
    graph = await startStubbedGraph(nodeOf(built));
    expect(await run('{ block(number: 16) { rawHeader again: rawHeader } }')).toEqual({
      data: { block: { rawHeader: built.rawHeader, again: built.rawHeader } },
      errors: undefined,
      http: 1,
      methods: { eth_getBlockByNumber: 1 },
    });
  });

  test('receipts alone cost 1/2, without full transactions', async () => {
    graph = await startStubbedGraph(nodeOf(built));
    const { data, http } = await run('{ block(number: 16) { transactionAt(index: 7) { rawReceipt status } } }');
    expect(data.block.transactionAt).toEqual({ rawReceipt: built.rawReceipts[7], status: '0x0' });
    expect([http, graph.requested]).toEqual([
      1,
      [
        ['eth_getBlockReceipts', '0x10'],
        ['eth_getBlockByNumber', '0x10', false],
      ],
    ]);
  });

  test('a block with two ommers costs 2/3, and one without ommers 1/1', async () => {
    graph = await startStubbedGraph(nodeOf(built));
    const withOmmers = await run('{ block(number: 16) { raw ommers { rawHeader raw } } }');
    expect(withOmmers).toMatchObject({
      errors: undefined,
      http: 2,
      methods: { eth_getBlockByNumber: 1, eth_getUncleByBlockHashAndIndex: 2 },
    });
    expect(withOmmers.data.block.raw).toBe(built.raw);
    expect(withOmmers.data.block.ommers.map(({ rawHeader }: any) => keccak256(rawHeader))).toEqual(built.block.uncles);
    expect(withOmmers.data.block.ommers.map(field('raw'))).toEqual(['0x', '0x']);

    const withdrawals = [{ index: '0x0', validatorIndex: '0x80', address: `0x${'11'.repeat(20)}`, amount: '0x1' }];
    const plain = await buildBlock({ withdrawals });
    graph = await startStubbedGraph(nodeOf(plain));
    expect(await run('{ block(number: 16) { raw transactions { raw } } }')).toMatchObject({
      data: { block: { raw: plain.raw } },
      errors: undefined,
      http: 1,
      methods: { eth_getBlockByNumber: 1 },
    });
  });

  test('a transaction by hash costs 1/1, its receipt two calls more for the block and its receipts', async () => {
    graph = await startStubbedGraph(nodeOf(built));
    const query = (fields: string) => `query ($hash: Bytes32!) { transaction(hash: $hash) { ${fields} } }`;
    const hash = built.block.transactions[6].hash;
    expect(await run(query('raw valueIn gasPriceIn chainID'), { hash })).toMatchObject({
      data: { transaction: { raw: built.rawTransactions[6], valueIn: '1', gasPriceIn: '2.500000001', chainID: '0x1' } },
      methods: { eth_getTransactionByHash: 1 },
    });
    expect(await run(query('raw rawReceipt'), { hash })).toMatchObject({
      data: { transaction: { raw: built.rawTransactions[6], rawReceipt: built.rawReceipts[6] } },
      http: 2,
      methods: { eth_getTransactionByHash: 1, eth_getBlockByHash: 1, eth_getBlockReceipts: 1 },
    });
  });

  test('the root of the receipts is computed once for all transactions of a block, whichever way leads to them', async () => {
    graph = await startStubbedGraph(nodeOf(built));
    const { data, errors, http, methods } = await run(`{
      a: block(number: 16) { transactions { rawReceipt } }
      b: block(number: 16) { receipts { transaction { rawReceipt } } }
    }`);
    expect(errors).toBeUndefined();
    expect(data.b.receipts.map(field('transaction'))).toEqual(data.a.transactions);
    expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByNumber: 1, eth_getBlockReceipts: 1 } });
  });
});

describe('old forks and other chains', () => {
  const DEPOSIT = { raw: `0x7e${'c0'}`, values: { type: '0x7e', value: '0x0', gas: '0x1', input: '0x', nonce: '0x0', to: null } };

  test('a transaction of an unknown type is read from the node, and checked against its hash', async () => {
    const rollup = await buildBlock({ foreign: [DEPOSIT] });
    const hash = keccak256(DEPOSIT.raw);
    graph = await startStubbedGraph({ ...nodeOf(rollup), eth_getRawTransactionByHash: DEPOSIT.raw });
    const { data, errors, methods } = await run(
      '{ block(number: 16) { raw transactionAt(index: 8) { hash raw rawReceipt type r s v gasPrice gasPriceIn chainID yParity } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.block.raw).toBe(rollup.raw);
    expect(data.block.transactionAt).toEqual({
      ...{ hash, raw: DEPOSIT.raw, rawReceipt: rollup.rawReceipts[8], type: '0x7e', r: '0x0', s: '0x0', v: '0x0' },
      ...{ gasPrice: '0x0', gasPriceIn: '0', chainID: null, yParity: null },
    });
    expect(methods).toEqual({ eth_getBlockByNumber: 1, eth_getBlockReceipts: 1, eth_getRawTransactionByHash: 1 });
  });

  test.each([
    ['fails with METHOD_NOT_SUPPORTED where the node does not return its encoding', {}, 'METHOD_NOT_SUPPORTED'],
    ['is METHOD_NOT_SUPPORTED where the node has no encoding', { eth_getRawTransactionByHash: null }, 'METHOD_NOT_SUPPORTED'],
    [
      'fails with UPSTREAM_BAD_RESPONSE where the node returns another one',
      { eth_getRawTransactionByHash: '0x7ec101' },
      'UPSTREAM_BAD_RESPONSE',
    ],
  ])('the encoding of an unknown type %s', async (_case, methods, code) => {
    const rollup = await buildBlock({ foreign: [DEPOSIT] });
    graph = await startStubbedGraph({ ...nodeOf(rollup), ...methods });
    const { data, errors } = await run('{ block(number: 16) { hash transactionAt(index: 8) { raw } } }');
    expect(data.block).toEqual({ hash: rollup.block.hash, transactionAt: null });
    expect(errors).toMatchObject([{ path: ['block', 'transactionAt', 'raw'], extensions: { code } }]);
  });
});

describe('results that do not match their hash or root', () => {
  const changed = (changes: object) => ({ ...built, block: { ...built.block, ...changes } });

  test.each([
    ['rawHeader', () => nodeOf(changed({ gasUsed: '0x1' }))],
    ['raw', () => nodeOf(changed({ gasUsed: '0x1' }))],
    [
      'raw',
      () =>
        nodeOf(
          changed({
            transactions: built.block.transactions
              .slice(1)
              .map((one: any, i: number) => ({ ...one, transactionIndex: `0x${i}` })),
          }),
        ),
    ],
    ['raw', () => nodeOf({ ...built, ommers: built.ommers.map((ommer) => ({ ...ommer, gasLimit: '0x1' })) })],
    [
      'transactions { raw }',
      () => nodeOf(changed({ transactions: built.block.transactions.map((one: any) => ({ ...one, value: '0x1' })) })),
    ],
    [
      'transactions { rawReceipt }',
      () => nodeOf({ ...built, receipts: built.receipts.map((one) => ({ ...one, cumulativeGasUsed: '0x1' })) }),
    ],
    ['transactions { rawReceipt }', () => nodeOf({ ...built, receipts: built.receipts.map(({ logsBloom, ...one }) => one) })],
  ])('%s fails with UPSTREAM_BAD_RESPONSE instead of wrong bytes (%#)', async (field, node) => {
    graph = await startStubbedGraph(node());
    const { data, errors } = await run(`{ block(number: 16) { ${field} } }`);
    expect(errors!.length).toBeGreaterThan(0);
    for (const { extensions } of errors!) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(JSON.stringify(data)).not.toContain('0x');
  });

  test('the block without one of its ommers has no encoding', async () => {
    graph = await startStubbedGraph(nodeOf({ ...built, ommers: [built.ommers[0]!] }));
    const { errors } = await run('{ block(number: 16) { raw } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BLOCK_NOT_AVAILABLE' } }]);
  });
});

test('the receipt of a pending transaction is empty, and its own encoding is complete', async () => {
  const { blockHash, blockNumber, transactionIndex, ...pending } = built.block.transactions[5];
  const one = { ...pending, blockHash: null, blockNumber: null, transactionIndex: null };
  graph = await startStubbedGraph({ ...nodeOf(built), eth_getTransactionByHash: one, eth_getTransactionReceipt: null });
  const { data } = await run(`{ transaction(hash: "${pending.hash}") { raw rawReceipt state } }`);
  expect(data.transaction).toEqual({ raw: built.rawTransactions[5], rawReceipt: '0x', state: 'PENDING' });
  expect([blockHash, blockNumber, transactionIndex]).not.toContain(undefined);
});
