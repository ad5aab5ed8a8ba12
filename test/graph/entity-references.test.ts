import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { GraphQLSchema } from 'graphql';
import { pino } from 'pino';
import { type Devnet, startDevnet } from '../../src/devnet/index.ts';
import { chain, createChainLoaders } from '../../src/domains/chain/index.ts';
import { createTokenLoaders, tokens } from '../../src/domains/tokens/index.ts';
import { parseTokenLists } from '../../src/domains/tokens/token-lists.ts';
import type { Operation } from '../../src/graphql/domain.ts';
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { subgraphSchema } from '../../src/graphql/federation/subgraph.ts';
import { createSnapshot } from '../../src/snapshot/index.ts';
import { createRpcNode, type RpcNode } from '../../src/upstream/rpc/node.ts';
import { createDomainFixture, createTestExecutor } from '../support/graph/domain-fixtures.ts';
import { type EntityQuery, executeFederated, singleGraphQuery } from '../support/graph/federated-query.ts';
import { addressOf, hashOf } from '../support/graph/stubbed-graph.ts';
import { type NodeProxy, startProxy } from '../support/proxies/node-proxy.ts';

/** A domain that hands over what the chain owns, so that every entity crosses a border. */
const watch = createDomainFixture(
  'watch',
  `
    type Block @key(fields: "number") { number: Long! }
    type Transaction @key(fields: "hash") { hash: Bytes32! }
    type Receipt @key(fields: "transactionHash") { transactionHash: Bytes32! }
    type Account @key(fields: "address _at") { address: Address! _at: String @inaccessible "Its key." key: String }
    type Query {
      blocksSeen(numbers: [Long!]!): [Block]
      sent(hashes: [Bytes32!]!): [Transaction]
      outcomes(hashes: [Bytes32!]!): [Receipt]
      accounts(addresses: [Address!]!, at: String): [Account]
    }
  `,
  {
    Account: { key: ({ address, _at }: Record<string, string>) => `${address} at ${_at}` },
    Query: {
      blocksSeen: (_query: unknown, { numbers }: { numbers: string[] }) => numbers.map((number) => ({ number })),
      outcomes: (_query: unknown, { hashes }: { hashes: string[] }) => hashes.map((transactionHash) => ({ transactionHash })),
      sent: async (_query: unknown, { hashes }: { hashes: string[] }) => hashes.map((hash) => ({ hash })),
      accounts: (_query: unknown, { addresses, at }: { addresses: string[]; at?: string }) =>
        addresses.map((address) => ({ address, _at: at })),
    },
  },
);

let devnet: Devnet;
let proxy: NodeProxy;
let node: RpcNode;
const executors: Record<string, ReturnType<typeof createTestExecutor>> = {};
let block: { hash: string; number: string };
let hashes: string[];

beforeAll(async () => {
  devnet = await startDevnet({ hasActivity: false, log: pino({ level: 'silent' }) });
  proxy = await startProxy(devnet.description.endpoints.http);
  node = createRpcNode({ urls: [proxy.url], maxBatchSize: 1_000, timeoutMs: 5_000, log: pino({ level: 'silent' }) });
  const chainOf = createChainLoaders({ maxBlocks: 100, maxLogs: 10_000 });
  const tokensOf = createTokenLoaders({ enhancedMethods: 'plain', lists: parseTokenLists([]) });
  const open = (schema: GraphQLSchema): ReturnType<typeof createTestExecutor> => {
    const ask = createTestExecutor(schema);
    return (source, _context, variables) => {
      const operation: Operation = { requestId: 'test', signal: AbortSignal.timeout(60_000), extensions: {}, isVolatile: false };
      const view = createSnapshot({ node }, operation);
      return ask(source, { operation, chain: chainOf(view), tokens: tokensOf(view) }, variables);
    };
  };
  executors.graph = open(composeSchema([chain, tokens, watch]));
  for (const domain of [chain, tokens, watch]) executors[domain.name] = open(subgraphSchema(domain));
  const { data } = await executors.graph(
    '{ block(number: 2) { hash number } last: block { transactionHashes } logs(filter: { fromBlock: 0 }) { transactionHash } }',
  );
  block = data.block;
  hashes = [...new Set<string>(data.logs.map((log: { transactionHash: string }) => log.transactionHash))].slice(0, 5);
});

afterAll(async () => {
  await node?.close();
  await proxy?.stop();
  await devnet?.stop();
});

beforeEach(() => {
  proxy.takeCounts();
});

const ACCOUNT = { entity: 'Account', key: 'address _at' };
const BLOCK = { entity: 'Block', key: 'number' };
const TRANSACTION = { entity: 'Transaction', key: 'hash' };
const RECEIPT = { entity: 'Receipt', key: 'transactionHash' };
const STATE = 'address balance transactionCount code';

type Row = readonly [what: string, from: string, to: string, crossing: () => EntityQuery];

