import { expect, test } from '@jest/globals';
import { readBlock } from '../../../src/domains/webhooks/derivation/block-reader.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import type { RpcNode } from '../../../src/upstream/rpc/node.ts';
import { buildBlock } from '../../support/ethereum/built-block.ts';
import { bloomOf } from '../../support/ethereum/logs-bloom.ts';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  hashOf,
  type logFixture,
  rpcError,
  type StubResponses,
  startGraphOver,
} from '../../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../../support/graph/unsynced-follower.ts';
import type { SimLogFilter } from '../../support/simulator/rpc-simulator.ts';

/** A mainnet block of each transaction type, with logs, two withdrawals and an ommer. */
const BUILT = await buildBlock({
  ommers: 1,
  withdrawals: [0, 1].map((i) => ({ index: `0x${i}`, validatorIndex: '0x7', address: addressOf(i), amount: '0x2a' })),
});
const { receipts: RECEIPTS, ommers: OMMERS } = BUILT;
const LOGS: readonly TestLog[] = RECEIPTS.flatMap(({ logs }) => logs);
const HASH: string = BUILT.block.hash;
type TestLog = ReturnType<typeof logFixture>;

/** The responses of a node that has changed parts of the block. */
function nodeWith({ block: header = {}, receipts = RECEIPTS, logs = LOGS, ommers = OMMERS }: ChangedParts = {}): StubResponses {
  const block = { ...BUILT.block, ...header };
  const blockOf = (full: boolean) => ({
    ...block,
    transactions: full ? block.transactions : block.transactions.map(({ hash }: { hash: string }) => hash),
  });
  return {
    eth_chainId: '0x1',
    eth_getBlockByNumber: (_ref: string, full: boolean) => blockOf(full),
    eth_getBlockByHash: (_ref: string, full: boolean) => blockOf(full),
    eth_getUncleByBlockHashAndIndex: (_ref: string, index: string) => ommers[Number(index)],
    eth_getBlockReceipts: receipts,
    eth_getTransactionReceipt: (hash: string) => receipts.find(({ transactionHash }) => transactionHash === hash),
    eth_getLogs: ({ blockHash }: SimLogFilter) => (blockHash === hashOf(1) ? rpcError(-32000, 'unknown block') : logs),
    eth_getBalance: '0x5',
  };
}

interface ChangedParts {
  readonly block?: Record<string, unknown>;
  readonly receipts?: readonly Record<string, any>[];
  readonly logs?: readonly TestLog[];
  readonly ommers?: readonly Record<string, any>[];
}

const HONEST = nodeWith();
const without = <T>(list: readonly T[], index: number): T[] => list.filter((_item, i) => i !== index);
const changed = <T extends object>(list: readonly T[], index: number, changes: object): T[] =>
  list.map((item, i) => (i === index ? { ...item, ...changes } : item));
/** The receipts with other logs in one of them, under the bloom that these logs have. */
const receiptsWith = (index: number, logs: readonly TestLog[], bloom?: string) =>
  changed(RECEIPTS, index, { logs, logsBloom: bloom ?? bloomOf(logs) });
const { withdrawals } = BUILT.block;
const QUERIES = {
  header: '{ block(number: 16) { hash stateRoot } }',
  withdrawals: '{ block(number: 16) { withdrawals { amount } } }',
  ommers: '{ block(number: 16) { ommers { hash miner { address } } } }',
  receipts: '{ block(number: 16) { number receipts { status logs { index } } } }',
  logs: '{ block(number: 16) { number logs(filter: {}) { index } } }',
  count: '{ block(number: 16) { number transactions { hash } } }',
};

/** Fields of a header that a node changes without the hash. */
const HEADER_FIELDS = Object.keys(BUILT.block).filter(
  (name) => !/^(?:hash|number|transactions|uncles|withdrawals|size)$/.test(name),
);

