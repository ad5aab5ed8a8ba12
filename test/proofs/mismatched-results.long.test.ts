import { beforeAll, describe, expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../src/snapshot/rpc-result-cache.ts';
import { cleanups } from '../support/cleanups.ts';
import { createInProcessGraph, type InProcessGraph } from '../support/graph/in-process-graph.ts';
import { dataOf } from '../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  type StubResponses,
  startStubNode,
} from '../support/graph/stubbed-graph.ts';
import { UNSYNCED_FOLLOWER } from '../support/graph/unsynced-follower.ts';
import type { NodeProxy } from '../support/proxies/node-proxy.ts';
import {
  BLOCK_HASH,
  BLOCK_TRANSACTION,
  blockWithHashes,
  fullBlock,
  logs,
  ONE_BLOCK,
} from '../support/upstream/one-block-node.ts';

/** Results that are malformed or do not match the request are requested from the next endpoint, and are never cached. */

async function over(tables: readonly StubResponses[]): Promise<{ graph: InProcessGraph; nodes: NodeProxy[] }> {
  const nodes = await Promise.all(tables.map(startStubNode));
  const graph = createInProcessGraph(
    nodes.map(({ url }) => url),
    { headerChecks: 'report', cache: createRpcResultCache(1e6, UNSYNCED_FOLLOWER) },
  );
  cleanups.push(() => graph.close(), ...nodes.map((node) => () => node.stop()));
  return { graph, nodes };
}

const BLOCK = 'block(number: 16)';
const BY_HASH = `block(hash: "${BLOCK_HASH}")`;
const LOGS = '{ logs(filter: {}) { index } }';
const inRange = (criteria: string) => `{ logs(filter: { fromBlock: 16, toBlock: 16, ${criteria} }) { index } }`;
const ONE = `{ transaction(hash: "${hashOf(0x71)}") { value } }`;
const RECEIPT = `{ receipt(hash: "${hashOf(0x71)}") { status logs { index } } }`;
const STATUSES = `{ ${BLOCK} { transactions { status } } }`;
const WHOLE = `{ ${BLOCK} { transactions { value } } }`;
const blocks = (changes: object, of = blockWithHashes) => ({
  eth_getBlockByNumber: { ...of, ...changes },
  eth_getBlockByHash: { ...of, ...changes },
});
const ownWith = (changes: object) => blocks({ transactions: [{ ...BLOCK_TRANSACTION, ...changes }] }, fullBlock);

