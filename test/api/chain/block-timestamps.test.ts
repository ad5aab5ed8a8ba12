import { expect, test } from '@jest/globals';
import {
  block,
  hashOf,
  logFixture,
  receiptFixture,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** The time of the block of a log, a receipt or a transaction: as the node returns it with the object, else from the header. */
const TIME = '0x67748600';
const HASH = hashOf(0x71);

const QUERIES = {
  logs: `logs(filter: { blockHash: "${hashOf(0xb10)}" })`,
  receipt: `receipt(hash: "${HASH}")`,
  transaction: `transaction(hash: "${HASH}")`,
};
type Kind = keyof typeof QUERIES;
const kinds = Object.keys(QUERIES) as Kind[];

async function read(kind: Kind, fields: string, blockTimestamp: unknown, methods = {}) {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ number: '0x20', hash: hashOf(0xb20) }),
    eth_getBlockByHash: block(),
    eth_getLogs: [logFixture({ blockTimestamp })],
    eth_getTransactionReceipt: receiptFixture({ blockTimestamp }),
    eth_getTransactionByHash: transactionFixture({ blockTimestamp }),
    ...methods,
  });
  const { data, errors } = await graph.execute(`{ found: ${QUERIES[kind]} { ${fields} } }`);
  expect(errors).toBeUndefined();
  return { found: [data.found].flat()[0], calls: graph.requested.length };
}

const FIELDS = 'blockTimestamp block { id number hash timestamp timestampISO }';
const EXPECTED = {
  blockTimestamp: TIME,
  block: {
    ...{ id: hashOf(0xb10), number: '0x10', hash: hashOf(0xb10) },
    ...{ timestamp: TIME, timestampISO: '2025-01-01T00:02:08.000Z' },
  },
};

test.each(kinds)('the time of the block of %s costs no call where the node returns it', async (kind) => {
  const { found, calls } = await read(kind, FIELDS, TIME);
  expect(found).toEqual(EXPECTED);
  expect(calls).toBe((await read(kind, '__typename', TIME)).calls);
});

test.each(kinds.flatMap((kind) => [undefined, null, '0x0'].map((value) => [kind, value] as const)))(
  'the time of the block of %s costs the header where the node returns %p',
  async (kind, value) => {
    const { found, calls } = await read(kind, FIELDS, value);
    expect(found).toEqual(EXPECTED);
    expect(calls).toBe((await read(kind, '__typename', value)).calls + 1);
  },
);

test.each(kinds)('other fields of the block of %s need the block, and its time is that of the block', async (kind) => {
  const { found } = await read(kind, 'block { timestamp gasLimit } blockTimestamp', TIME);
  expect(found).toEqual({ block: { timestamp: TIME, gasLimit: '0x1c9c380' }, blockTimestamp: TIME });
});

test('a pending transaction has no time', async () => {
  const pending = { blockHash: null, blockNumber: null, transactionIndex: null };
  const methods = { eth_getTransactionByHash: transactionFixture(pending) };
  const { found } = await read('transaction', FIELDS, null, methods);
  expect(found).toEqual({ blockTimestamp: null, block: null });
});

test('the time of the block of a receipt may be a number of JSON, as in receipts of anvil', async () => {
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: block({ number: '0x20', hash: hashOf(0xb20) }),
    eth_getTransactionReceipt: receiptFixture({ blockTimestamp: 0x67748600 }),
  });
  const { data, errors } = await graph.execute(`{ receipt(hash: "${hashOf(0x71)}") { block { timestamp timestampISO } } }`);
  expect(errors).toBeUndefined();
  expect(data.receipt.block).toEqual({ timestamp: '0x67748600', timestampISO: '2025-01-01T00:02:08.000Z' });
});
