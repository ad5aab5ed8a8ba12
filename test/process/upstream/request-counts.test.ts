import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, print } from 'graphql';
import { postJson } from '../../support/clients/post-json.ts';
import { writeChainsFile } from '../../support/graph/chains-file.ts';
import { type DevnetSetup, sharedDevnet, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { bodyOf, dataOf } from '../../support/graph/results.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';

/**
 * Upstream requests of operations with a known head and without a cache, counted by a proxy. `1/2` in a title: 1 HTTP
 * request with 2 JSON-RPC calls. Cached reads: test/proofs/upstream/cached-request-counts.test.ts; an unknown head:
 * test/api/chain/head.test.ts. Each operation is executed on two chains, too: it sends the requests of each chain alone.
 */
let setup: DevnetSetup;
let crowdedBlock: number;
let hash: string;
let alice: string;

beforeAll(async () => {
  // A second chain with the same blocks: a fork of one history.
  const fork = await startProxy(sharedDevnet().nodeService.http);
  fork.intercept = ({ method }) => (method === 'eth_chainId' ? { result: '0x5' } : undefined);
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0', CHAINS: writeChainsFile([{ id: 5, rpcUrl: fork.url }]) });
  const { landmarks, accounts } = setup.devnet.description;
  crowdedBlock = landmarks.crowdedBlock;
  hash = landmarks.tokenTransfer;
  alice = accounts[0]!.address;
});

beforeEach(() => {
  setup.proxy.takeCounts();
});

/** Adds the root fields of an operation on the second chain. */
function onTwoChains(query: string): string {
  const { definitions } = parse(query, { noLocation: true });
  const [{ selectionSet: fields }] = definitions as [OperationDefinitionNode];
  const root = parse('{ ...Fields fork: chain(id: 5) { ...Fields } } fragment Fields on ChainFields { a }', { noLocation: true });
  const [{ selectionSet }, fragment] = root.definitions as [OperationDefinitionNode, FragmentDefinitionNode];
  const [operation, ...fragments] = definitions as [OperationDefinitionNode];
  const both = [{ ...operation, selectionSet }, ...fragments, { ...fragment, selectionSet: fields }];
  return print({ kind: Kind.DOCUMENT, definitions: both });
}

/** Executes an operation without errors, and counts its upstream calls. */
async function costOnOneChain(query: string, variables?: Record<string, unknown>) {
  const data = await dataOf(setup.graph.execute(query, variables));
  return { data, ...setup.proxy.takeCounts() };
}

/** Executes an operation without errors, and counts its upstream calls; on two chains, it sends the sum. */
async function cost(query: string, variables?: Record<string, unknown>) {
  const counts = await costOnOneChain(query, variables);
  const request = { query: onTwoChains(query), variables };
  const response = await postJson(`${setup.graph.url}/graphql`, request, { 'x-graph-cost': '1' });
  const { extensions } = await bodyOf(response);
  expect(extensions?.cost).toMatchObject({ requests: 2 * counts.http, calls: 2 * counts.calls });
  setup.proxy.takeCounts();
  return counts;
}

test.each([
  '{ block { number } }',
  '{ block { id number parent { id } miner { id } } }',
  '{ account(address: "0x00000000000000000000000000000000000000aa") { id address } }',
  '{ block { miner(block: 20) { id } } }',
  '{ pending { account(address: "0x00000000000000000000000000000000000000aa") { id } } }',
  '{ block { number hash parentHash timestamp gasUsed miner { address } confirmations } }',
  '{ block(tag: LATEST) { hash stateRoot parent { number hash timestamp } } }',
  '{ block(number: 20) { hash timestampISO } }',
  '{ blocks(from: 25) { number hash baseFeePerGas } }',
])('fields of known headers cost 0/0: %s', async (query) => {
  expect(await cost(query)).toMatchObject({ http: 0, calls: 0 });
});

const BLOCK_20 = 'block(number: 20)';
const CALLED = '0x00000000000000000000000000000000000000aa';
const WITH_RECEIPTS = { eth_getBlockByHash: 1, eth_getBlockReceipts: 1 };
const BODY = { eth_getBlockByHash: 1 };
const WITH_LOGS = { eth_getBlockByHash: 1, eth_getLogs: 1 };
const TRACED = { eth_getTransactionByHash: 1, debug_traceTransaction: 1 };
const CONTENTS = `hash
  transactions { hash value from { address } status gasUsed receipt { cumulativeGasUsed } logs { index topics data } }
  receipts { transactionHash logs { index } } logs(filter: {}) { index transaction { hash value status } }`;
const TRANSFER_FILTER = 'topics: [["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"]]';

test.each<[string, string, Record<string, number>]>([
  [
    'a simulation of two blocks with all its fields',
    `simulate(blocks: [{ calls: [{ to: "${CALLED}" }] }, { calls: [{ to: "${CALLED}" }] }]) { block { number } calls { status } blocks { hash
      transactions { nonce } calls { error { message } logs { index } transfers { from { address } } } } }`,
    { eth_simulateV1: 1 },
  ],
  ['fields beyond the header', `${BLOCK_20} { hash timestamp gasUsed miner { address } transactionCount }`, BODY],
  [
    'the counts of a block',
    `${BLOCK_20} { number transactionCount ommerCount }`,
    { eth_getBlockTransactionCountByHash: 1, eth_getUncleCountByBlockHash: 1 },
  ],
  ['a block by number with its contents', `${BLOCK_20} { ${CONTENTS} }`, WITH_RECEIPTS],
  ['a block by tag with its contents', `block(tag: LATEST) { ${CONTENTS} }`, WITH_RECEIPTS],
  ['the head with its contents', `block { ${CONTENTS} }`, WITH_RECEIPTS],
  [
    'receipts of transaction hashes',
    `${BLOCK_20} { transactions { hash status gasUsed createdContract { address } } }`,
    WITH_RECEIPTS,
  ],
  [
    'the logs of a block that pass a filter',
    `${BLOCK_20} { number logs(filter: { ${TRANSFER_FILTER} }) { index data } }`,
    WITH_LOGS,
  ],
  ['the logs of each transaction of a block', `${BLOCK_20} { number transactions { hash logs { index data } } }`, WITH_LOGS],
  [
    'the logs of a block with their transactions',
    `${BLOCK_20} { number logs(filter: {}) { transaction { value nonce } } }`,
    WITH_LOGS,
  ],
  [
    '20 blocks with transactions, receipts and logs',
    'blocks(from: 10, to: 29) { number transactions { value status logs { index } } receipts { gasUsed } }',
    { eth_getBlockByHash: 20, eth_getBlockReceipts: 20 },
  ],
  ['blocks up to the head', 'blocks(from: 25) { hash transactions { hash } }', { eth_getBlockByHash: 7 }],
  [
    'a block with and without its transactions',
    'a: block(number: 5) { hash transactionHashes } b: block(number: 5) { transactions { value } }',
    BODY,
  ],
  ['a block with number and hash of its parent', `${BLOCK_20} { transactionCount parent { number hash } }`, BODY],
  ['a block with the tip of each transaction', `${BLOCK_20} { number transactions { effectiveTip } }`, BODY],
  [
    'logs of a range with hashes and numbers',
    'logs(filter: { fromBlock: 1, toBlock: 30 }) { index transaction { hash index } block { number hash } account { address } }',
    { eth_getLogs: 1 },
  ],
  ...(
    [
      ['logs(filter: {}) { transaction { hash logs { index } } }', WITH_LOGS],
      ['transactions { logs { transaction { value } } }', WITH_LOGS],
      ['transactions { receipt { transaction { value } } }', WITH_RECEIPTS],
      ['transactions { hash block { transactions { status } } }', WITH_RECEIPTS],
      ['receipts { logs { block { transactions { nonce } } } }', WITH_RECEIPTS],
    ] as const
  ).map(([fields, methods]): [string, string, Record<string, number>] => [
    'a block that is reached through its own children',
    `${BLOCK_20} { number ${fields} }`,
    methods,
  ]),
])('one request sends only the calls of the selection: %s, { %s }', async (_case, fields, methods) => {
  const { http, ...sent } = await cost(`{ ${fields} }`);
  expect({ http, methods: sent.methods }).toEqual({ http: 1, methods });
});

test.each<[string, string, Record<string, number>]>([
  [
    'receipt fields only',
    'transaction(hash: $h) { hash status gasUsed from { address } blockNumber logs { index } }',
    { eth_getTransactionReceipt: 1 },
  ],
  [
    'own and receipt fields',
    'transaction(hash: $h) { value status logs { data } receipt { type } }',
    { eth_getTransactionByHash: 1, eth_getTransactionReceipt: 1 },
  ],
  ['number and hash of its block', 'transaction(hash: $h) { value block { number hash } }', { eth_getTransactionByHash: 1 }],
  [
    'its receipt',
    'receipt(hash: $h) { status transaction { value } }',
    { eth_getTransactionReceipt: 1, eth_getTransactionByHash: 1 },
  ],
])('a transaction with %s costs one request', async (_case, fields, methods) => {
  const { http, ...sent } = await cost(`query ($h: Bytes32!) { ${fields} }`, { h: hash });
  expect({ http, methods: sent.methods }).toEqual({ http: 1, methods });
});

test.each<[string, string, Record<string, number>]>([
  ['the calls of a transaction', 'transaction(hash: $h) { trace { type gasUsed } }', TRACED],
  ['what a transaction changed', 'transaction(hash: $h) { stateDiff { address } }', TRACED],
  ['the steps of a transaction', 'transaction(hash: $h) { executionTrace { gas } }', TRACED],
  [
    'the calls of each transaction of a block',
    'block(number: 5) { transactions { hash value trace { type } } traces { calls { type } } }',
    { eth_getBlockByHash: 1, debug_traceBlockByHash: 1 },
  ],
])('%s cost 2/2', async (_case, fields, methods) => {
  const sent = await cost(`query ${fields.includes('$h') ? '($h: Bytes32!) ' : ''}{ ${fields} }`, { h: hash });
  expect({ http: sent.http, methods: sent.methods }).toEqual({ http: 2, methods });
});

test('transaction hashes of a block cost 1/1, without full transactions', async () => {
  const requested: unknown[] = [];
  setup.proxy.intercept = ({ params }) => void requested.push(params[1]);
  const { data, ...sent } = await cost(
    'query ($n: Long) { block(number: $n) { transactions { hash index block { number } } } }',
    {
      n: crowdedBlock,
    },
  );
  setup.proxy.intercept = undefined;
  expect(data.block.transactions).toHaveLength(240);
  expect(data.block.transactions[239]).toMatchObject({ index: '0xef', block: { number: '0x14' } });
  expect(sent).toMatchObject({ http: 1, calls: 1 });
  expect(new Set(requested)).toEqual(new Set([false]));
});

test('a block by hash with transactions, receipts and logs costs 1/2', async () => {
  const { hash: blockHash } = await setup.rpc('eth_getBlockByNumber', '0x14', false);
  const { methods, http } = await cost(
    'query ($h: Bytes32) { block(hash: $h) { transactions { value status } logs(filter: {}) { index } } }',
    { h: blockHash },
  );
  expect({ http, methods }).toEqual({ http: 1, methods: WITH_RECEIPTS });
});

test('a filter without matching logs costs 1/2 when the bloom matches', async () => {
  const { data, methods, http } = await cost(
    `{ block(number: 8) { number logs(filter: { addresses: ["${alice}"] }) { index } } }`,
  );
  expect(data.block.logs).toEqual([]);
  expect({ http, methods }).toEqual({ http: 1, methods: WITH_LOGS });
});

test('100 accounts with 3 fields each cost 1/300', async () => {
  const fields = Array.from({ length: 100 }, (_, i) => {
    const address = `0x${(i + 1).toString(16).padStart(40, '0')}`;
    return `a${i}: account(address: "${address}") { balance transactionCount code }`;
  });
  const { http, calls } = await costOnOneChain(`{ ${fields.join(' ')} }`);
  expect({ http, calls }).toEqual({ http: 1, calls: 300 });
});

test('equal fields under two aliases cost 1/1', async () => {
  const { http, calls } = await cost(
    `{ a: account(address: "${alice}") { balance } b: account(address: "${alice}") { balance } }`,
  );
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('10 reads of 3 contracts and a balance cost 1/11, and equal reads 1/1', async () => {
  const owner = (i: number) => `0x${(i + 1).toString(16).padStart(40, '0')}`;
  const reads = Array.from({ length: 10 }, (_, i) => {
    const { address } = setup.devnet.description.contracts[i % 3]!;
    return `r${i}: account(address: "${address}") { read(function: "balanceOf", args: ["${owner(i)}"]) { results { value } } }`;
  });
  const { http, methods, data } = await cost(`{ ${reads.join(' ')} account(address: "${alice}") { balance } }`);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_call: 10, eth_getBalance: 1 } });
  expect(data.r9).toEqual({ read: { results: [{ value: expect.stringMatching(/^[0-9]+$/) }] } });
  const equal = await cost(`{ ${reads[0]} other: ${reads[0]!.slice(4).replace('balanceOf', 'balanceOf(address)(uint256)')} }`);
  expect({ http: equal.http, methods: equal.methods }).toEqual({ http: 1, methods: { eth_call: 1 } });
});

