import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { waitForGraphHead } from '../../support/graph/consistent-reads.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { dataOf } from '../../support/graph/results.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';

/**
 * Upstream requests of repeated operations. A proxy counts HTTP requests and JSON-RPC calls; a second graph over the same node,
 * without a cache, returns the expected data.
 */
let setup: DevnetSetup;
/** CACHE_BYTES=0. */
let uncachedGraph: RunningGraph;
let alice: string;
let keys: Record<string, string>;
let token: string;
let hashes: { transfer: string; legacy: string; creation: string };

beforeAll(async () => {
  setup = await startDevnetSetup();
  const { nodeService, accounts, contracts, landmarks } = setup.devnet.description;
  uncachedGraph = await serveGraph({ RPC_URL: nodeService.http, RPC_WS_URL: nodeService.ws, CACHE_BYTES: '0' });
  alice = accounts[0]!.address;
  keys = Object.fromEntries(accounts.map(({ address, privateKey }) => [address, privateKey]));
  token = contracts[0]!.address;
  hashes = {
    transfer: landmarks.tokenTransfer,
    legacy: landmarks.legacyTransaction,
    creation: landmarks.contractCreation,
  };
  await setup.rpc('evm_setAutomine', false);
});

afterEach(() => {
  setup.proxy.intercept = undefined;
  setup.proxy.rewrite = undefined;
});

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Executes an operation without errors, and counts its upstream calls. */
async function cost(query: string, variables?: Record<string, unknown>) {
  setup.proxy.takeCounts();
  const data = await dataOf(setup.graph.execute(query, variables));
  return { data, ...setup.proxy.takeCounts() };
}

/** Executes an operation on the graph without a cache. */
const executeUncached = (query: string, variables?: Record<string, unknown>) => dataOf(uncachedGraph.execute(query, variables));

/** Resolves when each graph has the head of the node. */
async function waitForGraphHeads(...graphs: RunningGraph[]): Promise<void> {
  const { hash } = await setup.rpc('eth_getBlockByNumber', 'latest', false);
  for (const graph of graphs) await waitForGraphHead(graph, hash);
}

const CACHED_QUERIES: [what: string, query: string][] = [
  ['the head', '{ block { number hash timestamp } }'],
  ['a header', '{ block(number: 20) { hash timestampISO confirmations } }'],
  ['fields of a block beyond its header', '{ block(number: 20) { size transactionCount totalDifficulty } }'],
  ['the hashes of the transactions of a block', '{ block(number: 20) { transactions { hash index } } }'],
  ['counts of a block', '{ block(number: 19) { transactionCount ommerCount } }'],
  [
    'a block with transactions, receipts and logs',
    '{ block(number: 20) { transactions { hash value from { address } status logs { data } } receipts { gasUsed } logs(filter: {}) { index } } }',
  ],
  ['the head with transactions and receipts', '{ block { transactions { value status } receipts { gasUsed logs { data } } } }'],
  ['the head by its tag', '{ block(tag: LATEST) { stateRoot transactions { hash nonce gasUsed } } }'],
  ['logs of a range', '{ logs(filter: { fromBlock: 2, toBlock: 20 }) { index data } }'],
  ['matching logs of a block', `{ block(number: 20) { logs(filter: { topics: [["${TRANSFER}"]] }) { data } } }`],
  ['logs of a block without a matching log', `{ block(number: 8) { logs(filter: { topics: [["${TRANSFER}"]] }) { data } } }`],
  ['a transaction by position', '{ block(number: 18) { transactionAt(index: 0) { hash value status } } }'],
  ['many blocks', '{ blocks(from: 10, to: 29) { number transactions { value status logs { index } } receipts { gasUsed } } }'],
  ['blocks up to the head', '{ blocks(from: 25) { hash size transactions { hash } } }'],
  ['the base fee after a block', '{ block(number: 20) { baseFeePerGas nextBaseFeePerGas } }'],
  ['the tips of a block', '{ block(number: 20) { transactions { effectiveTip } } }'],
  [
    'the safe and the finalized block',
    '{ safe: block(tag: SAFE) { hash } final: block(tag: FINALIZED) { number } block(number: 3) { finalized } }',
  ],
  ['a parent', '{ block(number: 20) { parent { hash transactionCount } } }'],
];

