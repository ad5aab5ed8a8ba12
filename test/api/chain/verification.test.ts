import { expect, test } from '@jest/globals';
import { createRpcResultCache } from '../../../src/snapshot/rpc-result-cache.ts';
import { buildBlock } from '../../support/ethereum/built-block.ts';
import { bloomOf } from '../../support/ethereum/logs-bloom.ts';
import { addressOf, hashOf, rpcError, type StubResponses, startGraphOver } from '../../support/graph/stubbed-graph.ts';

/** A mainnet block of each transaction type, with logs, a withdrawal and an ommer. */
const BUILT = await buildBlock({
  ommers: 1,
  withdrawals: [{ index: '0x1', validatorIndex: '0x7', address: addressOf(1), amount: '0x2a' }],
});
const { receipts: RECEIPTS, ommers: OMMERS } = BUILT;
const { hash: HASH, transactions: TRANSACTIONS } = BUILT.block as { hash: string; transactions: Record<string, any>[] };
const LOGS: readonly Record<string, any>[] = RECEIPTS.flatMap(({ logs }) => logs);
const UNUSED_ADDRESS = addressOf(0x77);

interface Parts {
  readonly block?: Record<string, unknown>;
  readonly transactions?: readonly Record<string, any>[];
  readonly receipts?: readonly Record<string, any>[];
  readonly others?: StubResponses;
}

/** The responses of a node that has changed parts of the block. */
function nodeWith({ block: header, transactions = TRANSACTIONS, receipts = RECEIPTS, others }: Parts = {}): StubResponses {
  const block = { ...BUILT.block, transactions, ...header } as Record<string, any>;
  const blockOf = (full: boolean) => ({ ...block, transactions: full ? transactions : transactions.map(({ hash }) => hash) });
  return {
    eth_chainId: '0x1',
    eth_blockNumber: '0x10',
    eth_getBlockByNumber: (_ref: string, full: boolean) => blockOf(full),
    eth_getBlockByHash: (_ref: string, full: boolean) => blockOf(full),
    eth_getUncleByBlockHashAndIndex: (_ref: string, index: string) => OMMERS[Number(index)],
    eth_getBlockReceipts: receipts,
    eth_getTransactionByHash: (hash: string) => transactions.find((one) => one.hash === hash) ?? null,
    eth_getTransactionReceipt: (hash: string) => receipts.find(({ transactionHash }) => transactionHash === hash) ?? null,
    eth_getLogs: receipts.flatMap(({ logs }) => logs),
    eth_getBalance: '0x5',
    eth_gasPrice: '0x7',
    ...others,
  };
}

const HONEST = nodeWith();
const graphOver = (...tables: readonly StubResponses[]) => startGraphOver(tables, { headerChecks: 'on' });
const changed = <T extends object>(list: readonly T[], index: number, changes: object): T[] =>
  list.map((item, i) => (i === index ? { ...item, ...changes } : item));
const byHash = (selection: string): string => `{ block(hash: "${HASH}") { ${selection} } }`;

const CONTENTS = byHash(`hash miner { address } withdrawals { amount }
  transactions { hash nonce to { address } value gas inputData type maxFeePerGas accessList { address storageKeys } r s v yParity
    status gasUsed cumulativeGasUsed logs { index topics data account { address } } }
  receipts { status transactionHash logs { transactionHash } } logs(filter: {}) { index data }`);
const SIGNED = byHash('transactions { hash value to { address } maxFeePerGas accessList { address } v }');
const RECEIPTS_QUERY = byHash('receipts { status gasUsed logs { topics data } }');
const LOGS_QUERY = byHash(`logs(filter: { addresses: ["${LOGS[0]!.address}"] }) { index data }`);
const TRANSACTION = `{ transaction(hash: "${TRANSACTIONS[4]!.hash}") { value to { address } nonce } }`;

