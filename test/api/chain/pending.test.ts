import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  type StubResponses,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/** The pending state over nodes that return it in different forms. */
let graph: StubbedGraph;

const ALICE = addressOf(0xa);
const UNDETERMINED = { number: null, hash: null, nonce: null, miner: null, logsBloom: null };
const UNMINED = { blockHash: null, blockNumber: null, transactionIndex: null };
/** The position that geth and anvil give in the unfinished block 0x11. */
const UNFINISHED = { number: '0x11', hash: hashOf(0xb11), parentHash: hashOf(0xb10) };
const IN_UNFINISHED = { blockNumber: '0x11', blockHash: hashOf(0xb11) };

/** A node whose head is block 0x10, with this pending block. */
const start = async (pending: unknown, table: StubResponses = {}) => {
  graph = await startStubbedGraph({
    eth_getBlockByNumber: (ref: string) => (ref === 'pending' ? pending : block()),
    eth_getBlockByHash: (hash: string) => (hash === UNFINISHED.hash ? null : block({ hash })),
    ...table,
  });
};

afterEach(() => void jest.restoreAllMocks());

/** A method with this result at the tag `pending`; it rejects other blocks. */
const atPending =
  (result: unknown) =>
  (...params: unknown[]) =>
    params.includes('pending') ? result : rpcError(-32000, 'not the pending state');

test('pending state, counts and calls share one request', async () => {
  await start(block(UNDETERMINED), {
    eth_getBlockTransactionCountByNumber: atPending('0x2'),
    eth_getTransactionCount: atPending('0x7'),
    eth_getBalance: atPending('0x64'),
    eth_getCode: atPending('0x60'),
    eth_getStorageAt: atPending(hashOf(9)),
    eth_call: atPending('0x2a'),
    eth_estimateGas: atPending('0x5208'),
    eth_getUncleCountByBlockNumber: atPending('0x0'),
  });
  const data = await dataOf(
    graph.execute(`{ pending {
    transactionCount ommerCount
    account(address: "${ALICE}") { address balance transactionCount code }
    call(data: { to: "${ALICE}" }) { data status } again: call(data: { to: "${ALICE}" }) { data }
    estimateGas(data: { to: "${ALICE}" })
    slot: account(address: "${ALICE}") { storage(slot: "${hashOf(0)}") }
  } }`),
  );
  expect(data.pending).toEqual({
    transactionCount: '0x2',
    ommerCount: '0x0',
    account: { address: ALICE, balance: '0x64', transactionCount: '0x7', code: '0x60' },
    call: { data: '0x2a', status: '0x1' },
    again: { data: '0x2a' },
    estimateGas: '0x5208',
    slot: { storage: hashOf(9) },
  });
  expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 8 });
});

