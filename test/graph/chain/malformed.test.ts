import { afterEach, expect, test } from '@jest/globals';
import { block, type CannedGraph, hashOf, log, receipt, startCanned, transaction } from '../../kit/in-process.ts';

/** What a node sends wrong is an error on that field's path, and nulls no more than the schema's own `!` forces. */
let graph: CannedGraph;

afterEach(() => graph.stop());

const FIELDS = 'number size baseFeePerGas totalDifficulty timestampISO withdrawals { amount } transactions { hash yParity }';

test.each([
  ['a nullable number', { size: 'large' }, 'size', ['block', 'size']],
  ['a nullable number that is an object', { baseFeePerGas: {} }, 'baseFeePerGas', ['block', 'baseFeePerGas']],
  ['a number that has too many bits', { size: `0x1${'0'.repeat(16)}` }, 'size', ['block', 'size']],
  ['a nullable list', { withdrawals: 'none' }, 'withdrawals', ['block', 'withdrawals']],
])('%s that is malformed nulls itself alone', async (_case, changes, field, path) => {
  graph = await startCanned({ eth_getBlockByNumber: block(changes) });
  const { data, errors } = await graph.ask(`{ block(number: 16) { ${FIELDS} } }`);
  expect(data.block).toMatchObject({ number: '0x10', [field]: null });
  expect(errors).toEqual([
    expect.objectContaining({ path, extensions: expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE', source: 'node' }) }),
  ]);
});

test.each([
  ['missing', { gasLimit: undefined }],
  ['null', { gasLimit: null }],
  ['of another kind', { gasLimit: true }],
  ['negative', { gasLimit: '-0x1' }],
])('a non-null number that is %s nulls its block, with the path of the number', async (_case, changes) => {
  graph = await startCanned({ eth_getBlockByNumber: block(changes), eth_chainId: '0x1' });
  const { data, errors } = await graph.ask('{ chainID block(number: 16) { number gasLimit } }');
  expect(data).toEqual({ chainID: '0x1', block: null });
  expect(errors).toHaveLength(1);
  expect(errors![0]).toMatchObject({
    path: ['block', 'gasLimit'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: true },
  });
});

test('the message about a malformed value is our own and does not repeat the value', async () => {
  graph = await startCanned({ eth_getBlockByNumber: block({ size: 'SECRET-LOOKING' }) });
  const answer = await graph.ask('{ block(number: 16) { size } }');
  expect(answer.errors![0].message).toBe('The node sent something that is no Long.');
  expect(JSON.stringify(answer)).not.toContain('SECRET-LOOKING');
});

test('one malformed transaction nulls the list of transactions, and the block stays', async () => {
  const transactions = [transaction(), transaction({ hash: hashOf(0x72), value: 'much' })];
  graph = await startCanned({ eth_getBlockByNumber: block({ transactions }) });
  const { data, errors } = await graph.ask('{ block(number: 16) { number transactions { value } } }');
  expect(data.block).toEqual({ number: '0x10', transactions: null });
  expect(errors![0]).toMatchObject({
    path: ['block', 'transactions', 1, 'value'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
});

test('an upper-case hash and numbers with leading zeros are put into the one spelling', async () => {
  const shouting = `0x${'AB'.repeat(32)}`;
  graph = await startCanned({ eth_getTransactionByHash: transaction({ r: '0x00ff', value: '0x0A', blockHash: shouting }) });
  const { data } = await graph.ask('query ($h: Bytes32!) { transaction(hash: $h) { r value blockHash } }', { h: hashOf(0x71) });
  expect(data.transaction).toEqual({ r: '0xff', value: '0xa', blockHash: shouting.toLowerCase() });
});

test.each([
  ['a block that is a number', { eth_getBlockByNumber: 7 }, '{ block(number: 16) { hash } }', 'eth_getBlockByNumber'],
  ['a block that is a list', { eth_getBlockByNumber: [] }, '{ block(number: 16) { hash } }', 'eth_getBlockByNumber'],
  ['a head that is no number', { eth_blockNumber: 'new' }, '{ block { number } }', 'eth_blockNumber'],
  ['a head that is null', { eth_blockNumber: null }, '{ block { number } }', 'eth_blockNumber'],
])('%s is an error that names the method', async (_case, table, query, method) => {
  graph = await startCanned(table);
  const { data, errors } = await graph.ask(query);
  expect(data).toEqual({ block: null });
  expect(errors![0]).toMatchObject({ path: ['block'], extensions: { code: 'UPSTREAM_BAD_RESPONSE', method } });
});

test('receipts that are no list are an error on each field that needs one, and the transactions stay', async () => {
  graph = await startCanned({ eth_getBlockByNumber: block({ transactions: [transaction()] }), eth_getBlockReceipts: 'soon' });
  const { data, errors } = await graph.ask('{ block(number: 16) { number transactions { value status gasUsed } } }');
  expect(data.block).toEqual({ number: '0x10', transactions: [{ value: '0x1', status: null, gasUsed: null }] });
  expect(errors!.map(({ path, extensions }) => [path.at(-1), extensions.code])).toEqual([
    ['status', 'UPSTREAM_BAD_RESPONSE'],
    ['gasUsed', 'UPSTREAM_BAD_RESPONSE'],
  ]);
});

test('a log whose topics are malformed nulls the logs of its transaction, and its receipt stays', async () => {
  graph = await startCanned({ eth_getTransactionReceipt: receipt({ logs: [log({ topics: ['0x12'] })] }) });
  const { data, errors } = await graph.ask('query ($h: Bytes32!) { transaction(hash: $h) { status logs { topics } } }', {
    h: hashOf(0x71),
  });
  expect(data.transaction).toEqual({ status: '0x1', logs: null });
  expect(errors![0].path).toEqual(['transaction', 'logs', 0, 'topics', 0]);
});

test('a fee that cannot be reckoned with is an error on the tip alone', async () => {
  graph = await startCanned({
    eth_getTransactionByHash: transaction({ maxFeePerGas: 'lots' }),
    eth_getBlockByHash: block(),
  });
  const { data, errors } = await graph.ask('query ($h: Bytes32!) { transaction(hash: $h) { value effectiveTip } }', {
    h: hashOf(0x71),
  });
  expect(data.transaction).toEqual({ value: '0x1', effectiveTip: null });
  expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
});