async function trustOf(query: string, verify: string, table = HONEST, headerChecks: 'on' | 'report' = 'on') {
  const { graph } = await startGraphOver([table], { headerChecks });
  const { errors, extensions } = await graph.execute(query, { verify });
  expect(errors).toBeUndefined();
  return extensions?.trust as { level: string; checks: string[]; reported: string[] };
}

test('a block with whole transactions, receipts and logs is consistent', async () => {
  expect(await trustOf(CONTENTS, 'report')).toEqual({
    level: 'CONSISTENT',
    checks: expect.arrayContaining(['hash', 'transactionsRoot', 'receiptsRoot']),
    reported: [],
  });
});

test.each<[string, string, readonly string[]]>([
  [
    'senders, and what follows from them',
    byHash('transactions { value from { address } createdContract { address } }'),
    ['block.transactions.from', 'block.transactions.createdContract'],
  ],
  ['hashes without their transactions', byHash('transactions { hash }'), ['block.transactions']],
  ['a block whose height is not known', '{ at: block(number: 16) { hash } }', ['at']],
  ['prices beside a proven block', `{ gasPrice ${byHash('stateRoot').slice(1)}`, ['gasPrice']],
  ['hashes of ommers', byHash('ommerCount ommers { hash } ommerAt(index: 0) { miner { address } }'), ['block.ommerCount']],
  ['the position of a single transaction', TRANSACTION.replace('nonce', 'nonce block { number }'), ['transaction.block']],
  ['an unknown transaction', `{ transaction(hash: "${hashOf(0xbad)}") { value } }`, ['transaction']],
  ['a single receipt', `{ receipt(hash: "${TRANSACTIONS[4]!.hash}") { status } }`, ['receipt']],
  ['a range of logs', '{ logs(filter: { fromBlock: 16, toBlock: 16 }) { data } }', ['logs']],
  ['state', byHash(`account(address: "${addressOf(1)}") { address balance }`), ['block.account.balance']],
  [
    'effective prices',
    byHash('transactions { value effectiveGasPrice gasPrice }'),
    ['block.transactions.effectiveGasPrice', 'block.transactions.gasPrice'],
  ],
])('with report, the response lists %s', async (_case, query, reported) => {
  expect(await trustOf(query, 'report')).toMatchObject({ level: 'REPORTED', reported });
});

test('with HEADER_CHECKS=report nothing is proven', async () => {
  expect(await trustOf(CONTENTS, 'report', HONEST, 'report')).toMatchObject({ level: 'REPORTED', reported: ['block'] });
});

test('a verified response has the time of the header, not the time that a log or a transaction has', async () => {
  const blockTimestamp = '0x1';
  const timed = (list: readonly Record<string, any>[]) => list.map((item) => ({ ...item, blockTimestamp }));
  const table = nodeWith({ transactions: timed(TRANSACTIONS), others: { eth_getLogs: timed(LOGS) } });
  const { graph } = await startGraphOver([table], { headerChecks: 'on' });
  const times = 'blockTimestamp block { timestamp }';
  const query = `{ logs(filter: { blockHash: "${HASH}" }) { ${times} } transaction(hash: "${TRANSACTIONS[4]!.hash}") { ${times} } }`;
  const { data, errors } = await graph.execute(query, { verify: 'report' });
  expect(errors).toBeUndefined();
  const { timestamp } = BUILT.block;
  expect(data.logs).toHaveLength(LOGS.length);
  for (const found of [...data.logs, data.transaction])
    expect(found).toEqual({ blockTimestamp: timestamp, block: { timestamp } });
});

test('without a verification a response has no trust report', async () => {
  const { graph } = await graphOver(HONEST);
  expect((await graph.execute(CONTENTS)).extensions?.trust).toBeUndefined();
});

const [otherTo, otherValue] = [{ to: addressOf(0xbad) }, { value: '0x1' }];
const swapped = (list: readonly Record<string, any>[], a: number, b: number) =>
  list.map((one, i) => ({ ...(i === a ? list[b]! : i === b ? list[a]! : one), transactionIndex: one.transactionIndex }));