const CASES: [string, StubResponses, string][] = [
  ['a block of another height', blocks({ number: '0xf' }), `{ ${BLOCK} { hash } }`],
  ['a block with another hash', blocks({ hash: hashOf(0xbad) }), `{ ${BY_HASH} { number } }`],
  ['a block by hash without a hash', blocks({ hash: null }), `{ ${BY_HASH} { number } }`],
  ['a block whose hash is a number', blocks({ hash: 5 }), `{ ${BLOCK} { number transactions { status } } }`],
  ['a block whose parent is a number', blocks({ parentHash: 5 }), `{ ${BLOCK} { parent { hash } } }`],
  ['a block whose producer is an object', blocks({ miner: {} }), `{ ${BLOCK} { miner { balance } } }`],
  ['transactions that are text', blocks({ transactions: 'none' }), `{ ${BLOCK} { transactionHashes } }`],
  ['transactions that are an object', blocks({ transactions: {} }), `{ ${BLOCK} { transactionCount hash } }`],
  ['a transaction that is null', blocks({ transactions: [null] }), STATUSES],
  ['a transaction that is a number', blocks({ transactions: [5] }), `{ ${BLOCK} { transactionHashes } }`],
  ['a transaction without a hash', ownWith({ hash: undefined }), WHOLE],
  ['hashes in place of whole transactions', blocks({}), WHOLE],
  ['a whole transaction of another block', ownWith({ blockHash: hashOf(0xbad) }), WHOLE],
  ['a whole transaction of another height', ownWith({ blockNumber: '0xf' }), WHOLE],
  ['a whole transaction of another index', ownWith({ transactionIndex: '0x1' }), WHOLE],
  ['an access list with null', ownWith({ accessList: [null] }), WHOLE],
  ['an access list without keys', ownWith({ accessList: [{ address: addressOf(1) }] }), WHOLE],
  ['blob hashes that are numbers', ownWith({ blobVersionedHashes: [5] }), WHOLE],
  ['ommer hashes that are numbers', blocks({ uncles: [5] }), `{ ${BLOCK} { ommerHashes } }`],
  ['withdrawals with null', blocks({ withdrawals: [null] }), `{ ${BLOCK} { withdrawals { amount } } }`],
  ['withdrawals that are text', blocks({ withdrawals: 'none' }), `{ ${BLOCK} { withdrawals { amount } } }`],
  ['another ommer', { eth_getUncleByBlockHashAndIndex: block() }, `{ ${BLOCK} { ommers { hash } } }`],
  ['another ommer by index', { eth_getUncleByBlockHashAndIndex: block() }, `{ ${BLOCK} { ommerAt(index: 0) { hash } } }`],
  ['a count that is text', { eth_getBlockTransactionCountByNumber: 'one' }, `{ ${BLOCK} { transactionCount } }`],
  ['another transaction', { eth_getTransactionByHash: { ...BLOCK_TRANSACTION, hash: hashOf(0xbad) } }, ONE],
  ['a transaction that is a list', { eth_getTransactionByHash: [BLOCK_TRANSACTION] }, ONE],
  [
    'another transaction of the same place',
    { eth_getTransactionByBlockHashAndIndex: { ...BLOCK_TRANSACTION, hash: hashOf(0xbad) } },
    `{ ${BLOCK} { transactionAt(index: 0) { value } } }`,
  ],
  [
    'a transaction of another place',
    { eth_getTransactionByBlockHashAndIndex: { ...BLOCK_TRANSACTION, blockHash: hashOf(0xbad) } },
    `{ ${BLOCK} { transactionAt(index: 0) { value } } }`,
  ],
  ['another receipt', { eth_getTransactionReceipt: receiptFixture({ transactionHash: hashOf(0xbad) }) }, RECEIPT],
  ['a receipt without logs', { eth_getTransactionReceipt: receiptFixture({ logs: undefined }) }, RECEIPT],
  ['a receipt whose logs are text', { eth_getTransactionReceipt: receiptFixture({ logs: 'some' }) }, RECEIPT],
  ['a receipt with a log that is null', { eth_getTransactionReceipt: receiptFixture({ logs: [null] }) }, RECEIPT],
  ['a receipt with a log twice', { eth_getTransactionReceipt: receiptFixture({ logs: [logFixture(), logFixture()] }) }, RECEIPT],
  [
    "a receipt with another transaction's log",
    { eth_getTransactionReceipt: receiptFixture({ logs: [logFixture({ transactionHash: hashOf(2) })] }) },
    RECEIPT,
  ],
  ['receipts that are text', { eth_getBlockReceipts: 'soon' }, STATUSES],
  ['receipts with null', { eth_getBlockReceipts: [null] }, STATUSES],
  ['receipts that are too few', { eth_getBlockReceipts: [] }, STATUSES],
  ['receipts of another height', { eth_getBlockReceipts: [receiptFixture({ blockNumber: '0xf' })] }, STATUSES],
  [
    'receipts of other transactions',
    { eth_getBlockReceipts: [receiptFixture({ transactionHash: hashOf(0xbad), logs: [] })] },
    `{ ${BY_HASH} { transactions { status } } }`,
  ],
  ['logs of another block', { eth_getLogs: [logFixture({ blockHash: hashOf(0xbad) })] }, `{ ${BY_HASH} ${LOGS} }`],
  [
    'logs of another block than the filter names',
    { eth_getLogs: [logFixture({ blockHash: hashOf(0xbad) })] },
    `{ logs(filter: { blockHash: "${BLOCK_HASH}" }) { index } }`,
  ],
  ['no logs of a block whose bloom has bits', { eth_getLogs: [] }, `{ ${BY_HASH} ${LOGS} }`],
  ['logs of another height', { eth_getLogs: [logFixture({ blockNumber: '0xf' })] }, inRange('')],
  ['logs without a height', { eth_getLogs: [logFixture({ blockNumber: null, blockHash: null })] }, inRange('')],
  ['logs of another contract', { eth_getLogs: logs }, inRange(`addresses: ["${addressOf(0xd)}"]`)],
  ['logs with another topic', { eth_getLogs: [logFixture({ topics: [hashOf(1)] })] }, inRange(`topics: [["${hashOf(0x70)}"]]`)],
  ['logs with fewer topics', { eth_getLogs: [logFixture({ topics: [] })] }, inRange(`topics: [["${hashOf(0x70)}"]]`)],
  ['logs in another order', { eth_getLogs: [...logs].reverse() }, inRange('')],
  ['a log twice', { eth_getLogs: [logFixture(), logFixture()] }, inRange('')],
  ['a removed log', { eth_getLogs: [logFixture({ removed: true })] }, inRange('')],
  ['a log that is null', { eth_getLogs: [null] }, inRange('')],
  ['a log without topics', { eth_getLogs: [logFixture({ topics: undefined })] }, inRange('')],
  ['a log without an address', { eth_getLogs: [logFixture({ address: undefined })] }, inRange('')],
  ['a balance that is text', { eth_getBalance: 'much' }, `{ ${BLOCK} { account(address: "${addressOf(1)}") { balance } } }`],
  [
    'a storage slot that is too long',
    { eth_getStorageAt: `${hashOf(7)}00` },
    `{ ${BLOCK} { account(address: "${addressOf(1)}") { storage(slot: "${hashOf(0)}") } } }`,
  ],
  ['code that is no bytes', { eth_getCode: '0x1' }, `{ ${BLOCK} { account(address: "${addressOf(1)}") { code } } }`],
  [
    'the fees of another block',
    { eth_feeHistory: { oldestBlock: '0xf', baseFeePerGas: ['0x64', '0x65'] } },
    '{ block { nextBaseFeePerGas } }',
  ],
  [
    'a fee that is an object',
    { eth_feeHistory: { oldestBlock: '0x10', baseFeePerGas: ['0x64', {}] } },
    '{ block { nextBaseFeePerGas } }',
  ],
];

