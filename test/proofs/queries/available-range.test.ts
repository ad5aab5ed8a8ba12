import { describe, expect, test } from '@jest/globals';
import type { InProcessGraph } from '../../support/graph/in-process-graph.ts';
import { dataOf } from '../../support/graph/results.ts';
import { block, hashOf, rpcError, type StubResponses, startGraphOver } from '../../support/graph/stubbed-graph.ts';
import type { NodeProxy } from '../../support/proxies/node-proxy.ts';
import { EMPTY_BLOOM } from '../../support/simulator/chain.ts';

/** Ranges that `service { availableRange }` reads from nodes of a chain with 1,000 blocks. */
const HEAD = 1_000;
const hex = (height: number) => `0x${height.toString(16)}`;
const heightOf = (ref: string) => (ref === 'latest' ? HEAD : Number(ref));
const PRUNED = rpcError(4444, 'pruned history unavailable');

/** Heights below which a node has pruned each resource. Block 0 is always there. */
type PrunedHeights = Partial<Record<'blocks' | 'receipts' | 'logs' | 'state', number>>;

const blockAt = (height: number, changes: object = {}) =>
  block({ number: hex(height), hash: hashOf(height + 1), gasUsed: '0x5208', logsBloom: `0x1${'0'.repeat(511)}`, ...changes });

const nodeWith = (
  { blocks = 0, receipts = 0, logs = 0, state = 0 }: PrunedHeights,
  changes: StubResponses = {},
  pruned: unknown = PRUNED,
): StubResponses => {
  const from = (oldest: number, ref: string, result: unknown) =>
    heightOf(ref) === 0 || heightOf(ref) >= oldest ? result : pruned;
  return {
    eth_chainId: '0x1',
    eth_blockNumber: hex(HEAD),
    eth_getBlockByNumber: (ref: string) => from(blocks, ref, blockAt(heightOf(ref))),
    eth_getBlockReceipts: (ref: string) => from(receipts, ref, [{}]),
    eth_getLogs: ({ fromBlock }: { fromBlock: string }) => from(logs, fromBlock, [{}]),
    eth_getBalance: (_address: string, ref: string) => from(state, ref, '0x0'),
    ...changes,
  };
};

let graph: InProcessGraph;
let nodes: NodeProxy[];

const open = async (...tables: StubResponses[]): Promise<void> => {
  ({ graph, nodes } = await startGraphOver(tables));
};

const rangeOf = async (resource: string, blockName?: string) => {
  const data = await dataOf(
    graph.execute(
      `{ service { availableRange(resource: ${resource}) { first last } } }`,
      blockName === undefined ? {} : { block: blockName },
    ),
  );
  const { availableRange: range } = data.service;
  return range && [Number(range.first), Number(range.last)];
};

const methodsOf = (node: NodeProxy | undefined) => node!.takeCounts().methods;
const ALL =
  '{ service { a: availableRange(resource: BLOCKS) { first } b: availableRange(resource: RECEIPTS) { first } c: availableRange(resource: LOGS) { first } d: availableRange(resource: STATE) { first } } }';

describe('the available range of a node with eth_capabilities', () => {
  const range = (oldestBlock: string) => ({ disabled: false, oldestBlock });
  const report = {
    head: { number: hex(HEAD), hash: hashOf(HEAD + 1) },
    blocks: range('0x0'),
    tx: range('0x0'),
    receipts: range('0x64'),
    logs: range('0xc8'),
    state: { ...range('0x3a8'), deleteStrategy: { type: 'window', retentionBlocks: '0x40' } },
    stateproofs: { disabled: true },
  };

  test('the available range costs one call for all resources, which the next operation does not repeat', async () => {
    await open(nodeWith({}, { eth_capabilities: report }));
    const { data } = await graph.execute(ALL);
    expect(data.service).toEqual({ a: { first: '0x0' }, b: { first: '0x64' }, c: { first: '0xc8' }, d: { first: '0x3a8' } });
    expect(methodsOf(nodes[0])).toEqual({ eth_getBlockByNumber: 1, eth_capabilities: 1 });
    expect(await rangeOf('STATE')).toEqual([0x3a8, HEAD]);
    expect(methodsOf(nodes[0])).toEqual({ eth_getBlockByNumber: 1 });
  });

  test('the available range is null for a disabled resource', async () => {
    await open(nodeWith({}, { eth_capabilities: { ...report, logs: { disabled: true } } }));
    expect(await rangeOf('LOGS')).toBeNull();
  });

  test('the available range is found by probes for a resource without a reported height', async () => {
    await open(nodeWith({ state: 990 }, { eth_capabilities: { ...report, state: { disabled: false } } }));
    expect(await rangeOf('STATE')).toEqual([990, HEAD]);
  });

  test('the available range ends at the head also for a request that names an older block', async () => {
    await open(nodeWith({}, { eth_capabilities: report }));
    expect(await rangeOf('LOGS', '0x5')).toEqual([0xc8, HEAD]);
  });
});

