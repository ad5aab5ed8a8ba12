import { describe, expect, test } from '@jest/globals';
import { readBlock } from '../../../src/domains/webhooks/derivation/block-reader.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../../src/snapshot/index.ts';
import { bloomOf } from '../../support/ethereum/logs-bloom.ts';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubResponses,
  startGraphOver,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../../support/graph/unsynced-follower.ts';
import type { SimLogFilter } from '../../support/simulator/rpc-simulator.ts';
import { EMPTY_ROOT } from '../../support/upstream/rpc-fixtures.ts';

/** Two transactions with a log each. */
const HASHES = [hashOf(0x71), hashOf(0x72)];
const LOGS = HASHES.map((transactionHash, i) => {
  const position = { transactionHash, transactionIndex: `0x${i}`, logIndex: `0x${i}` };
  return logFixture({ ...position, address: addressOf(0xc + i), topics: [hashOf(0x70), hashOf(0x80 + i)] });
});
const receiptOf = (i: number, logs: object[] = [LOGS[i]!]) =>
  receiptFixture({ transactionHash: HASHES[i], transactionIndex: `0x${i}`, logs, logsBloom: bloomOf([LOGS[i]!]) });
const RECEIPTS = [receiptOf(0), receiptOf(1)];
const transactions = HASHES.map((hash, i) => transactionFixture({ hash, transactionIndex: `0x${i}` }));
const BLOCK = { logsBloom: bloomOf(LOGS), transactionsRoot: hashOf(2) };
const blockOf = (full: boolean, changes: object = {}) =>
  block({ ...BLOCK, transactions: full ? transactions : HASHES, ...changes });

const HONEST: StubResponses = {
  eth_chainId: '0x1',
  eth_getBlockByNumber: (_ref: string, full: boolean) => blockOf(full),
  eth_getBlockByHash: (_ref: string, full: boolean) => blockOf(full),
  eth_getBlockReceipts: RECEIPTS,
  eth_getTransactionReceipt: (hash: string) => RECEIPTS[HASHES.indexOf(hash)],
  eth_getLogs: ({ blockHash }: SimLogFilter) => (blockHash === hashOf(1) ? rpcError(-32000, 'unknown block') : LOGS),
  eth_getBalance: '0x5',
};

const WITHOUT_BLOCK_RECEIPTS = { eth_getBlockReceipts: rpcError(-32601, 'the method does not exist') };
const EMPTY = (_ref: string) => blockOf(true, { transactions: [] });
const logsQuery = '{ block(number: 16) { number logs(filter: {}) { index } } }';
const receiptsQuery = '{ block(number: 16) { number receipts { logs { index } } } }';

/** Results that contradict a header, and a query that reads them. */
const CONTRADICTIONS: readonly (readonly [string, StubResponses, string])[] = [
  ['a block with every second log', { eth_getLogs: LOGS.slice(0, 1) }, logsQuery],
  [
    'a block with a log that it does not have',
    { eth_getLogs: [...LOGS, { ...LOGS[1], logIndex: '0x2', topics: [], address: addressOf(0xbad) }] },
    logsQuery,
  ],
  [
    'a log with the position of another transaction',
    { eth_getLogs: [LOGS[0], { ...LOGS[1], transactionIndex: '0x0' }] },
    logsQuery,
  ],
  ['receipts of which one lacks a log', { eth_getBlockReceipts: [RECEIPTS[0], receiptOf(1, [])] }, receiptsQuery],
  [
    'receipts of which one lacks a log and its bloom',
    { eth_getBlockReceipts: [RECEIPTS[0], { ...receiptOf(1, []), logsBloom: bloomOf([]) }] },
    receiptsQuery,
  ],
  [
    'single receipts of which one lacks a log and its bloom',
    {
      ...WITHOUT_BLOCK_RECEIPTS,
      eth_getTransactionReceipt: (hash: string) =>
        hash === HASHES[0] ? RECEIPTS[0] : { ...receiptOf(1, []), logsBloom: bloomOf([]) },
    },
    receiptsQuery,
  ],
  [
    'the receipt of a transaction without its log',
    { eth_getTransactionReceipt: receiptOf(1, []) },
    `{ receipt(hash: "${HASHES[1]}") { logs { index } } }`,
  ],
  [
    'an empty list of transactions under another root',
    { eth_getBlockByNumber: EMPTY, eth_getBlockByHash: EMPTY },
    '{ block(number: 16) { number transactions { hash } } }',
  ],
];

const graphOver = (tables: readonly StubResponses[], headerChecks: 'on' | 'report' = 'on') =>
  startGraphOver(tables, { headerChecks });