const withLogs = (index: number, logs: readonly Record<string, any>[]) =>
  changed(RECEIPTS, index, { logs, logsBloom: bloomOf(logs as never) });
/** The same encoding with the values in fields of a later fork. */
const laterFork = {
  ...{ baseFeePerGas: null, blobGasUsed: BUILT.block.baseFeePerGas, withdrawals: null },
  ...{ withdrawalsRoot: null, parentBeaconBlockRoot: BUILT.block.withdrawalsRoot },
};
const firstLogs = RECEIPTS[2]!.logs as Record<string, any>[];

test.each<[string, StubResponses, string]>([
  ['header fields of a later fork', nodeWith({ block: laterFork }), byHash('baseFeePerGas blobGasUsed withdrawals { amount }')],
  ['another value', nodeWith({ transactions: changed(TRANSACTIONS, 4, otherValue) }), SIGNED],
  ['another recipient', nodeWith({ transactions: changed(TRANSACTIONS, 0, otherTo) }), SIGNED],
  ['another signature', nodeWith({ transactions: changed(TRANSACTIONS, 3, { r: '0x1' }) }), SIGNED],
  ['another status', nodeWith({ receipts: changed(RECEIPTS, 1, { status: '0x1' }) }), RECEIPTS_QUERY],
  ['another cumulative gas', nodeWith({ receipts: changed(RECEIPTS, 1, { cumulativeGasUsed: '0x1' }) }), RECEIPTS_QUERY],
  ['another gas', nodeWith({ receipts: changed(RECEIPTS, 1, { gasUsed: '0x1' }) }), RECEIPTS_QUERY],
  ['other data of a log', nodeWith({ receipts: withLogs(2, changed(firstLogs, 1, { data: '0xbad0' })) }), RECEIPTS_QUERY],
  ['no log where the bloom has others', nodeWith({ receipts: withLogs(2, []) }), RECEIPTS_QUERY],
  ['other data of a filtered log', nodeWith({ receipts: withLogs(2, changed(firstLogs, 1, { data: '0xbad0' })) }), LOGS_QUERY],
  ['another value of a single transaction', nodeWith({ transactions: changed(TRANSACTIONS, 4, otherValue) }), TRANSACTION],
])('verification refuses %s, or reads it from the next endpoint', async (_case, faulty, query) => {
  const { graph } = await graphOver(faulty);
  const { errors } = await graph.execute(query, { verify: 'report' });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', source: 'node' });
  const [both, honest] = await Promise.all([graphOver(faulty, HONEST), graphOver(HONEST)]);
  const expected = await honest.graph.execute(query, { verify: 'report' });
  expect(await both.graph.execute(query, { verify: 'report' })).toEqual(expected);
});

const [OMMER] = OMMERS as readonly Record<string, any>[];
const ommersOf = (list: readonly (Record<string, any> | null)[], uncles = list.map((one) => one?.hash)): StubResponses =>
  nodeWith({
    block: { uncles },
    others: { eth_getUncleByBlockHashAndIndex: (_ref: string, index: string) => list[Number(index)] },
  });
const otherOmmer = (await buildBlock({ ommers: 2 })).ommers[1]!;

test.each<[string, StubResponses]>([
  ['another ommer', ommersOf([otherOmmer])],
  ['one more ommer', ommersOf([OMMER!, otherOmmer])],
  ['one more hash of an ommer', ommersOf([OMMER!, OMMER!], [OMMER!.hash, hashOf(0xbad)])],
])('verification refuses %s, and reports the length of the list', async (_case, table) => {
  for (const selection of ['ommers { hash }', 'ommerAt(index: 0) { number }']) {
    const { graph } = await graphOver(table);
    const { errors, extensions } = await graph.execute(byHash(selection), { verify: 'report' });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', source: 'node' });
    expect(extensions?.trust).toMatchObject({ level: 'REPORTED' });
  }
});