const CACHED_QUERIES_BY_HASH: [what: string, query: string][] = [
  ['a transaction', 'query ($hash: Bytes32!) { transaction(hash: $hash) { value nonce confirmations } }'],
  [
    'a transaction with fields of its receipt',
    'query ($hash: Bytes32!) { transaction(hash: $hash) { value status logs { data } } }',
  ],
  ['a transaction with its block', 'query ($hash: Bytes32!) { transaction(hash: $hash) { hash block { hash size timestamp } } }'],
  ['a receipt', 'query ($hash: Bytes32!) { receipt(hash: $hash) { status contract { address } logs { index } } }'],
  [
    'a receipt with its transaction',
    'query ($hash: Bytes32!) { receipt(hash: $hash) { gasUsed transaction { value input: inputData } } }',
  ],
];

const CACHED_ACCOUNT_QUERIES: [what: string, query: string][] = [
  [
    'an account at the head',
    `query ($a: Address!) { account(address: $a) { balance transactionCount code storage(slot: "0x${'0'.repeat(64)}") } }`,
  ],
  ['an account under a block', 'query ($a: Address!) { block(number: 5) { account(address: $a) { balance transactionCount } } }'],
];

describe('cached queries', () => {
  const costsNothing = async (query: string, variables?: Record<string, unknown>) => {
    const { data: first } = await cost(query, variables);
    const { data, http, calls } = await cost(query, variables);
    expect({ http, calls }).toEqual({ http: 0, calls: 0 });
    expect(data).toEqual(first);
    expect(data).toEqual(await executeUncached(query, variables));
  };

  test.each(CACHED_QUERIES)('a repeated query of %s costs no request', (_what, query) => costsNothing(query));
  test.each(CACHED_QUERIES_BY_HASH)('a repeated query of %s by hash costs no request', async (_what, query) => {
    for (const hash of Object.values(hashes)) await costsNothing(query, { hash });
  });
  test.each(CACHED_ACCOUNT_QUERIES)('a repeated query of %s costs no request', async (_what, query) => {
    for (const a of [alice, token]) await costsNothing(query, { a });
  });
});

test.each([
  ['the gas price', '{ gasPrice block(number: 20) { size } }', { eth_gasPrice: 1 }],
  ['the priority fee', '{ maxPriorityFeePerGas }', { eth_maxPriorityFeePerGas: 1 }],
  ['the sync state', '{ syncing { currentBlock } network { blockNumber } }', { eth_syncing: 1, eth_blockNumber: 1 }],
  ['the base fee after the head', '{ block { nextBaseFeePerGas } }', { eth_feeHistory: 1 }],
  ['an unknown block', '{ block(number: 4096) { size } }', { eth_getBlockByNumber: 1 }],
])('a repeated query of %s costs that request only', async (_what, query, methods) => {
  await cost(query);
  expect(await cost(query)).toMatchObject({ http: 1, methods });
});

/** Sends a signed payment, which has the same hash on every branch; returns the hash. */
async function pay(from: string, to: string, value: bigint, nonce?: number): Promise<string> {
  const transaction = {
    type: 2,
    chainId: setup.devnet.description.chainId,
    nonce: nonce ?? Number(await setup.rpc('eth_getTransactionCount', from, 'latest')),
    to,
    value,
    gasLimit: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  };
  return setup.rpc('eth_sendRawTransaction', await new Wallet(keys[from]!).signTransaction(transaction));
}

