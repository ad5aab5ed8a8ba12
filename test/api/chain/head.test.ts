import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { dataOf } from '../../support/graph/results.ts';
import {
  addressOf,
  block,
  hashOf,
  logFixture,
  receiptFixture,
  rpcError,
  type StubbedGraph,
  startStubbedGraph,
  transactionFixture,
} from '../../support/graph/stubbed-graph.ts';

/**
 * The pinned head of an operation without a follower: it is read once, and all other reads are at this head. For request counts with a
 * follower see test/process/upstream/request-counts.test.ts.
 */
let graph: StubbedGraph;

const HEAD = 0x10;
const at = (height: number) => ({
  number: `0x${height.toString(16)}`,
  hash: hashOf(0xb00 + height),
  parentHash: hashOf(0xb00 + height - 1),
});
const blocks = Array.from({ length: HEAD + 1 }, (_none, height) =>
  block({ ...at(height), transactions: height === HEAD ? [hashOf(0x71)] : [] }),
);
const head = at(HEAD);

const TAGS: Readonly<Record<string, number>> = { latest: HEAD, safe: 0xd, finalized: 0xb };
const byNumber = (ref: string) => blocks[TAGS[ref] ?? Number(ref)];
const byHash = (hash: string) => blocks.find((one) => one.hash === hash);

const CHAIN = {
  eth_getBlockByNumber: (ref: string, full: boolean) =>
    full && TAGS[ref] === HEAD ? block({ ...head, transactions: [transactionFixture()] }) : (byNumber(ref) ?? null),
  eth_getBlockByHash: (hash: string) => byHash(hash) ?? null,
  eth_getBlockReceipts: () => [receiptFixture()],
  eth_getTransactionByHash: (hash: string) => transactionFixture({ hash, ...(hash === hashOf(0x72) && inBlock(0xe)) }),
  eth_getLogs: ({ blockHash, fromBlock, toBlock }: { blockHash?: string; fromBlock?: string; toBlock?: string }) => {
    const top = blockHash ? byHash(blockHash) : (byNumber(toBlock!) ?? byNumber(fromBlock!));
    return top ? [logFixture({ blockHash: top.hash, blockNumber: top.number })] : [];
  },
  eth_getBalance: '0x5',
  eth_getTransactionCount: '0x6',
  eth_getCode: '0x',
  eth_getStorageAt: hashOf(7),
};
const inBlock = (height: number) => ({ blockNumber: at(height).number, blockHash: at(height).hash });

/** Starts the graph over this chain, with changed responses. */
async function open(changes: Record<string, unknown> = {}): Promise<void> {
  graph = await startStubbedGraph({ ...CHAIN, ...changes });
}

const paramsOf = (method: string) => graph.requested.filter(([name]) => name === method).map(([, ...params]) => params);
const account = (fields: string, n = 1) => `a${n}: account(address: "${addressOf(n)}") { ${fields} }`;
const code = ({ errors }: Awaited<ReturnType<StubbedGraph['execute']>>) => errors?.map(({ extensions }) => extensions.code);

