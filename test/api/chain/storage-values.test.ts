import { expect, test } from '@jest/globals';
import { addressOf, block, hashOf, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';
import { vectorsOf } from '../../support/vectors/read-vectors.ts';

/** Storage slots that are read together. */
const BLOCK = block();

async function run(methods: Record<string, unknown>, fields: string) {
  const graph = await startStubbedGraph({ eth_getBlockByNumber: BLOCK, eth_getBlockByHash: BLOCK, ...methods });
  graph.node.takeCounts();
  const { data, errors } = await graph.execute(`{ block(number: 16) { ${fields} } }`);
  const sent = graph.requested.filter(([method]) => /Storage|Proof/.test(method));
  return { block: data?.block, errors, sent, ...graph.node.takeCounts() };
}

const vectors = vectorsOf('eth_getStorageValues');
const readable = vectors.filter(({ result }) => result);

test('the recorded calls are those of the specification', () => {
  expect(vectors.map(({ name }) => name).sort()).toEqual([
    'get-storage-values',
    'get-storage-values-default-block',
    'get-storage-values-empty-request',
    'get-storage-values-multiple-addresses',
    'get-storage-values-unknown-account',
  ]);
  expect(readable).toHaveLength(4);
});

test.each(readable)('$name is one call with the recorded slots, and has the recorded values', async ({ params, result }) => {
  const accounts = Object.entries<string[]>(params[0]);
  const fields = accounts.map(
    ([address, slots], i) => `a${i}: account(address: "${address}") { storageMany(slots: ${JSON.stringify(slots)}) }`,
  );
  const found = await run({ eth_getStorageValues: result }, fields.join(' '));
  expect(found.errors).toBeUndefined();
  expect(Object.values(found.block)).toEqual(accounts.map(([address]) => ({ storageMany: result[address] })));
  // The head of the operation is sent as its hash; a recorded call without a block means the head, too.
  expect(found.sent).toEqual([['eth_getStorageValues', params[0], { blockHash: BLOCK.hash }]]);
});

const WORDS = 3;
const slots = Array.from({ length: WORDS }, (_, i) => hashOf(i + 1));
const many = (list: readonly string[] = slots) =>
  `account(address: "${addressOf(0xa)}") { storageMany(slots: ${JSON.stringify(list)}) }`;

test('reads of one account share a call, and a slot that is read twice is sent once', async () => {
  const words: Record<string, unknown> = { [addressOf(0xa)]: slots.map((slot) => slot) };
  const { block: data, sent } = await run(
    { eth_getStorageValues: words },
    `a: ${many()} b: ${many([slots[2]!, slots[0]!, slots[2]!])}`,
  );
  expect(data).toEqual({ a: { storageMany: slots }, b: { storageMany: [slots[2], slots[0], slots[2]] } });
  expect(sent).toEqual([['eth_getStorageValues', { [addressOf(0xa)]: slots }, { blockHash: BLOCK.hash }]]);
});

test('no slots are no call', async () => {
  const { block: data, methods } = await run({}, many([]));
  expect(data).toEqual({ account: { storageMany: [] } });
  expect(methods).toEqual({ eth_getBlockByNumber: 1 });
});

test('a node without the method returns each slot in one request, and is asked for the method once', async () => {
  const graph = await startStubbedGraph({
    ...{ eth_getBlockByNumber: BLOCK, eth_getBlockByHash: BLOCK },
    eth_getStorageAt: (_address: string, slot: string) => slot,
  });
  const read = async (list: readonly string[]) => {
    graph.node.takeCounts();
    const { data } = await graph.execute(`{ block(number: 16) { ${many(list)} } }`);
    expect(data).toEqual({ block: { account: { storageMany: list } } });
    return graph.node.takeCounts().methods;
  };
  const methods = { eth_getBlockByNumber: 1, eth_getStorageAt: WORDS };
  expect(await read(slots)).toEqual({ ...methods, eth_getStorageValues: 1 });
  expect(await read(slots.map((slot) => slot.replace('0x0', '0x1')))).toEqual(methods);
});

test.each([
  ['of another account', { [addressOf(0xb)]: slots }],
  ['with a word less', { [addressOf(0xa)]: slots.slice(1) }],
  ['with a malformed word', { [addressOf(0xa)]: ['none', ...slots.slice(1)] }],
  ['that is no object', slots],
])('a result %s fails with UPSTREAM_BAD_RESPONSE', async (_name, result) => {
  const { errors } = await run({ eth_getStorageValues: result }, many());
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('more than 1,024 slots fail with BAD_USER_INPUT without a call', async () => {
  const { errors, methods } = await run({}, many(Array.from({ length: 1_025 }, (_, i) => hashOf(i))));
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', limit: 1_024, actual: 1_025 } }]);
  expect(methods).toEqual({ eth_getBlockByNumber: 1 });
});

test('reads above 1,024 slots in all are two calls in one request', async () => {
  const list = (from: number) => Array.from({ length: 600 }, (_, i) => hashOf(from + i));
  const eth_getStorageValues = (requested: Record<string, string[]>) => requested;
  const { block: data, http, methods } = await run({ eth_getStorageValues }, `a: ${many(list(0))} b: ${many(list(600))}`);
  expect(data).toEqual({ a: { storageMany: list(0) }, b: { storageMany: list(600) } });
  expect({ http, methods }).toEqual({ http: 2, methods: { eth_getBlockByNumber: 1, eth_getStorageValues: 2 } });
});

test('values of an account are found that the node names in mixed case', async () => {
  const miner = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
  const eth_getStorageValues = (slots: Record<string, string[]>) => slots;
  const methods = { eth_getBlockByNumber: block({ miner }), eth_getStorageValues };
  const { block: read, errors } = await run(methods, `miner { storageMany(slots: ["${hashOf(1)}"]) }`);
  expect([errors, read]).toEqual([undefined, { miner: { storageMany: [hashOf(1)] } }]);
});