test('root fields share one request: 1/7', async () => {
  const { http, calls } = await costOnOneChain(`{
    chainID gasPrice maxPriorityFeePerGas syncing { currentBlock }
    network { networkID listening }
    block(number: 3) { hash }
    account(address: "${alice}") { balance }
  }`);
  // The header of block 3 is known, so `block` needs no call.
  expect({ http, calls }).toEqual({ http: 1, calls: 7 });
});

test('logs with full transactions and blocks cost 2/1+N+M, each transaction and block once', async () => {
  const { data, http, methods } = await cost(
    '{ logs(filter: { fromBlock: 2, toBlock: 4 }) { transaction { hash value } block { timestamp transactionCount } } }',
  );
  const transactions = new Set(data.logs.map((log: { transaction: { hash: string } }) => log.transaction.hash)).size;
  expect({ http, methods }).toEqual({
    http: 2,
    methods: { eth_getLogs: 1, eth_getTransactionByHash: transactions, eth_getBlockByHash: 3 },
  });
});

test('the balance of an account under a block costs 1/1, at the hash of that block', async () => {
  const requested: unknown[] = [];
  setup.proxy.intercept = ({ method, params }) => void (method === 'eth_getBalance' && requested.push(params[1]));
  const { data, http, calls } = await cost(`{ block(number: 5) { hash a: account(address: "${alice}") { balance } } }`);
  setup.proxy.intercept = undefined;
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
  expect(requested.at(0)).toEqual({ blockHash: data.block.hash });
});

