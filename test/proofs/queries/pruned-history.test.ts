import { describe, expect, test } from '@jest/globals';
import type { InProcessGraph } from '../../support/graph/in-process-graph.ts';
import { dataOf, field } from '../../support/graph/results.ts';
import { addressOf, block, hashOf, rpcError, type StubResponses, startGraphOver } from '../../support/graph/stubbed-graph.ts';
import type { NodeProxy } from '../../support/proxies/node-proxy.ts';

/** Nodes without the state or the block of old heights; the head is block 16, and blocks from 8 on are available. */
const HEAD = 0x10;
const OLDEST = 8;
const hashAt = (height: number) => hashOf(0xb00 + height);
const blockAt = (height: number) =>
  block({ number: `0x${height.toString(16)}`, hash: hashAt(height), parentHash: hashAt(height - 1) });
const heightOf = (ref: string) => (ref === 'latest' ? HEAD : ref.length === 66 ? Number(ref) - 0xb00 : Number(ref));
const heightIn = (at: string | { blockHash: string }): number => heightOf(typeof at === 'string' ? at : at.blockHash);

/** A node that responds with `pruned` below the oldest block. */
const prunedNode = (pruned: unknown, changes: StubResponses = {}): StubResponses => {
  const unlessPruned = (height: number, result: unknown) => (height < OLDEST ? pruned : result);
  return {
    eth_chainId: '0x1',
    eth_getBlockByNumber: (ref: string) => unlessPruned(heightOf(ref), heightOf(ref) > HEAD ? null : blockAt(heightOf(ref))),
    eth_getBlockByHash: (hash: string) => blockAt(heightOf(hash)),
    eth_getBalance: (_address: string, at: string | { blockHash: string }) => unlessPruned(heightIn(at), '0x5'),
    eth_getLogs: ({ fromBlock }: { fromBlock: string }) => unlessPruned(heightOf(fromBlock), []),
    ...changes,
  };
};
const archiveNode = (changes: StubResponses = {}) => prunedNode(undefined, { ...ARCHIVE, ...changes });
const ARCHIVE: StubResponses = {
  eth_getBlockByNumber: (ref: string) => blockAt(heightOf(ref)),
  eth_getBalance: '0x5',
  eth_getLogs: [],
};

const BALANCE = `{ block(number: 3) { account(address: "${addressOf(1)}") { balance } } }`;
const BLOCK = '{ block(number: 3) { size } }';
const LOGS = '{ logs(filter: { fromBlock: 3, toBlock: 9 }) { data } }';

let graph: InProcessGraph;
let nodes: NodeProxy[];

const open = async (...tables: StubResponses[]): Promise<void> => {
  ({ graph, nodes } = await startGraphOver(tables));
};

const methodsOf = (node: NodeProxy | undefined) => node!.takeCounts().methods;

/** Extensions of the only error. */
const extensionsOf = async (query: string) => {
  const { errors } = await graph.execute(query);
  expect(errors).toHaveLength(1);
  return errors![0].extensions;
};