describe('an operation without a known head', () => {
  test.each<[string, string, number, Record<string, number>]>([
    ['block { number hash parentHash timestamp confirmations }', 'its own block', 1, {}],
    ['a: block { hash } b: block(tag: LATEST) { timestamp } c: block { number }', 'one block under three names', 1, {}],
    ['a: block { hash } b: block { transactionCount }', 'the block and more of it', 1, {}],
    ['block { transactions { value status } }', 'receipts and whole transactions', 1, { eth_getBlockReceipts: 1 }],
    ['block { logs(filter: {}) { index } }', 'logs of the block', 1, { eth_getLogs: 1 }],
    [account('address'), 'nothing but an address', 0, { eth_getBlockByNumber: 0 }],
    [account('balance'), 'an account', 2, { eth_getBalance: 1 }],
    [`block { hash } ${account('balance')}`, 'the block and an account', 2, { eth_getBalance: 1 }],
    [`block { account(address: "${addressOf(1)}") { balance } }`, 'an account of the block', 2, { eth_getBalance: 1 }],
    ['logs(filter: {}) { index }', 'logs of the head', 2, { eth_getLogs: 1 }],
    ['logs(filter: { fromBlock: 14 }) { index }', 'logs up to the head', 2, { eth_getLogs: 1 }],
    [
      'logs(filter: { fromBlock: 14, toBlock: 15 }) { index }',
      'logs below the head',
      1,
      { eth_getBlockByNumber: 0, eth_getLogs: 1 },
    ],
    ['blocks(from: 14) { hash }', 'blocks up to the head', 2, { eth_getBlockByNumber: 3 }],
    ['blocks(from: 14, to: 15) { hash }', 'blocks below the head', 1, { eth_getBlockByNumber: 2 }],
    ['block(number: 14) { hash }', 'a block below the head', 1, {}],
    [
      'block(number: 14) { confirmations }',
      'confirmations of a block, with a check that it is canonical',
      3,
      { eth_getBlockByNumber: 3 },
    ],
    ['block { finalized }', 'whether the head is final', 2, { eth_getBlockByNumber: 2 }],
    ['block(tag: SAFE) { number }', 'the safe block', 1, {}],
    [
      `transaction(hash: "${hashOf(0x72)}") { value confirmations }`,
      'confirmations of an older transaction',
      3,
      { eth_getTransactionByHash: 1, eth_getBlockByNumber: 2 },
    ],
  ])('the head is read at most once: { %s } is %s and costs %i requests', async (fields, _what, http, methods) => {
    await open();
    await dataOf(graph.execute(`{ ${fields} }`));
    const taken = graph.node.takeCounts();
    const expected = Object.entries({ eth_getBlockByNumber: 1, ...methods }).filter(([, count]) => count > 0);
    expect({ http: taken.http, methods: taken.methods }).toEqual({ http, methods: Object.fromEntries(expected) });
    expect(paramsOf('eth_getBlockByNumber').filter(([ref]) => ref === 'latest').length).toBeLessThanOrEqual(1);
  });

  test('an operation stays at its head when the node adds a block meanwhile', async () => {
    let newest = 0xe;
    await open({ eth_getBlockByNumber: (ref: string) => (ref === 'latest' ? blocks[newest++] : byNumber(ref)) });
    const { data, extensions } = await graph.execute(
      `{ block { number } ${account('balance')} again: block { number parent { number timestamp } } blocks(from: 13) { number confirmations } }`,
    );
    expect(data).toEqual({
      block: { number: '0xe' },
      a1: { balance: '0x5' },
      again: { number: '0xe', parent: { number: '0xd', timestamp: blocks[0xd]!.timestamp } },
      blocks: [
        { number: '0xd', confirmations: '0x2' },
        { number: '0xe', confirmations: '0x1' },
      ],
    });
    expect(extensions).toEqual({ block: at(0xe) });
    expect(paramsOf('eth_getBalance')).toEqual([[addressOf(1), { blockHash: at(0xe).hash }]]);
  });

  test('an operation does not mix branches when a reorg happens between its calls', async () => {
    const other = (height: number) =>
      block({ number: at(height).number, hash: hashOf(0xc00 + height), parentHash: hashOf(0xbff + height) });
    let isReorganised = false;
    await open({
      eth_getBlockByNumber: (ref: string) => {
        const found = isReorganised && Number(ref) >= 14 ? other(Number(ref)) : byNumber(ref);
        if (ref === 'latest') isReorganised = true;
        return found;
      },
    });
    const range = await graph.execute('{ blocks(from: 13) { number hash } }');
    expect([range.data, code(range)]).toEqual([null, ['BLOCK_NOT_AVAILABLE']]);
    isReorganised = false;
    const depth = await graph.execute(
      `{ block(hash: "${at(14).hash}") { number confirmations } older: block(number: 12) { confirmations } }`,
    );
    expect(depth.data).toEqual({ block: { number: '0xe', confirmations: null }, older: { confirmations: '0x5' } });
  });

  test('an operation has no extensions.block when no field depends on a block', async () => {
    await open({ eth_chainId: '0x1' });
    for (const query of [
      '{ chainID }',
      `{ block(hash: "${at(5).hash}") { number } }`,
      '{ block(number: 5) { hash } }',
      `{ ${account('address')} }`,
    ]) {
      const { extensions, errors } = await graph.execute(query);
      expect({ query, extensions, errors }).toEqual({ query, extensions: undefined, errors: undefined });
    }
  });

  test('only fields that need a head fail with BLOCK_NOT_AVAILABLE when the node has none', async () => {
    await open({ eth_getBlockByNumber: (ref: string) => (ref === 'latest' ? null : byNumber(ref)) });
    const answer = await graph.execute(`{ block(number: 3) { hash } block2: block { hash } ${account('balance')} }`);
    expect(answer.data).toEqual({ block: { hash: at(3).hash }, block2: null, a1: null });
    expect(code(answer)).toEqual(['BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE']);
    expect(answer.extensions).toBeUndefined();
  });
});