/** Executes an operation with `x-graph-verify`, without errors, and counts its upstream calls. */
async function verifiedCost(query: string, verify: string) {
  const response = await postJson(`${setup.graph.url}/graphql`, { query }, { 'x-graph-verify': verify });
  const { errors, data, extensions } = await bodyOf(response);
  expect(errors).toBeUndefined();
  const { http, methods } = setup.proxy.takeCounts();
  return { data, level: extensions.trust.level, reported: extensions.trust.reported, sent: { http, methods } };
}

const PROVEN_CONTENTS = 'transactions { hash value status logs { index topics data } } receipts { cumulativeGasUsed }';
const LOGS_OF_BLOCK = `logs(filter: { ${TRANSFER_FILTER} }) { index data }`;

test.each<[string, string, string, Record<string, number>]>([
  ['a block with its contents', 'report', `${BLOCK_20} { ${PROVEN_CONTENTS} }`, WITH_RECEIPTS],
  ['the logs of a block, from its receipts', 'report', `${BLOCK_20} { number ${LOGS_OF_BLOCK} }`, WITH_RECEIPTS],
  ['the balance and the nonce of an account', 'state', 'account(address: $a) { balance transactionCount }', { eth_getProof: 1 }],
  ['an account with its code', 'state', 'account(address: $a) { balance code }', { eth_getProof: 1, eth_getCode: 1 }],
  ['a storage slot', 'state', 'account(address: $a) { mappingStorage(slot: 1, keys: ["0x01"]) }', { eth_getProof: 1 }],
  ['an account at a known block', 'state', `${BLOCK_20} { account(address: $a) { balance } }`, { eth_getProof: 1 }],
])('verification sends the calls in one request: %s', async (_case, verify, fields, methods) => {
  const { level, reported, sent } = await verifiedCost(`{ ${fields.replaceAll('$a', `"${alice}"`)} }`, verify);
  expect({ level, reported, sent }).toEqual({ level: 'CONSISTENT', reported: [], sent: { http: 1, methods } });
});