describe('after a reorg', () => {
  const BLOCK =
    'query ($n: Long) { block(number: $n) { number hash size transactions { hash value status } receipts { gasUsed } } }';
  const BY_HASH = 'query ($h: Bytes32) { block(hash: $h) { hash confirmations size transactions { value } } }';
  const FOUND = 'query ($h: Bytes32!) { transaction(hash: $h) { value status confirmations block { number hash timestamp } } }';
  const RECEIPT = 'query ($h: Bytes32!) { receipt(hash: $h) { blockNumber blockHash gasUsed transaction { value } } }';
  const STATE = 'query ($a: Address!) { account(address: $a) { balance transactionCount } }';
  const FROM_BLOCK = 'query ($n: Long) { blocks(from: $n) { number hash size } }';

  let fork: number;
  let moved: string;
  let vanished: string;
  let abandoned: string;
  let dave: string;

  /** Operations before and after the reorg, and whether all their data is below the fork. */
  const operations = (): [query: string, variables: Record<string, unknown>, below: boolean][] => [
    [BLOCK, { n: 20 }, true],
    [BLOCK, { n: fork }, true],
    [FOUND, { h: hashes.transfer }, true],
    [RECEIPT, { h: hashes.creation }, true],
    ['query ($n: Long, $a: Address!) { block(number: $n) { account(address: $a) { balance } } }', { n: fork, a: dave }, true],
    [BLOCK, { n: fork + 1 }, false],
    [BLOCK, { n: fork + 2 }, false],
    [FROM_BLOCK, { n: fork }, false],
    [FOUND, { h: moved }, false],
    [RECEIPT, { h: vanished }, false],
    [STATE, { a: dave }, false],
    ['{ block { number hash parent { number hash size } receipts { gasUsed } } }', {}, false],
  ];
  const before: unknown[] = [];

  beforeAll(async () => {
    const people = setup.devnet.description.accounts.map(({ address }) => address);
    dave = people[3]!;
    const base = await setup.rpc('eth_getBlockByNumber', 'latest', false);
    fork = Number(base.number);
    const nonce = Number(await setup.rpc('eth_getTransactionCount', dave, 'latest'));
    moved = await pay(dave, alice, 5n, nonce);
    await setup.rpc('evm_mine');
    vanished = await pay(people[4]!, dave, 6n);
    await setup.rpc('evm_mine');
    abandoned = (await setup.rpc('eth_getBlockByNumber', 'latest', false)).hash;
    await waitForGraphHeads(setup.graph, uncachedGraph);
    for (const [query, variables] of operations()) {
      before.push((await cost(query, variables)).data);
      expect(await cost(query, variables)).toMatchObject({ http: 0, calls: 0 });
    }
    await cost(BY_HASH, { h: abandoned });
    await setup.rpc('anvil_rollback', 2);
    // In the same second anvil would mine identical blocks.
    await setup.rpc('evm_increaseTime', 5);
    await setup.rpc('evm_mine');
    await pay(dave, alice, 5n, nonce);
    await setup.rpc('evm_mine');
    await setup.rpc('evm_mine');
    await waitForGraphHeads(setup.graph, uncachedGraph);
  });

  test('after a reorg, data below the fork costs no request, and data above it is requested again', async () => {
    for (const [i, [query, variables, below]] of operations().entries()) {
      const { data, calls } = await cost(query, variables);
      expect(data).toEqual(await executeUncached(query, variables));
      expect({ query, isRequested: calls > 0 }).toEqual({ query, isRequested: !below });
      if (!below) expect(data).not.toEqual(before[i]);
      // Null is not cached.
      if (data.receipt !== null) expect(await cost(query, variables)).toMatchObject({ calls: 0 });
    }
  });

  test('a cached block that a reorg removed is found by its hash without a request, and has no confirmations', async () => {
    expect(await setup.rpc('eth_getBlockByHash', abandoned, false)).toBeNull();
    const { data, calls } = await cost(BY_HASH, { h: abandoned });
    expect(data.block).toMatchObject({ hash: abandoned, confirmations: null, transactions: [{ value: '0x6' }] });
    expect(calls).toBe(0);
  });
});

test('/metrics reports the size, hits and misses of the cache', async () => {
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${setup.graph.url}/metrics`)).text();
    return Number(new RegExp(`^grimoire_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  await cost('{ block(number: 20) { transactions { value status } } }');
  const bytes = await metric('cache_bytes');
  const hits = await metric('cache_hits_total');
  expect(bytes).toBeGreaterThan(100_000);
  expect(await metric('cache_entries')).toBeGreaterThan(50);
  await cost('{ block(number: 20) { size } }');
  expect(await metric('cache_bytes')).toBe(bytes);
  expect(await metric('cache_hits_total')).toBeGreaterThan(hits);
  expect(await metric('cache_misses_total')).toBeGreaterThan(50);
});