test.each<[string, StubResponses, string, string]>([
  ['ommers that the node no longer has', ommersOf([null], [OMMER!.hash]), 'ommerAt(index: 0) { hash }', 'block.ommerAt'],
  ['an ommer of a block that lists none', nodeWith({ block: { uncles: null } }), 'ommerAt(index: 0) { hash }', 'block.ommerAt'],
])('the response reports %s', async (_case, table, selection, reported) => {
  expect(await trustOf(byHash(selection), 'report', table)).toMatchObject({ level: 'REPORTED', reported: [reported] });
});

test('another order of transactions is reported for the only endpoint, whose root may cover blobs, and else read from the next', async () => {
  const faulty = nodeWith({ transactions: swapped(TRANSACTIONS, 0, 1) });
  expect(await trustOf(SIGNED, 'report', faulty)).toMatchObject({ level: 'REPORTED', reported: ['block.transactions'] });
  const [both, honest] = await Promise.all([graphOver(faulty, HONEST), graphOver(HONEST)]);
  const expected = await honest.graph.execute(SIGNED, { verify: 'report' });
  expect(await both.graph.execute(SIGNED, { verify: 'report' })).toEqual(expected);
});

test.each<[string, Record<string, unknown>]>([
  ['a field of another type', { maxFeePerGas: '0x1' }],
  ['a parity that contradicts its signature', { yParity: '0x3' }],
  ['a parity that is no number', { yParity: 'odd' }],
  ['an unknown type', { type: '0x7f' }],
])('a transaction with %s is reported', async (_case, changes) => {
  const { reported } = await trustOf(SIGNED, 'report', nodeWith({ transactions: changed(TRANSACTIONS, 0, changes) }));
  expect(reported[0]).toMatch(/^block\.transactions/);
});

/** The first result of a method, then another one. */
function inTurn(first: unknown, second: unknown) {
  let calls = 0;
  return () => (calls++ === 0 ? first : second);
}
const changedAll = (list: readonly Record<string, any>[], changes: (one: Record<string, any>) => object) =>
  list.map((one) => ({ ...one, ...changes(one) }));
const falseTransaction = { ...TRANSACTIONS[4], ...otherValue };
const falseStatusOfUnknownType = changedAll(RECEIPTS, () => ({ status: '0x0', type: '0x7d' }));
const falseStatus = changedAll(RECEIPTS, () => ({ status: '0x0' }));
const wholeBlock = (changes: object) => ({ ...BUILT.block, transactions: changedAll(TRANSACTIONS, () => changes) });

test.each<[string, string | undefined, string, readonly string[]]>([
  [
    'the head that only the node knows',
    undefined,
    `{ block { hash } account(address: "${UNUSED_ADDRESS}") { id } }`,
    ['block', 'account.id'],
  ],
  ['the block that x-graph-block names by its height', '0x10', '{ block { hash } }', ['block']],
  ['no block that x-graph-block names by its hash', HASH, '{ block { hash } }', []],
  ['a range to the final block', HASH, '{ logs(filter: { fromBlockTag: FINALIZED }) { data } }', ['logs']],
])('the response reports %s', async (_case, block, query, reported) => {
  const { graph } = await graphOver(HONEST);
  const { extensions } = await graph.execute(query as string, { verify: 'logs', ...(block && { block }) });
  expect(extensions?.trust).toMatchObject({ reported });
});

test('the block at a height is reported, too, if another operation has read its hash from a node', async () => {
  const known = { number: '0x20', hash: hashOf(0x20), parentHash: hashOf(0x1f) };
  const head = { ...known, height: 32, header: known };
  const hashAt = (number: string) => (number === head.number ? head.hash : undefined);
  const headerOf = (hash: string) => (hash === head.hash ? head : undefined);
  const follower = { head, oldest: head, settledBelow: head.height, hashAt, headerOf, subscribe: () => () => {} };
  const cache = createRpcResultCache(1e6, follower);
  const { graph } = await startGraphOver([HONEST], { headerChecks: 'on', follower, cache });
  for (const verify of ['report', 'report']) {
    const { extensions } = await graph.execute('{ block(number: 16) { stateRoot } }', { verify });
    expect(extensions?.trust).toMatchObject({ reported: ['block'] });
  }
});