describe('Pending.block', () => {
  test('the pending block has the values of the node, and null for values that the node leaves out', async () => {
    await start(block({ ...UNDETERMINED, parentHash: hashOf(0xb10) }));
    const fields = 'number hash nonce logsBloom miner { address } ommerHash ommerHashes size parent { number hash }';
    const data = await dataOf(graph.execute(`{ pending { block { ${fields} } } }`));
    const parent = { number: '0x10', hash: hashOf(0xb10) };
    expect(data.pending.block).toEqual({ ...UNDETERMINED, parent, ommerHash: hashOf(1), ommerHashes: [], size: '0x220' });
  });

  test('a block above the head that the node finds by its hash is not pending', async () => {
    await start(block({ number: '0x11', hash: hashOf(0xb12) }));
    const data = await dataOf(graph.execute('{ pending { block { number } transactions { hash } } }'));
    expect(data.pending).toEqual({ block: null, transactions: null });
  });

  test('a pending block with a hash is requested by its hash once', async () => {
    await start(block(UNFINISHED));
    for (const lookups of [1, 0]) {
      const { data } = await graph.execute('{ pending { block { number } } }');
      expect(data.pending.block).toEqual({ number: '0x11' });
      expect(graph.node.takeCounts().methods.eth_getBlockByHash ?? 0).toBe(lookups);
    }
  });

  test('a block above the head is not pending once the node finds it by its hash, a minute after it did not', async () => {
    let found: unknown = null;
    await start(block(UNFINISHED), { eth_getBlockByHash: () => found });
    const isPending = async () => (await graph.execute('{ pending { block { number } } }')).data.pending.block !== null;
    expect(await isPending()).toBe(true);
    found = block(UNFINISHED);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    expect(await isPending()).toBe(false);
  });

  test.each<[string, unknown]>([
    ['returns null for it', null],
    ['returns its most recent block for it', block()],
    ['does not find it', rpcError(-32000, 'block not found')],
    ['rejects its tag', rpcError(-32602, 'invalid argument 0: hex string without 0x prefix')],
    ['does not support its tag', rpcError(-32004, 'pending is not supported')],
  ])('block and transactions are null on a node that %s', async (_case, pending) => {
    await start(pending);
    const data = await dataOf(graph.execute('{ pending { block { parentHash } transactions { hash } ommerCount } }'));
    expect(data.pending).toEqual({ block: null, transactions: null, ommerCount: null });
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['a malformed hash', block({ hash: 5 })],
    ['a list of transactions with null', block({ ...UNDETERMINED, transactions: [null] })],
  ])('a pending block that is or has %s fails with UPSTREAM_BAD_RESPONSE', async (_case, pending) => {
    await start(pending);
    const { errors } = await graph.execute('{ pending { block { parentHash } } }');
    expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});

describe('Pending.transactions', () => {
  const FIELDS =
    'hash index nonce gasPrice state blockHash blockNumber block { hash } status receipt { status } logs { data } from { address }';
  const PENDING_TRANSACTION = {
    hash: hashOf(0x71),
    index: null,
    nonce: '0x1',
    gasPrice: '0xc8',
    state: 'PENDING',
    blockHash: null,
    blockNumber: null,
    block: null,
    status: null,
    receipt: null,
    logs: null,
    from: { address: ALICE },
  };

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['no position', UNDETERMINED, UNMINED],
    ['the position in the unfinished block', UNFINISHED, IN_UNFINISHED],
  ])('transactions of the pending block to which the node gives %s are pending', async (_case, header, position) => {
    await start(block({ ...header, transactions: [transactionFixture(position)] }));
    const data = await dataOf(graph.execute(`{ pending { transactionCount transactions { ${FIELDS} } } }`));
    expect(data.pending).toEqual({ transactionCount: '0x1', transactions: [PENDING_TRANSACTION] });
    expect(graph.node.takeCounts().methods).toMatchObject({ eth_getBlockByNumber: header.hash ? 2 : 1 });
  });

  test('hashes of pending transactions are read without full transactions', async () => {
    await start(block({ ...UNDETERMINED, transactions: [hashOf(0x71)] }));
    const { data } = await graph.execute('{ pending { transactions { hash state blockHash } block { gasUsed } } }');
    expect(data.pending.transactions).toEqual([{ hash: hashOf(0x71), state: 'PENDING', blockHash: null }]);
    expect(graph.requested).toEqual([['eth_getBlockByNumber', 'pending', false]]);
  });

  test('transactionAt returns the transaction at the position, and null when out of bounds', async () => {
    await start(null, {
      eth_getTransactionByBlockNumberAndIndex: (ref: string, index: string) =>
        ref === 'pending' && index === '0x0' ? transactionFixture({ ...IN_UNFINISHED, transactionIndex: index }) : null,
    });
    const data = await dataOf(
      graph.execute(`{ pending { transactionAt(index: 0) { ${FIELDS} } none: transactionAt(index: 1) { hash } } }`),
    );
    expect(data.pending).toEqual({ transactionAt: PENDING_TRANSACTION, none: null });
  });

  test('transactionAt is null for the transaction of a mined block', async () => {
    await start(null, { eth_getTransactionByBlockNumberAndIndex: transactionFixture() });
    expect((await graph.execute('{ pending { transactionAt(index: 0) { hash } } }')).data.pending.transactionAt).toBeNull();
  });

  test('transactionAt of another position fails with UPSTREAM_BAD_RESPONSE', async () => {
    await start(null, { eth_getTransactionByBlockNumberAndIndex: transactionFixture({ transactionIndex: '0x5' }) });
    const { errors } = await graph.execute('{ pending { transactionAt(index: 0) { hash } } }');
    expect(errors![0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  });
});

describe('Pending.transactionCount', () => {
  test('transactionCount is read from the pending block on a node without the count method', async () => {
    await start(block({ ...UNDETERMINED, transactions: [hashOf(0x71), hashOf(0x72)] }));
    expect((await graph.execute('{ pending { transactionCount } }')).data).toEqual({ pending: { transactionCount: '0x2' } });
  });

  test.each<[string, unknown]>([
    ['has no pending block', null],
    ['returns its most recent block for it', block({ transactions: [hashOf(0x71)] })],
  ])('transactionCount is 0 on a node that %s', async (_case, pending) => {
    await start(pending);
    expect((await graph.execute('{ pending { transactionCount } }')).data).toEqual({ pending: { transactionCount: '0x0' } });
  });
});

test('ommers of the pending block are read by position', async () => {
  const { transactions: _none, ...ommer } = block({ hash: hashOf(0x0e), number: '0xf' });
  await start(null, {
    eth_getUncleByBlockNumberAndIndex: (ref: string, index: string) => (ref === 'pending' && index === '0x0' ? ommer : null),
    eth_getUncleCountByBlockNumber: atPending('0x1'),
  });
  const data = await dataOf(
    graph.execute('{ pending { ommerCount ommerAt(index: 0) { hash transactions { hash } } none: ommerAt(index: 1) { hash } } }'),
  );
  expect(data.pending).toEqual({ ommerCount: '0x1', ommerAt: { hash: hashOf(0x0e), transactions: null }, none: null });
});

describe('Pending.logs', () => {
  const log = logFixture({ ...IN_UNFINISHED, data: '0x01' });
  const FILTER = `filter: { addresses: ["${addressOf(0xc)}"] }`;
  const LOGS = `{ pending { logs(${FILTER}) { data index blockHash blockNumber transactionIndex transactionHash cursor removed } } }`;
  const PENDING_LOG = {
    data: '0x01',
    index: '0x0',
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    transactionHash: hashOf(0x71),
    cursor: null,
    removed: false,
  };

  test('logs are searched in the pending block, without logs of a mined block', async () => {
    await start(null, { eth_getLogs: [logFixture(), log] });
    const data = await dataOf(graph.execute(LOGS));
    expect(data.pending.logs).toEqual([PENDING_LOG]);
    const range = { fromBlock: 'pending', toBlock: 'pending' };
    expect(graph.requested).toContainEqual(['eth_getLogs', { ...range, address: addressOf(0xc) }]);
  });

  test('logs are read from the receipts of the pending block on a node without a search for them, which is tried once', async () => {
    const other = logFixture({ ...IN_UNFINISHED, address: addressOf(0xd), logIndex: '0x1' });
    await start(null, {
      eth_getLogs: () => rpcError(-32000, 'pending logs are not supported'),
      eth_getBlockReceipts: atPending([receiptFixture({ ...IN_UNFINISHED, logs: [log, other] })]),
    });
    for (const tries of [1, 0]) {
      const data = await dataOf(graph.execute(LOGS));
      expect(data.pending.logs).toEqual([PENDING_LOG]);
      const tried = tries > 0 ? { eth_getLogs: tries, eth_getBlockByHash: tries } : {};
      expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockReceipts: 1, eth_getBlockByNumber: 1, ...tried });
    }
  });

  test('a search for logs of mined blocks is sent after the node has rejected one for pending logs', async () => {
    await start(null, {
      eth_getLogs: (filter: { fromBlock?: string }) =>
        filter.fromBlock === 'pending' ? rpcError(-32000, 'pending logs are not supported') : [logFixture()],
      eth_getBlockReceipts: [],
    });
    await graph.execute(LOGS);
    const { data } = await graph.execute('{ logs(filter: { fromBlock: 16, toBlock: 16 }) { index } }');
    expect(data.logs).toEqual([{ index: '0x0' }]);
  });
});

test('token balances of a pending account are read with the pending state', async () => {
  await start(null, { eth_call: atPending(hashOf(42)) });
  const data = await dataOf(
    graph.execute(
      `{ pending { account(address: "${ALICE}") { tokenBalance(contract: "${addressOf(0xc)}") { tokenBalance } } } }`,
    ),
  );
  expect(data.pending.account.tokenBalance).toEqual({ tokenBalance: hashOf(42) });
});