/** Changes that a header disproves: a description, the changed responses, and a query that reads them. */
const CONTRADICTIONS: readonly (readonly [string, StubResponses, string])[] = [
  ...HEADER_FIELDS.map((name) => {
    const value: string = BUILT.block[name];
    const other = `${value.slice(0, -1)}${value.endsWith('1') ? 2 : 1}`;
    return [
      `a header with another ${name}`,
      nodeWith({ block: { [name]: other === '0x1' ? '0x11' : other } }),
      QUERIES.header,
    ] as const;
  }),
  ['a block without its transactions', nodeWith({ block: { transactions: [] } }), QUERIES.count],
  [
    'a withdrawal with another amount',
    nodeWith({ block: { withdrawals: changed(withdrawals, 1, { amount: '0x2b' }) } }),
    QUERIES.withdrawals,
  ],
  ['a block without a withdrawal', nodeWith({ block: { withdrawals: without(withdrawals, 0) } }), QUERIES.withdrawals],
  ['a block without its ommers', nodeWith({ block: { uncles: [] } }), QUERIES.ommers],
  ['an ommer with another miner', nodeWith({ ommers: changed(OMMERS, 0, { miner: addressOf(0xbad) }) }), QUERIES.ommers],
  [
    'receipts of which one lacks a log',
    nodeWith({ receipts: receiptsWith(2, RECEIPTS[2]!.logs.slice(0, 1), RECEIPTS[2]!.logsBloom) }),
    QUERIES.receipts,
  ],
  [
    'receipts of which one lacks a log and its bloom',
    nodeWith({ receipts: receiptsWith(2, RECEIPTS[2]!.logs.slice(0, 1)) }),
    QUERIES.receipts,
  ],
  [
    'single receipts of which one lacks a log and its bloom',
    {
      ...nodeWith({ receipts: receiptsWith(2, RECEIPTS[2]!.logs.slice(0, 1)) }),
      eth_getBlockReceipts: rpcError(-32601, 'the method does not exist'),
    },
    QUERIES.receipts,
  ],
  [
    'the receipt of a transaction without its log',
    nodeWith({ receipts: receiptsWith(2, [], RECEIPTS[2]!.logsBloom) }),
    `{ receipt(hash: "${RECEIPTS[2]!.transactionHash}") { logs { index } } }`,
  ],
  [
    'a block without the only log of an address',
    nodeWith({ logs: LOGS.filter(({ topics }) => topics[0] !== hashOf(2)) }),
    QUERIES.logs,
  ],
  [
    'a log of an address with a topic that the bloom excludes',
    nodeWith({ logs: changed(LOGS, 0, { topics: [hashOf(0xbad)] }) }),
    `{ block(number: 16) { number logs(filter: { addresses: ["${LOGS[0]!.address}"] }) { index } } }`,
  ],
  [
    'a log with the position of another transaction',
    nodeWith({ logs: changed(LOGS, 0, { transactionIndex: '0x0' }) }),
    QUERIES.logs,
  ],
];

const graphOver = (tables: readonly StubResponses[], headerChecks: 'on' | 'report' = 'on') =>
  startGraphOver(tables, { headerChecks });

const failuresOf = (node: RpcNode) =>
  node.headerChecks.failures.series.flatMap(({ labels, counter }) => (counter.count > 0 ? [[...labels, counter.count]] : []));

test('the headers of the cases have every field', () => {
  expect(HEADER_FIELDS).toHaveLength(16);
});

