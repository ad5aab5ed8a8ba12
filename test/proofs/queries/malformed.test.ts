import { expect, test } from '@jest/globals';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** A malformed value of a node is an error on the path of its field, and nulls only what non-null types require. */

const FIELDS = 'number size baseFeePerGas totalDifficulty timestampISO withdrawals { amount } transactions { hash yParity }';

test.each([
  ['a nullable number', { size: 'large' }, 'size', ['block', 'size']],
  ['a nullable number that is an object', { baseFeePerGas: {} }, 'baseFeePerGas', ['block', 'baseFeePerGas']],
  ['a number with too many bits', { size: `0x1${'0'.repeat(16)}` }, 'size', ['block', 'size']],
])('malformed nullable value nulls only its field: %s', async (_case, changes, field, path) => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block(changes) });
  const { data, errors } = await graph.execute(`{ block(number: 16) { ${FIELDS} } }`);
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
])('a non-null number that is %s nulls its block and reports the path of the number', async (_case, changes) => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block(changes), eth_chainId: '0x1' });
  const { data, errors } = await graph.execute('{ chainID block(number: 16) { number gasLimit } }');
  expect(data).toEqual({ chainID: '0x1', block: null });
  expect(errors).toHaveLength(1);
  expect(errors![0]).toMatchObject({
    path: ['block', 'gasLimit'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: true },
  });
});

test('the error message for a malformed value does not contain the value', async () => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block({ size: 'SECRET-LOOKING' }) });
  const answer = await graph.execute('{ block(number: 16) { size } }');
  expect(answer.errors![0].message).toBe('The node returned an invalid Long.');
  expect(JSON.stringify(answer)).not.toContain('SECRET-LOOKING');
});

test('a malformed transaction nulls the list of transactions but not the block', async () => {
  const transactions = [transactionFixture(), transactionFixture({ hash: hashOf(0x72), transactionIndex: '0x1', value: 'much' })];
  const graph = await startStubbedGraph({ eth_getBlockByNumber: block({ transactions }) });
  const { data, errors } = await graph.execute('{ block(number: 16) { number transactions { value } } }');
  expect(data.block).toEqual({ number: '0x10', transactions: null });
  expect(errors![0]).toMatchObject({
    path: ['block', 'transactions', 1, 'value'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
});

test('an upper-case hash and numbers with leading zeros are returned in canonical form', async () => {
  const upperCase = `0x${'AB'.repeat(32)}`;
  const graph = await startStubbedGraph({
    eth_getTransactionByHash: transactionFixture({ r: '0x00ff', value: '0x0A', blockHash: upperCase }),
  });
  const { data } = await graph.execute('query ($h: Bytes32!) { transaction(hash: $h) { r value blockHash } }', {
    h: hashOf(0x71),
  });
  expect(data.transaction).toEqual({ r: '0xff', value: '0xa', blockHash: upperCase.toLowerCase() });
});

test.each([
  ['null', null, 'BLOCK_NOT_AVAILABLE'],
  ['without a number', block({ number: undefined }), 'UPSTREAM_BAD_RESPONSE'],
  ['with an invalid hash', block({ hash: '0x12' }), 'UPSTREAM_BAD_RESPONSE'],
])('a head that is %s fails the operation that needs it', async (_case, head, code) => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: head, eth_getBalance: '0x1' });
  const { data, errors } = await graph.execute(`{ account(address: "${addressOf(1)}") { balance } }`);
  expect(data).toEqual({ account: null });
  expect(errors![0]).toMatchObject({ path: ['account', 'balance'], extensions: { code } });
});

const BY_NUMBER = '{ block(number: 16) { number size } }';

test.each<[string, unknown, string]>([
  ['a block that is a number', 7, BY_NUMBER],
  ['a block that is a list', [], BY_NUMBER],
  ['a head that is a list', [], '{ block { number } }'],
  ['a block without a hash', block({ hash: undefined }), BY_NUMBER],
  ['a block whose hash is null', block({ hash: null }), BY_NUMBER],
])('%s fails with UPSTREAM_BAD_RESPONSE with the name of the method', async (_case, result, query) => {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: result });
  const { data, errors } = await graph.execute(query);
  expect(data).toEqual({ block: null });
  expect(errors![0]).toMatchObject({
    path: ['block'],
    extensions: { code: 'UPSTREAM_BAD_RESPONSE', method: 'eth_getBlockByNumber' },
  });
});

test.each([
  [
    'a receipt without logs',
    receiptFixture({ logs: undefined }),
    `receipt(hash: "${hashOf(0x71)}") { status logs(filter: {}) { index } }`,
  ],
  [
    'a receipt whose logs are text',
    receiptFixture({ logs: 'some' }),
    `receipt(hash: "${hashOf(0x71)}") { status logs { index } }`,
  ],
])('%s fails with UPSTREAM_BAD_RESPONSE, not INTERNAL_SERVER_ERROR', async (_case, receipt, query) => {
  const graph = await startStubbedGraph({ eth_getTransactionReceipt: receipt });
  const { errors } = await graph.execute(`{ ${query} }`);
  expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_BAD_RESPONSE']);
});

test('a block with a missing or malformed bloom still has logs', async () => {
  for (const logsBloom of [undefined, '0x', '0x12']) {
    const graph = await startStubbedGraph({
      eth_getBlockByNumber: block({ logsBloom, transactions: [hashOf(0x71)] }),
      eth_getLogs: [logFixture()],
    });
    const { data } = await graph.execute('{ block(number: 16) { number logs(filter: {}) { index } } }');
    expect(data.block).toEqual({ number: '0x10', logs: [{ index: '0x0' }] });
  }
});

test.each([
  ['networkID', 'net_version'],
  ['protocolVersion', 'eth_protocolVersion'],
])('%s returns a version or an id, and rejects any other text', async (field, method) => {
  const graph = await startStubbedGraph({ [method]: 'see https://node.example/v2/0123456789abcdef' });
  const answer = await graph.execute(`{ network { ${field} } }`);
  expect(answer.errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(JSON.stringify(answer)).not.toContain('0123456789abcdef');
});

test('receipts that are not a list fail the fields that need them, but not the transactions', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [transactionFixture()] }),
    eth_getBlockReceipts: 'soon',
  });
  const { data, errors } = await graph.execute('{ block(number: 16) { number transactions { value status gasUsed } } }');
  expect(data.block).toEqual({ number: '0x10', transactions: [{ value: '0x1', status: null, gasUsed: null }] });
  expect(errors!.map(({ path, extensions }) => [path?.at(-1), extensions.code])).toEqual([
    ['status', 'UPSTREAM_BAD_RESPONSE'],
    ['gasUsed', 'UPSTREAM_BAD_RESPONSE'],
  ]);
});

test('the cursor of a queried log with an invalid position is null with UPSTREAM_BAD_RESPONSE', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ transactions: [hashOf(0x71)] }),
    eth_getLogs: [logFixture(), logFixture({ logIndex: '0x100000000' })],
  });
  const { data, errors } = await graph.execute(
    '{ block(number: 16) { ... on Header { number ommerHash } logs(filter: {}) { index cursor } } }',
  );
  expect(data.block).toMatchObject({ number: '0x10', ommerHash: block().sha3Uncles });
  expect(data.block.logs).toEqual([
    { index: '0x0', cursor: expect.stringMatching(/^[\w-]{60}$/) },
    { index: '0x100000000', cursor: null },
  ]);
  expect(errors).toMatchObject([{ path: ['block', 'logs', 1, 'cursor'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});
