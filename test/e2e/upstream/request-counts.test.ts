import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';

/**
 * Upstream requests of operations with a known head and an empty cache, counted by a proxy. A title gives HTTP requests/JSON-RPC
 * calls. Cached reads: test/conformance/upstream/cached-request-counts.test.ts; an unknown head: test/graph/chain/head.test.ts.
 */
let setup: DevnetSetup;
let crowdedBlock: number;
let hash: string;
let alice: string;

beforeAll(async () => {
  setup = await startSharedDevnetSetup({ CACHE_BYTES: '0' });
  const { landmarks, accounts } = setup.devnet.description;
  crowdedBlock = landmarks.crowdedBlock;
  hash = landmarks.tokenTransfer;
  alice = accounts[0]!.address;
});

afterAll(() => setup?.stop());

beforeEach(() => {
  setup.proxy.takeCounts();
});

/** Executes an operation without errors, and counts its upstream calls. */
async function cost(query: string, variables?: Record<string, unknown>) {
  const { data, errors } = await setup.graph.execute(query, variables);
  expect(errors).toBeUndefined();
  return { data, ...setup.proxy.takeCounts() };
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

test('fields of one block beyond its header cost 1/1, without full transactions', async () => {
  const { data, ...sent } = await cost(
    'query ($n: Long) { block(number: $n) { hash timestamp gasUsed miner { address } transactionCount } }',
    {
      n: crowdedBlock,
    },
  );
  expect(data.block.transactionCount).toBe('0xf0');
  expect(sent).toMatchObject({ http: 1, calls: 1, methods: { eth_getBlockByHash: 1 } });
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

test('the counts of a block cost 1/2, without the block', async () => {
  const { data, ...sent } = await cost('query ($n: Long) { block(number: $n) { number transactionCount ommerCount } }', {
    n: crowdedBlock,
  });
  expect(data.block).toEqual({ number: '0x14', transactionCount: '0xf0', ommerCount: '0x0' });
  expect(sent).toMatchObject({
    http: 1,
    calls: 2,
    methods: { eth_getBlockTransactionCountByHash: 1, eth_getUncleCountByBlockHash: 1 },
  });
});

test.each([
  ['by number', 'block(number: 20)'],
  ['by tag', 'block(tag: LATEST)'],
  ['without a name', 'block'],
])('a block %s with transactions, receipts and logs costs 1/2', async (_case, block) => {
  const { data, ...sent } = await cost(`{
    ${block} {
      hash
      transactions { hash value from { address } status gasUsed receipt { cumulativeGasUsed } logs { index topics data } }
      receipts { transactionHash logs { index } }
      logs(filter: {}) { index transaction { hash value status } }
    }
  }`);
  expect(data.block.receipts.flatMap((receipt: { logs: unknown[] }) => receipt.logs)).toHaveLength(data.block.logs.length);
  expect(sent).toMatchObject({ http: 1, calls: 2, methods: { eth_getBlockByHash: 1, eth_getBlockReceipts: 1 } });
});

test('a block by hash with transactions, receipts and logs costs 1/2', async () => {
  const { hash: blockHash } = await setup.rpc('eth_getBlockByNumber', '0x14', false);
  const { methods, http } = await cost(
    'query ($h: Bytes32) { block(hash: $h) { transactions { value status } logs(filter: {}) { index } } }',
    { h: blockHash },
  );
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getBlockReceipts: 1 } });
});

test('receipts of transactions with only their hash selected cost 1/2, without full transactions', async () => {
  const { methods, http } = await cost(
    '{ block(number: 20) { transactions { hash status gasUsed createdContract { address } } } }',
  );
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getBlockReceipts: 1 } });
});

test.each([
  [
    'that pass a filter',
    'logs(filter: { topics: [["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"]] }) { index data }',
  ],
  ['of each transaction', 'transactions { hash logs { index data } }'],
])('a block with the logs %s costs 1/2, without receipts', async (_case, fields) => {
  const { methods, http } = await cost(`{ block(number: 20) { number ${fields} } }`);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getLogs: 1 } });
});

test('a filter without matching logs costs 1/2 when the bloom matches', async () => {
  const { data, methods, http } = await cost(
    `{ block(number: 8) { number logs(filter: { addresses: ["${alice}"] }) { index } } }`,
  );
  expect(data.block.logs).toEqual([]);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getLogs: 1 } });
});

test('20 blocks with transactions, receipts and logs cost 1/40', async () => {
  const { data, ...sent } = await cost(
    '{ blocks(from: 10, to: 29) { number transactions { value status logs { index } } receipts { gasUsed } } }',
  );
  expect(data.blocks).toHaveLength(20);
  expect(sent).toMatchObject({ http: 1, calls: 40, methods: { eth_getBlockByHash: 20, eth_getBlockReceipts: 20 } });
});

test('blocks up to the head cost 1/N', async () => {
  const { data, ...sent } = await cost('{ blocks(from: 25) { hash transactions { hash } } }');
  expect(data.blocks).toHaveLength(7);
  expect(sent).toMatchObject({ http: 1, calls: 7, methods: { eth_getBlockByHash: 7 } });
});

test('100 accounts with 3 fields each cost 1/300', async () => {
  const fields = Array.from({ length: 100 }, (_, i) => {
    const address = `0x${(i + 1).toString(16).padStart(40, '0')}`;
    return `a${i}: account(address: "${address}") { balance transactionCount code }`;
  });
  const { http, calls } = await cost(`{ ${fields.join(' ')} }`);
  expect({ http, calls }).toEqual({ http: 1, calls: 300 });
});