describe('HEADER_CHECKS=on', () => {
  test.each(CONTRADICTIONS)('HEADER_CHECKS=on refuses %s and names the setting', async (_case, changes, query) => {
    const { graph } = await graphOver([{ ...HONEST, ...changes }]);
    const { errors } = await graph.execute(query);
    expect(errors![0].extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', source: 'node' });
    expect(errors![0].message).toContain('HEADER_CHECKS=report');
    expect(graph.node.headerChecks.failures).toBeGreaterThan(0);
    // A failed check does not change the mode.
    const again = await graph.execute(query);
    expect(again.errors![0].message).toContain('HEADER_CHECKS=report');
  });

  test.each(
    CONTRADICTIONS.filter(([, changes]) => !('eth_getBlockReceipts' in changes && changes.eth_getBlockReceipts instanceof Error)),
  )('HEADER_CHECKS=on reads the result from the next endpoint instead of %s', async (_case, changes, query) => {
    const { graph } = await graphOver([{ ...HONEST, ...changes }, HONEST]);
    const expected = (await graphOver([HONEST])).graph.execute(query);
    expect(await graph.execute(query)).toEqual(await expected);
  });

  test('HEADER_CHECKS=on accepts a block without transactions with the root of an empty list', async () => {
    const empty = block({ transactionsRoot: EMPTY_ROOT, transactions: [] });
    const { graph } = await graphOver([{ ...HONEST, eth_getBlockByNumber: empty }]);
    const { data } = await graph.execute('{ block(number: 16) { number transactions { hash } } }');
    expect(data.block).toEqual({ number: '0x10', transactions: [] });
  });
});

test.each(CONTRADICTIONS)('HEADER_CHECKS=report counts and accepts %s', async (_case, changes, query) => {
  const { graph } = await graphOver([{ ...HONEST, ...changes }], 'report');
  const data = await dataOf(graph.execute(query));
  expect(JSON.stringify(data)).not.toContain('null');
  expect(graph.node.headerChecks.failures).toBe(1);
});

const withLog = (changes: object): StubResponses => ({ eth_getLogs: [LOGS[0], { ...LOGS[1], ...changes }] });
const withReceiptLog = (changes: object): StubResponses => ({
  eth_getBlockReceipts: [RECEIPTS[0], receiptOf(1, [{ ...LOGS[1], ...changes }])],
});
const byHashQuery = `{ logs(filter: { blockHash: "${hashOf(0xb10)}" }) { index } }`;

test.each<[string, StubResponses, string]>([
  ['a log with the number of another block', withLog({ blockNumber: '0x11' }), logsQuery],
  ['a log by block hash with the number of another block', withLog({ blockNumber: '0x11' }), byHashQuery],
  ['a log by block hash without a number', withLog({ blockNumber: null }), byHashQuery],
  ['a log without the index of its transaction', withLog({ transactionIndex: null }), byHashQuery],
  ['a log with five topics', withLog({ topics: Array(5).fill(hashOf(1)) }), byHashQuery],
  ['a log of a receipt with the number of another block', withReceiptLog({ blockNumber: '0x11' }), receiptsQuery],
  ['a log of a receipt with the index of another transaction', withReceiptLog({ transactionIndex: '0x0' }), receiptsQuery],
  ['a balance in decimal', { eth_getBalance: '10' }, `{ account(address: "${addressOf(1)}") { balance } }`],
  ['a balance as a JSON number', { eth_getBalance: 10 }, `{ account(address: "${addressOf(1)}") { balance } }`],
])('%s fails with UPSTREAM_BAD_RESPONSE, also with HEADER_CHECKS=report', async (_case, changes, query) => {
  const { graph } = await graphOver([{ ...HONEST, ...changes }], 'report');
  const { errors } = await graph.execute(query);
  expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(graph.node.headerChecks.failures).toBe(0);
});

test('webhooks derive nothing from a block whose receipts lack a log and its bloom', async () => {
  const incomplete = [RECEIPTS[0], { ...receiptOf(1, []), logsBloom: bloomOf([]) }];
  const read = async (tables: readonly StubResponses[]) => {
    const { graph } = await graphOver(tables);
    const { signal } = new AbortController();
    const operation = { requestId: 'test', signal, block: undefined, extensions: {}, dependencies: new ResponseDependencies() };
    const lookups = { findRegistered: async () => new Set<string>(), findToken: () => undefined };
    return readBlock(new Snapshot(unsyncedSources(graph.node), operation), '0x10', lookups);
  };
  const faulty = { ...HONEST, eth_getBlockReceipts: incomplete };
  await expect(read([faulty])).rejects.toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
    message: expect.stringContaining('HEADER_CHECKS=report'),
  });
  expect(await read([faulty, HONEST])).toEqual(await read([HONEST]));
});