describe('confirmations and finalized', () => {
  test('confirmations is 1 for the head, null above it and for a non-canonical block', async () => {
    const removed = block({ number: '0xe', hash: hashOf(0xdead) });
    const above = block({ number: '0x11', hash: hashOf(0xb11) });
    await open({
      eth_getBlockByHash: (hash: string) => [removed, above].find((one) => one.hash === hash) ?? byHash(hash) ?? null,
    });
    const data = await dataOf(
      graph.execute(`{
      head: block { confirmations finalized }
      older: block(number: 10) { confirmations finalized }
      edge: block(tag: FINALIZED) { number confirmations finalized }
      byHash: block(hash: "${at(12).hash}") { confirmations finalized }
      removed: block(hash: "${hashOf(0xdead)}") { confirmations finalized }
      above: block(hash: "${hashOf(0xb11)}") { confirmations finalized }
    }`),
    );
    expect(data).toEqual({
      head: { confirmations: '0x1', finalized: false },
      older: { confirmations: '0x7', finalized: true },
      edge: { number: '0xb', confirmations: '0x6', finalized: true },
      byHash: { confirmations: '0x5', finalized: false },
      removed: { confirmations: null, finalized: false },
      above: { confirmations: null, finalized: false },
    });
  });

  test.each([
    ['returns null', null],
    ['does not know the block', rpcError(-39001, 'unknown block')],
    ['does not know the tag', rpcError(-32602, 'invalid argument 0: hex string without 0x prefix')],
  ])('finalized is null on a chain without finality whose node %s', async (_case, answer) => {
    await open({ eth_getBlockByNumber: (ref: string) => (ref === 'finalized' ? answer : byNumber(ref)) });
    const { data, errors } = await graph.execute('{ block { hash finalized } }');
    expect({ data, errors }).toEqual({ data: { block: { hash: head.hash, finalized: null } }, errors: undefined });
  });

  test('a failed read of the finalized block is an error, and the next operation repeats it', async () => {
    let failure: Error | undefined = rpcError(-32000, 'database closed');
    await open({ eth_getBlockByNumber: (ref: string) => (ref === 'finalized' && failure) || byNumber(ref) });
    expect(code(await graph.execute('{ block { finalized } }'))).toEqual(['UPSTREAM_ERROR']);
    failure = undefined;
    expect((await graph.execute('{ block(number: 3) { finalized } }')).data.block).toEqual({ finalized: true });
  });

  test('state is PENDING or MINED with 1 request and 1 call, without confirmations while pending', async () => {
    const pending = transactionFixture({ hash: hashOf(0x73), blockHash: null, blockNumber: null, transactionIndex: null });
    await open({ eth_getTransactionByHash: (hash: string) => (hash === hashOf(0x73) ? pending : transactionFixture({ hash })) });
    const { data } = await graph.execute(
      `{ a: transaction(hash: "${hashOf(0x73)}") { value state } b: transaction(hash: "${hashOf(0x71)}") { value state } }`,
    );
    expect([data.a.state, data.b.state]).toEqual(['PENDING', 'MINED']);
    expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 2 });
    const deep = await graph.execute(`{ transaction(hash: "${hashOf(0x73)}") { state confirmations } }`);
    expect(deep.data.transaction).toEqual({ state: 'PENDING', confirmations: null });
    expect(graph.node.takeCounts()).toMatchObject({ http: 1, calls: 1 });
  });
});