const accountAddresses = () => devnet.description.accounts.map(({ address }) => address);
const contracts = () => devnet.description.contracts.map(({ address }) => address);
const list = (items: readonly string[]) => JSON.stringify(items);
const balances = () => `address tokenBalances(contracts: ${list(contracts())}) { tokenBalance error balance { raw value } }`;

const rows: readonly Row[] = [
  [
    'an account of a token',
    'tokens',
    'chain',
    () => ({ ...ACCOUNT, query: `{ token(address: "${contracts()[0]}") { account { $ } } }`, selection: STATE }),
  ],
  [
    'accounts of tokens, of which one is none',
    'tokens',
    'chain',
    () => ({
      ...ACCOUNT,
      query: `{ tokens(addresses: ${list([...contracts(), accountAddresses()[0]!])}) { account { $ } } }`,
      selection: STATE,
    }),
  ],
  [
    'the holder of a balance in a past block',
    'tokens',
    'chain',
    () => ({
      ...ACCOUNT,
      query: `{ token(address: "${contracts()[0]}") { balanceOf(owner: "${accountAddresses()[0]}", block: 1) { owner { $ } } } }`,
      selection: STATE,
    }),
  ],
  [
    'balances at the head',
    'chain',
    'tokens',
    () => ({ ...ACCOUNT, query: `{ account(address: "${accountAddresses()[0]}") { $ } }`, selection: balances() }),
  ],
  [
    'balances at a block',
    'chain',
    'tokens',
    () => ({
      ...ACCOUNT,
      query: `{ block(number: 2) { account(address: "${accountAddresses()[1]}") { $ } } }`,
      selection: balances(),
    }),
  ],
  [
    "balances at a height that is not the block's own",
    'chain',
    'tokens',
    () => ({
      ...ACCOUNT,
      query: '{ block(number: 3) { miner(block: 1) { $ } transactions { from(block: 2) { $ } to { $ } } } }',
      selection: balances(),
    }),
  ],
  [
    'the tokens behind logs',
    'chain',
    'tokens',
    () => ({
      ...ACCOUNT,
      query: '{ logs(filter: { fromBlock: 0 }) { account { $ } } }',
      selection: 'token { address symbol decimals }',
    }),
  ],
  [
    'keys, as another domain sees them',
    'chain',
    'watch',
    () => ({
      ...ACCOUNT,
      query: `{ block(number: 2) { account(address: "${accountAddresses()[0]}") { $ } miner { $ } } }`,
      selection: 'key',
    }),
  ],
  [
    'accounts from elsewhere',
    'watch',
    'chain',
    () => ({ ...ACCOUNT, query: `{ accounts(addresses: ${list(accountAddresses())}, at: "2") { $ } }`, selection: STATE }),
  ],
  [
    'accounts from elsewhere, to another',
    'watch',
    'tokens',
    () => ({
      ...ACCOUNT,
      query: `{ accounts(addresses: ${list(accountAddresses())}, at: "${block.hash}") { $ } }`,
      selection: balances(),
    }),
  ],
  [
    'blocks',
    'watch',
    'chain',
    () => ({ ...BLOCK, query: '{ blocksSeen(numbers: [1, 2, 3]) { $ } }', selection: 'number hash timestamp miner { address }' }),
  ],
  [
    'blocks, of which one is not there',
    'watch',
    'chain',
    () => ({ ...BLOCK, query: '{ blocksSeen(numbers: [1, 100000]) { $ } }', selection: 'hash transactionCount' }),
  ],
  [
    'blocks with all that is in them',
    'watch',
    'chain',
    () => ({
      ...BLOCK,
      query: '{ blocksSeen(numbers: [2, 3]) { $ } }',
      selection: 'transactions { value status } logs(filter: {}) { data }',
    }),
  ],
  [
    'counts of blocks',
    'watch',
    'chain',
    () => ({ ...BLOCK, query: '{ blocksSeen(numbers: [2]) { $ } }', selection: 'transactionCount' }),
  ],
  [
    'transactions',
    'watch',
    'chain',
    () => ({
      ...TRANSACTION,
      query: `{ sent(hashes: ${list([...hashes, hashOf(1)])}) { $ } }`,
      selection: 'hash value status block { number } from { balance }',
    }),
  ],
  [
    'what receipts tell of transactions',
    'watch',
    'chain',
    () => ({ ...TRANSACTION, query: `{ sent(hashes: ${list(hashes)}) { $ } }`, selection: 'status gasUsed from { address }' }),
  ],
  [
    'receipts, of which one is not there',
    'watch',
    'chain',
    () => ({
      ...RECEIPT,
      query: `{ outcomes(hashes: ${list([...hashes, hashOf(1)])}) { $ } }`,
      selection: 'transactionHash succeeded logs { data } transaction { value } block { number }',
    }),
  ],
];