describe('mismatched results', () => {
  let referenceNode: NodeProxy;
  /** Returns the expected responses. */
  let reference: InProcessGraph;

  beforeAll(async () => {
    referenceNode = await startStubNode(ONE_BLOCK);
    reference = createInProcessGraph([referenceNode.url], { headerChecks: 'report' });
  });

  test.each(CASES)(
    'a result that does not match the request is requested from the next endpoint: %s',
    async (_case, wrong, query) => {
      const { graph } = await over([{ ...ONE_BLOCK, ...wrong }, ONE_BLOCK]);
      const expected = await reference.execute(query);
      expect(expected.errors).toBeUndefined();
      expect(await graph.execute(query)).toEqual(expected);
    },
  );

  test.each(CASES)(
    'without another endpoint, a mismatched result fails with UPSTREAM_BAD_RESPONSE and is not cached: %s',
    async (_case, wrong, query) => {
      const table = { ...ONE_BLOCK, ...wrong };
      const { graph } = await over([table]);
      const { errors } = await graph.execute(query);
      expect([...new Set(errors?.map(({ extensions }) => extensions.code))]).toEqual(['UPSTREAM_BAD_RESPONSE']);
      expect(errors![0].extensions).toMatchObject({ retryable: true, source: 'node' });
      Object.assign(table, ONE_BLOCK);
      expect(await graph.execute(query)).toEqual(await reference.execute(query));
    },
  );

  test('a result that does not match the request costs one call to the next endpoint and keeps the valid results of the first', async () => {
    const { graph, nodes } = await over([{ ...ONE_BLOCK, eth_getBalance: 'much' }, ONE_BLOCK]);
    await dataOf(graph.execute(`{ a: ${BLOCK} { account(address: "${addressOf(1)}") { balance code } } }`));
    expect(nodes[1]!.takeCounts().methods).toEqual({ eth_chainId: 1, eth_getBalance: 1 });
  });

  test('a result that does not match the request does not open the circuit breaker of the endpoint', async () => {
    const { graph } = await over([{ ...ONE_BLOCK, eth_getBalance: 'much' }]);
    for (let i = 0; i < 12; i++) await graph.execute(`{ ${BLOCK} { account(address: "${addressOf(1)}") { balance } } }`);
    expect((await graph.execute('{ chainID }')).data).toEqual({ chainID: '0x1' });
  });
});

test.each<[string, StubResponses, string]>([
  [
    'an empty list of logs',
    { eth_getLogs: [] },
    `{ ${BLOCK} { number logs(filter: { addresses: ["${addressOf(0xd)}"] }) { index } } }`,
  ],
])('%s that contradicts cached receipts is requested from the next endpoint', async (_case, wrong, query) => {
  const { graph } = await over([{ ...ONE_BLOCK, ...wrong }, ONE_BLOCK]);
  await graph.execute(`{ ${BY_HASH} { receipts { status } } }`);
  expect((await graph.execute(query)).data.block.logs).toEqual([{ index: '0x1' }]);
});

describe('unusual but valid results', () => {
  test.each<[string, StubResponses, string]>([
    [
      'hashes and addresses in upper case',
      blocks({ hash: `0x${BLOCK_HASH.slice(2).toUpperCase()}`, miner: `0x${'AB'.repeat(20)}` }),
      `{ ${BY_HASH} { number miner { address } } }`,
    ],
    ['numbers with leading zeros', blocks({ number: '0x0010' }), `{ ${BLOCK} { number } }`],
    ['no uncles, withdrawals or access lists', blocks({ uncles: undefined, withdrawals: null }), `{ ${BLOCK} { ommerHashes } }`],
    [
      'pending logs',
      { eth_getLogs: [logFixture({ blockNumber: null, blockHash: null, logIndex: null, transactionIndex: null })] },
      '{ logs(filter: { fromBlock: 16, toPending: true }) { data } }',
    ],
    [
      'logs that are numbered within each transaction',
      { eth_getLogs: [logFixture(), logFixture({ transactionHash: hashOf(0x72), transactionIndex: '0x1', removed: undefined })] },
      inRange(''),
    ],
    [
      'logs under an empty bloom',
      { ...blocks({ logsBloom: `0x${'0'.repeat(512)}` }), eth_getLogs: [logFixture()] },
      `{ ${BY_HASH} ${LOGS} }`,
    ],
  ])('a result with unusual but valid content is accepted: %s', async (_case, table, query) => {
    const { graph } = await over([{ ...ONE_BLOCK, ...table }]);
    expect((await graph.execute(query)).errors).toBeUndefined();
  });
});