describe('an error for pruned history', () => {
  test.each<[string, Error, string | undefined]>([
    ['geth', rpcError(4444, 'pruned history unavailable'), undefined],
    ['geth, state', rpcError(-32000, `missing trie node ${hashOf(1)} (path ) state ${hashOf(2)} is not available`), undefined],
    ['Reth', rpcError(4444, 'pruned history unavailable: requested 3, earliest available 8'), '0x8'],
    [
      'Erigon',
      rpcError(-32000, 'old data not available due to pruning: requested block 3, history is available from block 8'),
      '0x8',
    ],
  ])(
    'pruned history of %s fails with HISTORY_PRUNED, the requested block, and the earliest if known',
    async (_node, error, earliest) => {
      await open(prunedNode(error));
      for (const query of [BLOCK, LOGS]) {
        const extensions = await extensionsOf(query);
        expect(extensions).toMatchObject({ code: 'HISTORY_PRUNED', retryable: false, source: 'node', requested: '0x3' });
        expect(extensions.earliest).toBe(earliest);
      }
    },
  );

  test.each([
    ['that block', BLOCK],
    ['the logs of that block', LOGS],
    [
      'the state of that block',
      `{ block(number: 9) { number } old: block(number: 12) { account(address: "${addressOf(1)}") { balance } } }`,
    ],
  ])('HISTORY_PRUNED states that the node has pruned %s, whatever the text of the node is', async (part, query) => {
    await open(prunedNode(rpcError(-32000, 'state is pruned'), { eth_getBalance: rpcError(4444, 'pruned history unavailable') }));
    const { errors } = await graph.execute(query);
    expect(errors!.map(field('message'))).toEqual([`The node has pruned ${part}.`]);
  });

  test('HISTORY_PRUNED is not returned while a later endpoint has the block', async () => {
    const error = rpcError(-32603, 'internal error');
    await open(
      prunedNode(rpcError(4444, 'pruned history unavailable')),
      { ...archiveNode(), eth_getBlockByNumber: error },
      archiveNode(),
    );
    const { data, errors } = await graph.execute(BLOCK);
    expect({ errors, size: data.block.size }).toEqual({ errors: undefined, size: blockAt(3).size });
  });

  test('HISTORY_PRUNED has the earliest block of the resource from one call of eth_capabilities', async () => {
    const range = (oldestBlock: string) => ({ disabled: false, oldestBlock });
    await open(
      prunedNode(rpcError(4444, 'pruned history unavailable'), {
        eth_capabilities: {
          head: { number: '0x10', hash: hashAt(HEAD) },
          blocks: range('0x7'),
          tx: range('0x7'),
          receipts: range('0x6'),
          logs: range('0x8'),
          state: { disabled: true },
          stateproofs: { disabled: true },
        },
      }),
    );
    expect(await extensionsOf(BLOCK)).toMatchObject({ requested: '0x3', earliest: '0x7', method: 'eth_getBlockByNumber' });
    expect(await extensionsOf(LOGS)).toMatchObject({ requested: '0x3', earliest: '0x8', method: 'eth_getLogs' });
    expect(methodsOf(nodes[0])).toEqual({ eth_getBlockByNumber: 1, eth_getLogs: 1, eth_capabilities: 1 });
  });

  test.each<[string, unknown]>([
    ['an error', rpcError(-32000, 'busy')],
    ['a malformed report', { blocks: 5 }],
    [
      'a malformed height',
      { ...Object.fromEntries(['blocks', 'receipts', 'logs', 'state'].map((name) => [name, { oldestBlock: 'x' }])) },
    ],
  ])('HISTORY_PRUNED has no earliest block when eth_capabilities returns %s', async (_case, report) => {
    await open(prunedNode(rpcError(4444, 'pruned history unavailable'), { eth_capabilities: report }));
    expect(await extensionsOf(BLOCK)).not.toHaveProperty('earliest');
    expect(await extensionsOf(BLOCK)).toHaveProperty('requested', '0x3');
    expect(methodsOf(nodes[0])).toEqual({ eth_getBlockByNumber: 2, eth_capabilities: 1 });
  });

  test('HISTORY_PRUNED has the hash of a block whose height is not known', async () => {
    await open(prunedNode(rpcError(-32000, 'missing trie node 12'), { eth_getBlockByNumber: ARCHIVE.eth_getBlockByNumber }));
    expect(await extensionsOf(BALANCE)).toMatchObject({ method: 'eth_getBalance', requested: hashAt(3) });
  });
});

describe('pruned history with several endpoints', () => {
  const PRUNED = rpcError(4444, 'pruned history unavailable');

  test('pruned history is read from the next endpoint, at the cost of one call each', async () => {
    await open(prunedNode(PRUNED), archiveNode());
    const data = await dataOf(graph.execute(`{ block(number: 3) { number size } other: block(number: 9) { size } }`));
    expect(data.block.number).toBe('0x3');
    expect(methodsOf(nodes[0])).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 2 });
    expect(methodsOf(nodes[1])).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 1 });
  });

  test('history fails with HISTORY_PRUNED when every endpoint has pruned it', async () => {
    await open(prunedNode(PRUNED), prunedNode(PRUNED));
    expect(await extensionsOf(BLOCK)).toMatchObject({ code: 'HISTORY_PRUNED', requested: '0x3' });
    for (const node of nodes) expect(methodsOf(node)).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 1, eth_capabilities: 1 });
  });

  test('pruned history is read from the fourth endpoint after the others, at the cost of one call each', async () => {
    await open(prunedNode(PRUNED), prunedNode(PRUNED), prunedNode(PRUNED), archiveNode());
    expect((await dataOf(graph.execute(BLOCK))).block.size).toBe(blockAt(3).size);
    for (const node of nodes) expect(methodsOf(node)).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 1 });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an error of its own', rpcError(-32601, 'method not found')],
  ])('pruned history is HISTORY_PRUNED, not unknown, when the next endpoint returns %s', async (_case, response) => {
    await open(prunedNode(PRUNED), archiveNode({ eth_getBlockByNumber: response }));
    expect(await extensionsOf(BLOCK)).toMatchObject({ code: 'HISTORY_PRUNED' });
  });

  test('pruned history is retryable when the next endpoint, which may have it, is overloaded', async () => {
    await open(prunedNode(PRUNED), archiveNode({ eth_getBlockByNumber: rpcError(-32002, 'request timed out') }));
    expect(await extensionsOf(BLOCK)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retryable: true });
  });
});