test.each(CONTRADICTIONS)('HEADER_CHECKS=on refuses %s and names the setting', async (_case, changes, query) => {
  const { graph } = await graphOver([changes]);
  const { errors } = await graph.execute(query);
  expect(errors![0].extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', source: 'node' });
  expect(errors![0].message).toContain('HEADER_CHECKS=report');
  expect(failuresOf(graph.node)).toHaveLength(1);
  // A failed check does not change the mode.
  const again = await graph.execute(query);
  expect(again.errors![0].message).toContain('HEADER_CHECKS=report');
});

test.each(CONTRADICTIONS.filter(([name]) => !name.startsWith('single')))(
  'HEADER_CHECKS=on reads the result from the next endpoint instead of %s',
  async (_case, changes, query) => {
    const { graph } = await graphOver([changes, HONEST]);
    const expected = (await graphOver([HONEST])).graph.execute(query);
    expect(await graph.execute(query)).toEqual(await expected);
  },
);

test('HEADER_CHECKS=on accepts each part of a block that its header commits to', async () => {
  const { graph } = await graphOver([HONEST]);
  for (const query of Object.values(QUERIES)) {
    const data = await dataOf(graph.execute(query));
    expect(JSON.stringify(data)).not.toContain('null');
  }
  expect(failuresOf(graph.node)).toEqual([]);
});

test.each(CONTRADICTIONS)('HEADER_CHECKS=report counts and accepts %s', async (_case, changes, query) => {
  const { graph } = await graphOver([changes], 'report');
  const data = await dataOf(graph.execute(query));
  expect(JSON.stringify(data)).not.toContain('null');
  expect(failuresOf(graph.node)).toEqual([[expect.any(String), 1]]);
});

const withLog = (changes: object) => nodeWith({ logs: changed(LOGS, 1, changes) });
const withReceiptLog = (changes: object) =>
  nodeWith({ receipts: receiptsWith(1, changed(RECEIPTS[1]!.logs, 0, changes), RECEIPTS[1]!.logsBloom) });
const byHashQuery = `{ logs(filter: { blockHash: "${HASH}" }) { index } }`;

test.each<[string, StubResponses, string]>([
  ['a log with the number of another block', withLog({ blockNumber: '0x11' }), QUERIES.logs],
  ['a log by block hash with the number of another block', withLog({ blockNumber: '0x11' }), byHashQuery],
  ['a log by block hash without a number', withLog({ blockNumber: null }), byHashQuery],
  ['a log without the index of its transaction', withLog({ transactionIndex: null }), byHashQuery],
  ['a log with five topics', withLog({ topics: Array(5).fill(hashOf(1)) }), byHashQuery],
  ['a log of a receipt with the number of another block', withReceiptLog({ blockNumber: '0x11' }), QUERIES.receipts],
  ['a log of a receipt with the index of another transaction', withReceiptLog({ transactionIndex: '0x0' }), QUERIES.receipts],
  ['a balance in decimal', { ...HONEST, eth_getBalance: '10' }, `{ account(address: "${addressOf(1)}") { balance } }`],
  ['a balance as a JSON number', { ...HONEST, eth_getBalance: 10 }, `{ account(address: "${addressOf(1)}") { balance } }`],
])('%s fails with UPSTREAM_BAD_RESPONSE, also with HEADER_CHECKS=report', async (_case, changes, query) => {
  const { graph } = await graphOver([changes], 'report');
  const { errors } = await graph.execute(query);
  expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(failuresOf(graph.node)).toEqual([]);
});

test('webhooks derive nothing from a block whose receipts lack a log and its bloom', async () => {
  const read = async (tables: readonly StubResponses[]) => {
    const { graph } = await graphOver(tables);
    const { signal } = new AbortController();
    const operation = { requestId: 'test', signal, block: undefined, extensions: {}, dependencies: new ResponseDependencies() };
    const lookups = { findRegistered: async () => new Set<string>(), findToken: () => undefined };
    return readBlock(new Snapshot(unsyncedSources(graph.node), operation), '0x10', lookups);
  };
  const faulty = nodeWith({ receipts: receiptsWith(2, RECEIPTS[2]!.logs.slice(0, 1)) });
  await expect(read([faulty])).rejects.toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
    message: expect.stringContaining('HEADER_CHECKS=report'),
  });
  expect(await read([faulty, HONEST])).toEqual(await read([HONEST]));
});