describe('a node without state reads by hash', () => {
  /** Accepts only heights; `onRead` runs after each read. */
  const balances =
    (onRead: () => void = () => {}) =>
    (_address: string, ref: unknown) => {
      if (typeof ref !== 'string') return rpcError(-32602, 'invalid argument 1: json: cannot unmarshal object into string');
      onRead();
      return '0x5';
    };

  test('state is read by height with one check of the block for all reads: 4/4 once, then 3/1+N+1', async () => {
    await open({ eth_getBalance: balances() });
    expect((await graph.execute(`{ ${account('balance')} }`)).data.a1).toEqual({ balance: '0x5' });
    expect(graph.node.takeCounts()).toMatchObject({ http: 4, methods: { eth_getBlockByNumber: 2, eth_getBalance: 2 } });
    const { data, extensions } = await graph.execute(`{ ${[1, 2, 3].map((n) => account('balance', n)).join(' ')} }`);
    expect(data).toEqual({ a1: { balance: '0x5' }, a2: { balance: '0x5' }, a3: { balance: '0x5' } });
    expect(extensions).toEqual({ block: head });
    expect(graph.node.takeCounts()).toMatchObject({ http: 3, methods: { eth_getBlockByNumber: 2, eth_getBalance: 3 } });
    expect(paramsOf('eth_getBalance').at(-1)).toEqual([addressOf(3), head.number]);
  });

  test.each([
    ['at the first read', 1],
    ['once its lack of reads by hash is known', 2],
  ])('state by height is BLOCK_NOT_AVAILABLE when its block changes during the read: %s', async (_case, turns) => {
    let turn = 0;
    let other: Record<string, unknown> | undefined;
    await open({
      eth_getBlockByNumber: (ref: string) => (Number(ref) === HEAD && other) || byNumber(ref),
      eth_getBalance: balances(() => {
        turn += 1;
        if (turn === turns) other = block({ number: head.number, hash: hashOf(0xdead) });
      }),
    });
    for (let i = 1; i < turns; i++)
      expect((await graph.execute(`{ ${account('balance')} }`)).data.a1).toEqual({ balance: '0x5' });
    const answer = await graph.execute(`{ ${account('balance')} ${account('balance', 2)} }`);
    expect(answer.data).toEqual({ a1: null, a2: null });
    expect(code(answer)).toEqual(['BLOCK_NOT_AVAILABLE', 'BLOCK_NOT_AVAILABLE']);
    expect(answer.errors![0].extensions.retryable).toBe(true);
  });
});