describe('the one graph and a router give the same answer to', () => {
  test.each(rows)('%s', async (_what, from, to, crossing) => {
    const one = await executors.graph!(singleGraphQuery(crossing()));
    const other = await executeFederated(crossing(), executors[from]!, executors[to]!);
    expect(one.errors).toEqual([]);
    expect(other.all.length).toBeGreaterThan(0);
    expect(other).toMatchObject({ data: one.data, errors: [] });
  });

  test('what is refused', async () => {
    const crossing = {
      ...ACCOUNT,
      query: `{ accounts(addresses: ["${addressOf(1)}"], at: "yesterday") { $ } }`,
      selection: 'balance',
    };
    const one = await executors.graph!(singleGraphQuery(crossing));
    const other = await executeFederated(crossing, executors.watch!, executors.chain!);
    expect(one.data).toEqual(other.data);
    const message = "BAD_USER_INPUT A reference's `_at` is the hash or the height of a block, as 0x-hex.";
    expect([one.errors, other.errors]).toEqual([[`accounts.0: ${message}`], [`_entities.0: ${message}`]]);
  });
});

const many = Array.from({ length: 100 }, (_, i) => addressOf(i + 1));
const entities = (type: string, selection: string) =>
  `query ($all: [_Any!]!) { _entities(representations: $all) { ... on ${type} { ${selection} } } }`;

describe('the cost of', () => {
  test('100 representations of accounts at a block is one POST with 100 calls', async () => {
    const all = many.map((address) => ({ __typename: 'Account', address, _at: block.hash }));
    const { data, errors } = await executors.chain!(entities('Account', 'balance'), undefined, { all });
    expect([data._entities.length, errors]).toEqual([100, []]);
    expect(proxy.takeCounts()).toEqual({ http: 1, calls: 100, methods: { eth_getBalance: 100 } });
  });

  test('100 representations at the head is that, after the head', async () => {
    const all = many.map((address) => ({ __typename: 'Account', address, _at: null }));
    await executors.chain!(entities('Account', 'balance code'), undefined, { all });
    expect(proxy.takeCounts()).toEqual({
      http: 2,
      calls: 201,
      methods: { eth_getBlockByNumber: 1, eth_getBalance: 100, eth_getCode: 100 },
    });
  });

  test('100 accounts over a border of the one graph is one POST', async () => {
    const { errors } = await executors.graph!(`{ accounts(addresses: ${list(many)}, at: "${block.hash}") { balance } }`);
    expect(errors).toEqual([]);
    expect(proxy.takeCounts()).toEqual({ http: 1, calls: 100, methods: { eth_getBalance: 100 } });
  });

  test('100 balances of one token over a border of the one graph is one POST with one call', async () => {
    const accounts = many.map(
      (address, i) => `a${i}: account(address: "${address}") { tokenBalance(contract: "${contracts()[0]}") { tokenBalance } }`,
    );
    const { errors } = await executors.graph!(`{ block(number: 2) { ${accounts.join(' ')} } }`);
    expect(errors).toEqual([]);
    expect(proxy.takeCounts()).toEqual({ http: 2, calls: 2, methods: { eth_getBlockByNumber: 1, eth_call: 1 } });
  });

  test.each([
    ['accounts', () => `accounts(addresses: ${list(many)}) { address key }`],
    ['blocks', () => 'blocksSeen(numbers: [1, 2, 100000]) { number __typename }'],
    ['transactions', () => `sent(hashes: ${list(hashes)}) { hash }`],
    ['receipts', () => `outcomes(hashes: ${list(hashes)}) { transactionHash }`],
  ])('%s of which the key alone is asked is nothing', async (_what, query) => {
    expect((await executors.graph!(`{ ${query()} }`)).errors).toEqual([]);
    expect(proxy.takeCounts()).toEqual({ http: 0, calls: 0, methods: {} });
  });

  test('entities of several types at once is one POST, each asked for what is selected of its own', async () => {
    const all = [
      { __typename: 'Account', address: addressOf(1), _at: block.hash },
      { __typename: 'Block', number: block.number },
      { __typename: 'Transaction', hash: hashes[0] },
    ];
    const source = entities('Account', 'balance } ... on Block { transactionCount } ... on Transaction { status');
    expect((await executors.chain!(source, undefined, { all })).errors).toEqual([]);
    const methods = { eth_getBalance: 1, eth_getBlockTransactionCountByNumber: 1, eth_getTransactionReceipt: 1 };
    expect(proxy.takeCounts()).toEqual({ http: 1, calls: 3, methods });
  });
});

describe('before a node that reads state by height alone,', () => {
  test('an account that is named with the hash of its block is read at the height of that block', async () => {
    proxy.intercept = ({ method, params }) =>
      method === 'eth_getBalance' && typeof params[1] === 'object'
        ? { error: { code: -32602, message: 'invalid argument 1' } }
        : undefined;
    const all = accountAddresses().map((address) => ({ __typename: 'Account', address, _at: block.hash }));
    const { data, errors } = await executors.chain!(entities('Account', 'balance'), undefined, { all });
    proxy.intercept = undefined;
    expect(errors).toEqual([]);
    const { data: right } = await executors.graph!(
      `{ accounts(addresses: ${list(accountAddresses())}, at: "${block.number}") { balance } }`,
    );
    expect(data._entities).toEqual(right.accounts);
  });
});