test('the recipient of a transaction is not read from its receipt', async () => {
  const receipts = changedAll(RECEIPTS, () => otherTo);
  const selection = '{ transaction { to { address } } }';
  const queries = [
    byHash(`transactions { value receipt ${selection} } receipts ${selection}`),
    TRANSACTION.replace('value', 'status'),
  ];
  for (const query of queries) {
    const [{ graph }, honest] = await Promise.all([graphOver(nodeWith({ receipts })), graphOver(HONEST)]);
    expect(await graph.execute(query, { verify: 'report' })).toEqual(await honest.graph.execute(query, { verify: 'report' }));
  }
});

test.each<[string, StubResponses, string, readonly string[]]>([
  [
    'transactions of an unknown type, sent after refused ones',
    { eth_getBlockByHash: inTurn(wholeBlock(otherValue), wholeBlock({ ...otherValue, type: '0x7f' })) },
    byHash('transactions { value }'),
    ['block.transactions'],
  ],
  [
    'a transaction of an unknown type, sent after a refused one',
    { eth_getTransactionByHash: inTurn(falseTransaction, { ...falseTransaction, type: '0x7f' }) },
    TRANSACTION,
    ['transaction'],
  ],
  [
    'receipts of an unknown type, sent after refused ones',
    { eth_getBlockReceipts: inTurn(falseStatus, falseStatusOfUnknownType) },
    byHash('receipts { status }'),
    ['block.receipts'],
  ],
  [
    'logs of a block that the node omits',
    { eth_getBlockByHash: null },
    `{ logs(filter: { blockHash: "${HASH}" }) { data } }`,
    ['logs'],
  ],
  [
    'the height of receipts',
    {
      eth_getBlockReceipts: changedAll(RECEIPTS, ({ logs }) => ({
        blockNumber: '0x63',
        logs: changedAll(logs, () => ({ blockNumber: '0x63' })),
      })),
    },
    byHash('transactions { value } receipts { blockNumber } logs(filter: {}) { cursor block { number } }'),
    ['block.receipts', 'block.logs'],
  ],
  [
    'the index of single receipts',
    {
      eth_getBlockReceipts: rpcError(-32601, 'the method does not exist'),
      eth_getTransactionReceipt: (hash: string) => {
        const receipt = RECEIPTS.find(({ transactionHash }) => transactionHash === hash)!;
        return { ...receipt, ...(receipt.logs.length === 0 && { transactionIndex: '0x63' }) };
      },
    },
    byHash('transactions { value } receipts { transactionIndex }'),
    ['block.receipts'],
  ],
  ...[
    ['that is not canonical', ({ status }: Record<string, any>) => ({ status: `0x0${status.slice(2)}` })],
    [
      'in the place of a state root',
      ({ status }: Record<string, any>) => ({ root: status === '0x1' ? '0x01' : '0x', status: null }),
    ],
  ].map(([form, changes]): [string, StubResponses, string, readonly string[]] => [
    `a status ${form}`,
    { eth_getBlockReceipts: changedAll(RECEIPTS, changes as never) },
    byHash('receipts { succeeded }'),
    ['block.receipts'],
  ]),
  [
    'a bloom of receipts that is none',
    { eth_getBlockReceipts: changedAll(RECEIPTS, () => ({ logsBloom: '0x' })) },
    byHash('receipts { logsBloom }'),
    ['block.receipts'],
  ],
])('the response reports %s', async (_case, others, query, reported) => {
  expect(await trustOf(query, 'report', nodeWith({ others }))).toMatchObject({ level: 'REPORTED', reported });
});