describe('a node that has announced a head', () => {
  const LACKS = [
    ['header not found', rpcError(-32000, 'header not found')],
    ['resource not found', rpcError(-32001, 'Resource not found')],
    ['unknown block', rpcError(-32000, 'unknown block')],
  ] as const;

  /** A node that lacks its head until it has been requested `requests` times. */
  const lagging = (requests: number, lack: Error) => {
    let left = requests;
    return {
      eth_getBlockByHash: (hash: string) => {
        if (hash === head.hash) left -= 1;
        return left > 0 && hash === head.hash ? null : (byHash(hash) ?? null);
      },
      eth_getBalance: () => (left > 0 ? lack : '0x5'),
      eth_getLogs: () => (left > 0 ? lack : [logFixture()]),
      eth_getBlockReceipts: () => (left > 0 ? null : [receiptFixture()]),
    };
  };

  test.each(LACKS)('a node that lacks its head is requested again, once for all reads: %s', async (_text, lack) => {
    await open(lagging(3, lack));
    const data = await dataOf(graph.execute(`{ ${account('balance')} ${account('balance', 2)} logs(filter: {}) { index } }`));
    expect(data).toEqual({ a1: { balance: '0x5' }, a2: { balance: '0x5' }, logs: [{ index: '0x0' }] });
    const { methods } = graph.node.takeCounts();
    expect(methods).toEqual({ eth_getBlockByNumber: 1, eth_getBlockByHash: 3, eth_getBalance: 4, eth_getLogs: 2 });
  });

  test('a node that lacks its head is read until it has the receipts of the block', async () => {
    await open({ ...lagging(2, LACKS[0][1]), eth_getBlockByNumber: (ref: string) => byNumber(ref) });
    const data = await dataOf(graph.execute('{ block { hash receipts { status } } }'));
    expect(data.block).toEqual({ hash: head.hash, receipts: [{ status: '0x1' }] });
  });

  test('a node without its head causes STALE_UPSTREAM after two seconds, whatever its error', async () => {
    const graphs: StubbedGraph[] = [];
    for (const [, lack] of LACKS) {
      await open(lagging(Number.POSITIVE_INFINITY, lack));
      graphs.push(graph);
    }
    const query = `{ block { hash } ${account('balance')} logs(filter: {}) { index } }`;
    const answers = await Promise.all(graphs.map((lacking) => lacking.execute(query)));
    for (const [i, answer] of answers.entries()) {
      // Delays of 40 ms, doubled up to 400 ms: eight requests in two seconds.
      expect(graphs[i]!.node.takeCounts().methods.eth_getBlockByHash).toBeLessThanOrEqual(8);
      expect(answer.data).toBeNull();
      expect(new Set(code(answer))).toEqual(new Set(['STALE_UPSTREAM']));
      expect(answer.errors![0].extensions).toMatchObject({ retryable: true, source: 'node' });
    }
  });

  test('a node without its head is requested at least six times when its responses take long', async () => {
    await open(lagging(6, LACKS[0][1]));
    const slowMs = 250;
    graph.node.rewrite = async (response) => {
      await setTimeout(slowMs);
      return response;
    };
    const { data, errors } = await graph.execute(`{ ${account('balance')} }`);
    expect({ data, errors }).toEqual({ data: { a1: { balance: '0x5' } }, errors: undefined });
    expect(graph.node.takeCounts().methods.eth_getBlockByHash).toBe(6);
  });

  test('the wait for the head ends at the deadline of the operation', async () => {
    await open(lagging(Number.POSITIVE_INFINITY, LACKS[0][1]));
    const ended = await graph.execute(`{ ${account('balance')} }`, undefined, undefined, 300);
    // At most four requests in 300 ms; two seconds have eight.
    expect(graph.node.takeCounts().methods.eth_getBlockByHash ?? 0).toBeLessThanOrEqual(4);
    expect(code(ended)).toEqual(['TIMEOUT']);
  });

  test('an operation does not wait for a block that was not announced', async () => {
    await open({ eth_getLogs: rpcError(-32000, 'unknown block') });
    const answer = await graph.execute(
      `{ block(hash: "${hashOf(0xdead)}") { number } logs(filter: { blockHash: "${hashOf(0xdead)}" }) { index } }`,
    );
    expect(code(answer)).toEqual(['BLOCK_NOT_AVAILABLE']);
    // Waiting would have requested the block several times.
    expect(graph.node.takeCounts().methods).toEqual({ eth_getBlockByHash: 1, eth_getLogs: 1 });
  });

  test('a node that lacks a transaction of its block causes an error, not null', async () => {
    await open({ eth_getTransactionByBlockHashAndIndex: null });
    const answer = await graph.execute(
      `{ block(hash: "${head.hash}") { transactionAt(index: 0) { value } beyond: transactionAt(index: 1) { value } } }`,
    );
    expect(answer.data.block).toEqual({ transactionAt: null, beyond: null });
    expect(code(answer)).toEqual(['BLOCK_NOT_AVAILABLE']);
  });
});