describe('the available range of a node without eth_capabilities', () => {
  test.each<[string, PrunedHeights, string, number, Record<string, number>]>([
    ['an archive node', {}, 'BLOCKS', 0, { eth_getBlockByNumber: 4 }],
    ['an archive node', {}, 'STATE', 0, { eth_getBlockByNumber: 2, eth_getBalance: 3 }],
    ['a node that has pruned blocks', { blocks: 700 }, 'BLOCKS', 700, { eth_getBlockByNumber: 14 }],
    ['a node that has pruned one block', { blocks: 2 }, 'BLOCKS', 2, { eth_getBlockByNumber: 13 }],
    ['a node with the state of its head alone', { state: HEAD }, 'STATE', HEAD, { eth_getBlockByNumber: 2, eth_getBalance: 13 }],
    ['a node that has pruned receipts', { receipts: 64 }, 'RECEIPTS', 64, { eth_getBlockByNumber: 13, eth_getBlockReceipts: 12 }],
    ['a node that has pruned logs', { logs: 999 }, 'LOGS', 999, { eth_getBlockByNumber: 14, eth_getLogs: 13 }],
  ])(
    'the available range on %s (%j): %s from %i on, by a bisection that the next operation does not repeat',
    async (_node, pruned, resource, first, calls) => {
      await open(nodeWith(pruned));
      expect(await rangeOf(resource)).toEqual([first, HEAD]);
      expect(methodsOf(nodes[0])).toEqual({ ...calls, eth_capabilities: 1 });
      expect(await rangeOf(resource)).toEqual([first, HEAD]);
      expect(methodsOf(nodes[0])).toEqual({ eth_getBlockByNumber: 1 });
    },
  );

  test.each<[string, unknown]>([
    ['null', null],
    ['an error of an unknown dialect', rpcError(-32000, 'not here')],
    ['missing state', rpcError(-32000, 'missing trie node 12')],
  ])('the available range is found on a node that returns %s for pruned data', async (_case, pruned) => {
    await open(nodeWith({ blocks: 500, receipts: 500 }, {}, pruned));
    expect(await rangeOf('RECEIPTS')).toEqual([500, HEAD]);
  });

  test.each<[string, unknown]>([
    ['an empty list', []],
    ['a list of nulls', [null, null]],
  ])('the available range starts above blocks for whose receipts the node returns %s', async (_case, pruned) => {
    await open(nodeWith({ receipts: 500 }, {}, pruned));
    expect(await rangeOf('RECEIPTS')).toEqual([500, HEAD]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['that it lacks the block', rpcError(-32001, 'resource not found')],
    ['an empty list', []],
    ['an error of the rate limit', rpcError(429, 'slow down')],
    ['a timeout', rpcError(-32002, 'request timed out')],
  ])('the next operation finds the available range after the node has returned %s for the head', async (_case, response) => {
    let isLagging = true;
    const unlessLagging = (ref: string) => (isLagging && heightOf(ref) === HEAD ? response : [{}]);
    await open(nodeWith({}, { eth_getBlockReceipts: unlessLagging }));
    const { data } = await graph.execute('{ service { availableRange(resource: RECEIPTS) { first } } }');
    expect(data.service.availableRange).toBeNull();
    isLagging = false;
    expect(await rangeOf('RECEIPTS')).toEqual([0, HEAD]);
  });

  describe('with empty blocks', () => {
    /** A node that returns an empty list for pruned receipts and logs; only every tenth block has contents. */
    const sparseNode = (oldest: number): StubResponses => {
      const hasContents = (height: number) => height > 0 && height % 10 === 0;
      const listAt = (ref: string) => (hasContents(heightOf(ref)) && heightOf(ref) >= oldest ? [{}] : []);
      return {
        ...nodeWith({}),
        eth_getBlockByNumber: (ref: string) =>
          blockAt(heightOf(ref), hasContents(heightOf(ref)) ? {} : { gasUsed: '0x0', logsBloom: EMPTY_BLOOM }),
        eth_getBlockReceipts: listAt,
        eth_getLogs: ({ fromBlock }: { fromBlock: string }) => listAt(fromBlock),
      };
    };

    test.each(['RECEIPTS', 'LOGS'])('the range starts behind the last block whose %s are missing', async (resource) => {
      await open(sparseNode(701));
      const [first] = await rangeOf(resource);
      expect(first).toBeGreaterThan(700);
      expect(first).toBeLessThanOrEqual(710);
    });

    /** A node that returns an empty list for pruned receipts, and whose blocks with contents are far from each other. */
    const distantNode = (hasContents: (height: number) => boolean): StubResponses => ({
      ...nodeWith({}),
      eth_getBlockByNumber: (ref: string) => blockAt(heightOf(ref), hasContents(heightOf(ref)) ? {} : { gasUsed: '0x0' }),
      eth_getBlockReceipts: (ref: string) => (hasContents(heightOf(ref)) && heightOf(ref) > 700 ? [{}] : []),
    });

    test('blocks with contents are searched up to the head before the whole history counts as served', async () => {
      await open(distantNode((height) => height % 100 >= 50 && height % 100 < 70));
      const [first] = await rangeOf('RECEIPTS');
      expect(first).toBeGreaterThan(669);
      expect(first).toBeLessThanOrEqual(750);
    });

    test('the whole history counts as served if all blocks of the search are empty', async () => {
      await open(distantNode(() => false));
      expect(await rangeOf('RECEIPTS')).toEqual([0, HEAD]);
      expect(methodsOf(nodes[0]).eth_getBlockByNumber).toBeLessThan(28 + 64 + 4);
    });
  });

  test('the available range is an uncached error for a node that rejects a search for all logs', async () => {
    let isRejected = true;
    await open(nodeWith({}, { eth_getLogs: () => (isRejected ? rpcError(-32000, 'please specify an address') : [{}]) }));
    const { errors } = await graph.execute('{ service { availableRange(resource: LOGS) { first } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    isRejected = false;
    expect(await rangeOf('LOGS')).toEqual([0, HEAD]);
  });

  test('the available range includes blocks with more logs than the node returns', async () => {
    await open(nodeWith({}, { eth_getLogs: () => rpcError(-32005, 'query returned more than 10000 results') }));
    expect(await rangeOf('LOGS')).toEqual([0, HEAD]);
  });

  test('the available range is found at endpoints with the head, and later at an endpoint that lagged', async () => {
    let isBehind = true;
    const lagging = nodeWith({});
    const unlessBehind = (method: string) => (ref: string, full: boolean) =>
      isBehind && ref === hex(HEAD) ? null : (lagging[method] as any)(ref, full);
    await open(nodeWith({ receipts: 900 }), {
      ...lagging,
      eth_getBlockByNumber: unlessBehind('eth_getBlockByNumber'),
      eth_getBlockReceipts: unlessBehind('eth_getBlockReceipts'),
    });
    expect(await rangeOf('RECEIPTS')).toEqual([900, HEAD]);
    isBehind = false;
    expect(await rangeOf('RECEIPTS')).toEqual([0, HEAD]);
  });

  test('the available range is null without a method, and for a resource that the head lacks', async () => {
    await open(nodeWith({ logs: HEAD + 1 }, { eth_getBlockReceipts: rpcError(-32601, 'the method does not exist') }));
    expect(await rangeOf('RECEIPTS')).toBeNull();
    expect(await rangeOf('LOGS')).toBeNull();
  });

  test('the available range is an error when a probe proves nothing', async () => {
    await open(nodeWith({}, { eth_getBalance: rpcError(429, 'slow down') }));
    const { data, errors } = await graph.execute('{ service { version availableRange(resource: STATE) { first } } }');
    expect(data).toEqual({ service: { version: '0.0.0', availableRange: null } });
    expect(errors).toMatchObject([{ path: ['service', 'availableRange'], extensions: { code: 'UPSTREAM_RATE_LIMITED' } }]);
  });
});

test('the available range of several endpoints is the range of the endpoint that serves most blocks', async () => {
  await open(nodeWith({ state: 900 }), nodeWith({ state: 10 }));
  expect(await rangeOf('STATE')).toEqual([10, HEAD]);
});

test('an error for pruned history has the earliest block that a probe has found', async () => {
  await open(nodeWith({ blocks: 700 }));
  await rangeOf('BLOCKS');
  const { errors } = await graph.execute('{ block(number: 5) { size } }');
  expect(errors![0].extensions).toMatchObject({ code: 'HISTORY_PRUNED', requested: '0x5', earliest: '0x2bc' });
});