test('the parity of a typed transaction and a removal do not depend on what else a node states', async () => {
  const transactions = changedAll(TRANSACTIONS, () => ({ yParity: null }));
  const receipts = changedAll(RECEIPTS, ({ logs }) => ({ logs: changedAll(logs, () => ({ removed: 1 })) }));
  const [query, honest] = [byHash('transactions { yParity } logs(filter: {}) { removed }'), await graphOver(HONEST)];
  const { graph } = await graphOver(nodeWith({ transactions, receipts }));
  expect(await graph.execute(query, { verify: 'report' })).toEqual(await honest.graph.execute(query, { verify: 'report' }));
});

test.each<[string, Record<string, unknown>, string]>([
  ['withdrawals that the node omits', { withdrawals: null }, 'withdrawals { amount }'],
  ['transactions that the node omits', { transactions: null }, 'transactionCount'],
  ['whole transactions that the node omits', { transactions: null }, 'transactions { value }'],
  ['receipts and the encoding of a block whose transactions the node omits', { transactions: null }, 'receipts { status } raw'],
])('%s are reported', async (_case, block, selection) => {
  const omitting = { ...HONEST, eth_getBlockByHash: () => ({ ...BUILT.block, ...block }) };
  expect((await trustOf(byHash(`hash ${selection}`), 'report', omitting)).level).toBe('REPORTED');
});

test('a node without receipts of blocks is verified by its single receipts', async () => {
  const table = nodeWith({ others: { eth_getBlockReceipts: rpcError(-32601, 'the method does not exist') } });
  expect(await trustOf(RECEIPTS_QUERY, 'report', table)).toMatchObject({ checks: expect.arrayContaining(['receiptsRoot']) });
});

test.each<[string, StubResponses[string]]>([
  ['of a node without proofs', rpcError(-32601, 'the method does not exist')],
  ['whose proof Reth refuses', rpcError(-32602, 'distance to target block exceeds maximum proof window')],
  ['whose proof geth has pruned', rpcError(-32000, 'missing trie node 0x01 (path )')],
  ['whose proof Erigon refuses', rpcError(-32000, 'requested block is too old, block must be within 100 blocks')],
  ['of an account that Besu does not prove', rpcError(-32000, 'Account not found')],
  ['whose proof a plan excludes', rpcError(-32000, 'project ID does not have access to this method')],
])('state %s is reported', async (_case, proof) => {
  const table = nodeWith({ others: { eth_getProof: proof } });
  const query = byHash(`account(address: "${UNUSED_ADDRESS}") { balance }`);
  expect(await trustOf(query, 'state', table)).toMatchObject({ level: 'REPORTED', reported: ['block.account.balance'] });
});

test('state of a header without a state root, as of anvil on top of a forked chain, is reported', async () => {
  const { block } = await buildBlock({ withdrawals: [], header: { stateRoot: hashOf(0) } });
  const query = `{ block(hash: "${block.hash}") { account(address: "${UNUSED_ADDRESS}") { balance } } }`;
  const table = nodeWith({ block, transactions: block.transactions, others: { eth_getProof: () => ({}) } });
  expect(await trustOf(query, 'state', table)).toMatchObject({ reported: ['block.account.balance'] });
});

test('receipts with a status instead of a state root are reported before Byzantium, and else refused', async () => {
  const responseAt = async (timestamp: string) => {
    const { block, receipts } = await buildBlock({ withdrawals: [], header: { timestamp, receiptsRoot: hashOf(0xe) } });
    const { graph } = await graphOver(nodeWith({ block, transactions: block.transactions, receipts }));
    const query = `{ block(hash: "${block.hash}") { receipts { status } logs(filter: {}) { data } } }`;
    return graph.execute(query, { verify: 'report' });
  };
  const { errors, extensions } = await responseAt('0x59e44202');
  expect({ errors, trust: extensions?.trust }).toMatchObject({ trust: { reported: ['block.receipts', 'block.logs'] } });
  expect((await responseAt('0x59e44203')).errors?.[0]?.extensions?.code).toBe('UPSTREAM_BAD_RESPONSE');
});