describe('a request with x-graph-block', () => {
  const EIGHT = at(8);

  test.each([
    ['by hash', EIGHT.hash, 'eth_getBlockByHash'],
    ['by number', EIGHT.number, 'eth_getBlockByNumber'],
  ])('x-graph-block %s selects the block of the operation, which is read once', async (_how, name, method) => {
    await open();
    const { data, errors, extensions } = await graph.execute(
      `{ block { number } ${account('balance')} logs(filter: {}) { index } }`,
      undefined,
      name,
    );
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({ block: { number: '0x8' }, a1: { balance: '0x5' } });
    expect(extensions).toEqual({ block: EIGHT });
    expect(paramsOf('eth_getBalance')).toEqual([[addressOf(1), { blockHash: EIGHT.hash }]]);
    expect(paramsOf('eth_getLogs')).toEqual([[{ blockHash: EIGHT.hash }]]);
    expect(paramsOf('eth_getBlockByNumber').filter(([ref]) => ref === 'latest')).toEqual([]);
    expect(graph.node.takeCounts()).toMatchObject({
      http: 2,
      methods: { [method]: expect.any(Number), eth_getBalance: 1, eth_getLogs: 1 },
    });
  });

  test.each([
    ['by hash', EIGHT.hash],
    ['by number', EIGHT.number],
  ])('x-graph-block %s selects the end of ranges and the head for confirmations', async (_how, name) => {
    await open();
    const data = await dataOf(
      graph.execute(
        `{
        open: blocks(from: 7) { number confirmations } cut: blocks(from: 8, to: 12) { number }
        none: blocks(from: 9) { number }
        deep: block(number: 5) { confirmations } above: block(number: 12) { confirmations }
        safe: block(tag: SAFE) { number } finalized: block(tag: FINALIZED) { number }
        logs(filter: { fromBlock: 5, toBlock: 99 }) { index }
        tagged: logs(filter: { fromBlock: 6, toBlockTag: SAFE }) { index }
        pending: logs(filter: { fromBlock: 7, toPending: true }) { index }
      }`,
        undefined,
        name,
      ),
    );
    expect(data).toMatchObject({
      open: [
        { number: '0x7', confirmations: '0x2' },
        { number: '0x8', confirmations: '0x1' },
      ],
      cut: [{ number: '0x8' }],
      none: [],
      deep: { confirmations: '0x4' },
      above: { confirmations: null },
      safe: { number: '0x8' },
      finalized: { number: '0x8' },
    });
    const ends = paramsOf('eth_getLogs').map(([{ fromBlock, toBlock }]) => [fromBlock, toBlock]);
    expect(ends.sort()).toEqual([
      ['0x5', '0x8'],
      ['0x6', '0x8'],
      ['0x7', '0x8'],
    ]);
  });

  test.each([
    ['a hash', hashOf(0xdead)],
    ['a height', '0x999'],
  ])('x-graph-block with a missing block fails with BLOCK_NOT_AVAILABLE on all fields: %s', async (_what, name) => {
    await open();
    const answer = await graph.execute(
      `{ block { hash } byNumber: block(number: 3) { hash } counts: block(number: 3) { transactionCount }
         safe: block(tag: SAFE) { hash } ${account('balance')} }`,
      undefined,
      name,
    );
    expect(answer.data).toEqual({ block: null, byNumber: null, counts: null, safe: null, a1: null });
    expect(new Set(code(answer))).toEqual(new Set(['BLOCK_NOT_AVAILABLE']));
    expect(answer.extensions).toBeUndefined();
    for (const field of ['blocks(from: 3) { hash }', 'blocks(from: 3, to: 4) { hash }', 'logs(filter: {}) { index }']) {
      expect(code(await graph.execute(`{ ${field} }`, undefined, name))).toEqual(['BLOCK_NOT_AVAILABLE']);
    }
  });

  test('x-graph-block reads state at a non-canonical block, never the canonical block of its height', async () => {
    const removed = block({ number: '0x8', hash: hashOf(0xdead), parentHash: at(7).hash });
    await open({ eth_getBlockByHash: (hash: string) => (hash === removed.hash ? removed : (byHash(hash) ?? null)) });
    const data = await dataOf(
      graph.execute(
        `{ block { hash confirmations } same: block(number: 8) { hash } ${account('balance')} other: block(hash: "${EIGHT.hash}") { confirmations } }`,
        undefined,
        removed.hash as string,
      ),
    );
    expect(data).toEqual({
      block: { hash: removed.hash, confirmations: '0x1' },
      same: { hash: removed.hash },
      a1: { balance: '0x5' },
      other: { confirmations: null },
    });
  });
});