test('an account with only its address selected costs 0/0', async () => {
  expect(await cost(`{ account(address: "${alice}") { address } }`)).toMatchObject({ http: 0, calls: 0 });
});

test('equal fields under two aliases cost 1/1', async () => {
  const { http, calls } = await cost(
    `{ a: account(address: "${alice}") { balance } b: account(address: "${alice}") { balance } }`,
  );
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('a block with and without its transactions costs 1/1', async () => {
  const { http, calls } = await cost(
    '{ a: block(number: 5) { hash transactionHashes } b: block(number: 5) { transactions { value } } }',
  );
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('root fields share one request: 1/7', async () => {
  const { http, calls } = await cost(`{
    chainID gasPrice maxPriorityFeePerGas syncing { currentBlock }
    network { networkID listening }
    block(number: 3) { hash }
    account(address: "${alice}") { balance }
  }`);
  // The header of block 3 is known, and with it the base fee of the price.
  expect({ http, calls }).toEqual({ http: 1, calls: 7 });
});

test('a transaction with receipt fields only costs 1/1', async () => {
  const { methods, http } = await cost(
    'query ($h: Bytes32!) { transaction(hash: $h) { hash status gasUsed from { address } blockNumber logs { index } } }',
    { h: hash },
  );
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getTransactionReceipt: 1 } });
});

test('a transaction with own and receipt fields costs 1/2', async () => {
  const { methods, http } = await cost(
    'query ($h: Bytes32!) { transaction(hash: $h) { value status logs { data } receipt { type } } }',
    {
      h: hash,
    },
  );
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getTransactionByHash: 1, eth_getTransactionReceipt: 1 } });
});

test('a transaction with number and hash of its block costs 1/1', async () => {
  const { data, http, calls } = await cost('query ($h: Bytes32!) { transaction(hash: $h) { value block { number hash } } }', {
    h: hash,
  });
  expect(data.transaction.block.number).toBe('0x2');
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('logs of a range with their transactions by hash and their blocks by number cost 1/1', async () => {
  const { data, http, methods } = await cost(
    '{ logs(filter: { fromBlock: 1, toBlock: 30 }) { index transaction { hash index } block { number hash } account { address } } }',
  );
  expect(data.logs.length).toBeGreaterThan(100);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getLogs: 1 } });
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

test('the logs of a block with their transactions cost 1/2, with the transactions from the block', async () => {
  const { http, methods } = await cost('{ block(number: 20) { number logs(filter: {}) { transaction { value nonce } } } }');
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getLogs: 1 } });
});

test.each([
  ['logs(filter: {}) { transaction { hash logs { index } } }', { eth_getLogs: 1 }],
  ['transactions { logs { transaction { value } } }', { eth_getLogs: 1 }],
  ['transactions { receipt { transaction { value } } }', { eth_getBlockReceipts: 1 }],
  ['transactions { hash block { transactions { status } } }', { eth_getBlockReceipts: 1 }],
  ['receipts { logs { block { transactions { nonce } } } }', { eth_getBlockReceipts: 1 }],
])('a block that is reached through its own children costs 1/2: %s', async (selected, methods) => {
  const { http, ...sent } = await cost(`{ block(number: 20) { number ${selected} } }`);
  expect({ http, methods: sent.methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, ...methods } });
});

test('a receipt with its transaction costs 1/2', async () => {
  const { http, methods } = await cost('query ($h: Bytes32!) { receipt(hash: $h) { status transaction { value } } }', {
    h: hash,
  });
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getTransactionReceipt: 1, eth_getTransactionByHash: 1 } });
});

test('a block with number and hash of its parent costs 1/1', async () => {
  const { data, http, calls } = await cost('{ block(number: 20) { parentHash transactionCount parent { number hash } } }');
  expect(data.block.parent).toEqual({ number: '0x13', hash: data.block.parentHash });
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('N accounts under a block cost 1/N, at the hash of that block', async () => {
  const requested: unknown[] = [];
  setup.proxy.intercept = ({ method, params }) => void (method === 'eth_getBalance' && requested.push(params[1]));
  const { data, http, calls } = await cost(`{ block(number: 5) { hash a: account(address: "${alice}") { balance } } }`);
  setup.proxy.intercept = undefined;
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
  expect(requested.at(0)).toEqual({ blockHash: data.block.hash });
});

test('a block with the tip of each transaction costs 1/1', async () => {
  const { http, calls } = await cost('{ block(number: 20) { number transactions { effectiveTip } } }');
  expect({ http, calls }).toEqual({ http: 1, calls: 1 });
});

test('fields that @skip and @include exclude cost 0/0', async () => {
  const query = `query ($yes: Boolean!, $no: Boolean!) {
    block(number: 20) { number transactions { hash value @include(if: $no) status @skip(if: $yes) ...More @include(if: $no) } }
  }
  fragment More on Transaction { gasUsed }`;
  const { http, methods } = await cost(query, { yes: true, no: false });
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1 } });
});

test('fields in fragments cost as much as inline fields: 1/2', async () => {
  const query = `{ block(number: 20) { ...B } }
  fragment B on Block { number transactions { ... on Transaction { value ...T } } }
  fragment T on Transaction { status }`;
  const { http, methods } = await cost(query);
  expect({ http, methods }).toEqual({ http: 1, methods: { eth_getBlockByHash: 1, eth_getBlockReceipts: 1 } });
});