test('the verified logs of a range cost 2/2N: the blocks whose known header does not exclude them, and their receipts', async () => {
  const query = `{ logs(filter: { fromBlock: 2, toBlock: 4, ${TRANSFER_FILTER} }) { data block { number } } }`;
  const { data: unverified } = await cost(query);
  const blocks = new Set(unverified.logs.map((log: { block: { number: string } }) => log.block.number)).size;
  expect(blocks).toBe(2);
  const { data, level, sent } = await verifiedCost(query, 'logs');
  expect(data.logs).toEqual(unverified.logs);
  expect({ level, sent }).toEqual({
    level: 'CONSISTENT',
    sent: { http: 2, methods: { eth_getBlockByHash: blocks, eth_getBlockReceipts: blocks } },
  });
});

test('fields that @skip and @include exclude add no call: 1/1', async () => {
  const query = `query ($yes: Boolean!, $no: Boolean!) {
    block(number: 20) { number transactions { hash value @include(if: $no) status @skip(if: $yes) ...More @include(if: $no) } }
  }
  fragment More on Transaction { gasUsed }`;
  const { http, methods } = await cost(query, { yes: true, no: false });
  expect({ http, methods }).toEqual({ http: 1, methods: BODY });
});

test('fields in fragments cost as much as inline fields: 1/2', async () => {
  const query = `{ block(number: 20) { ...B } }
  fragment B on Block { number transactions { ... on Transaction { value ...T } } }
  fragment T on Transaction { status }`;
  const { http, methods } = await cost(query);
  expect({ http, methods }).toEqual({ http: 1, methods: WITH_RECEIPTS });
});
