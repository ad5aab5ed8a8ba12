import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { GraphQLSchema } from 'graphql';
import type { Devnet } from '../../devnet/src/index.ts';
import { readTokenLists } from '../../src/config/token-lists.ts';
import { chain } from '../../src/domains/chain/index.ts';
import { createChainLoaders } from '../../src/domains/chain/load.ts';
import { tokens } from '../../src/domains/tokens/index.ts';
import { createTokenLoaders } from '../../src/domains/tokens/loaders/index.ts';
import { composeSchema, subgraphSchema } from '../../src/graphql/federation/compose.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { ResponseDependencies } from '../../src/operation/response-dependencies.ts';
import { Snapshot } from '../../src/snapshot/index.ts';
import { createRpcNode } from '../../src/upstream/rpc/node.ts';
import { untilTestsEnd } from '../support/cleanups.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { createDomainFixture, createTestExecutor } from '../support/graph/domain-fixtures.ts';
import { type EntityQuery, executeFederated, singleGraphQuery } from '../support/graph/federated-query.ts';
import { NO_STREAMS } from '../support/graph/no-streams.ts';
import { addressOf, hashOf } from '../support/graph/stubbed-graph.ts';
import { unsyncedSources } from '../support/graph/unsynced-follower.ts';
import { type NodeProxy, startProxy } from '../support/proxies/node-proxy.ts';
import { log } from '../support/silent-log.ts';
import { startIdleFeed } from '../support/subscriptions/idle-feed.ts';

/** A domain that returns references to every entity of the chain domain. */
const referrer = createDomainFixture(
  'referrer',
  `
    type Block @key(fields: "number") { number: Long! }
    type Transaction @key(fields: "hash") { hash: Bytes32! }
    type Receipt @key(fields: "transactionHash") { transactionHash: Bytes32! }
    type Account @key(fields: "address _at") { address: Address! _at: String @inaccessible "Its key." key: String }
    type Query {
      blockReferences(numbers: [Long!]!): [Block]
      transactionReferences(hashes: [Bytes32!]!): [Transaction]
      receiptReferences(hashes: [Bytes32!]!): [Receipt]
      accounts(addresses: [Address!]!, at: String): [Account]
    }
  `,
  {
    Account: { key: ({ address, _at }: Record<string, string>) => `${address} at ${_at}` },
    Query: {
      blockReferences: (_query: unknown, { numbers }: { numbers: string[] }) => numbers.map((number) => ({ number })),
      receiptReferences: (_query: unknown, { hashes }: { hashes: string[] }) =>
        hashes.map((transactionHash) => ({ transactionHash })),
      transactionReferences: async (_query: unknown, { hashes }: { hashes: string[] }) => hashes.map((hash) => ({ hash })),
      accounts: (_query: unknown, { addresses, at }: { addresses: string[]; at?: string }) =>
        addresses.map((address) => ({ address, _at: at })),
    },
  },
);

let devnet: Devnet;
let proxy: NodeProxy;
const executors: Record<string, ReturnType<typeof createTestExecutor>> = {};
let block: { hash: string; number: string };
let hashes: string[];

beforeAll(async () => {
  devnet = await startTestDevnet();
  proxy = await startProxy(devnet.description.endpoints.http);
  const node = untilTestsEnd(createRpcNode({ urls: [proxy.url], maxBatchSize: 1_000, timeoutMs: 30_000, log }));
  const chainOf = createChainLoaders({
    streams: NO_STREAMS,
    maxBlocks: 100,
    maxLogs: 10_000,
    service: { version: '0.0.0', limits: [] },
    subscriptionSources: { feed: startIdleFeed().feed, snapshotSources: unsyncedSources(node) },
  });
  const tokensOf = createTokenLoaders({ enhancedMethods: 'plain', lists: readTokenLists([], []) });
  const executorOf = (schema: GraphQLSchema): ReturnType<typeof createTestExecutor> => {
    const execute = createTestExecutor(schema);
    return (source, _context, variables) => {
      const operation: Operation = {
        requestId: 'test',
        signal: AbortSignal.timeout(60_000),
        extensions: {},
        dependencies: new ResponseDependencies(),
      };
      const snapshot = new Snapshot(unsyncedSources(node), operation);
      return execute(source, { operation, chain: chainOf(snapshot), tokens: tokensOf(snapshot) }, variables);
    };
  };
  executors.graph = executorOf(composeSchema([chain, tokens, referrer]));
  for (const domain of [chain, tokens, referrer]) executors[domain.name] = executorOf(subgraphSchema([domain]));
  const { data } = await executors.graph(
    '{ block(number: 2) { hash number } last: block { transactionHashes } logs(filter: { fromBlock: 0 }) { transactionHash } }',
  );
  block = data.block;
  hashes = [...new Set<string>(data.logs.map((log: { transactionHash: string }) => log.transactionHash))].slice(0, 5);
});

beforeEach(() => {
  proxy.takeCounts();
});

const ACCOUNT = { entity: 'Account', key: 'address _at' };
const BLOCK = { entity: 'Block', key: 'number' };
const TRANSACTION = { entity: 'Transaction', key: 'hash' };
const RECEIPT = { entity: 'Receipt', key: 'transactionHash' };
const STATE = 'address balance transactionCount code';

/** A query over the data of the devnet, which is known once it has started. */
type Row = readonly [
  name: string,
  from: string,
  to: string,
  entity: Pick<EntityQuery, 'entity' | 'key'>,
  query: () => string,
  selection: string | (() => string),
];

const accountAddresses = () => devnet.description.accounts.map(({ address }) => address);
const contracts = () => devnet.description.contracts.map(({ address }) => address);
const list = (items: readonly string[]) => JSON.stringify(items);
const balances = () => `address tokenBalances(contracts: ${list(contracts())}) { tokenBalance error balance { raw value } }`;
const token = (selection: string) => `{ token(address: "${contracts()[0]}") { ${selection} } }`;
const account = (i: number) => `account(address: "${accountAddresses()[i]}") { $ }`;
const accountsAt = (at: string) => `{ accounts(addresses: ${list(accountAddresses())}, at: "${at}") { $ } }`;
const blocksOf = (numbers: string) => () => `{ blockReferences(numbers: [${numbers}]) { $ } }`;
const withUnknown = () => list([...hashes, hashOf(1)]);
const HOLDER = () => token(`balanceOf(owner: "${accountAddresses()[0]}", block: 1) { owner { $ } }`);
const TOKENS_AND_OTHER = () => `{ tokens(addresses: ${list([...contracts(), accountAddresses()[0]!])}) { account { $ } } }`;
const OTHER_HEIGHTS = '{ block(number: 3) { miner(block: 1) { $ } transactions { from(block: 2) { $ } to { $ } } } }';
const RECEIPT_FIELDS = 'transactionHash succeeded logs { data } transaction { value } block { number }';

const rows: readonly Row[] = [
  ['an account of a token', 'tokens', 'chain', ACCOUNT, () => token('account { $ }'), STATE],
  ['accounts of tokens, one of them without a token', 'tokens', 'chain', ACCOUNT, TOKENS_AND_OTHER, STATE],
  ['the holder of a balance in a past block', 'tokens', 'chain', ACCOUNT, HOLDER, STATE],
  ['balances at the head', 'chain', 'tokens', ACCOUNT, () => `{ ${account(0)} }`, balances],
  ['balances at a block', 'chain', 'tokens', ACCOUNT, () => `{ block(number: 2) { ${account(1)} } }`, balances],
  ['account references in the pending state', 'referrer', 'chain', ACCOUNT, () => accountsAt('pending'), STATE],
  ['balances at another height than the block', 'chain', 'tokens', ACCOUNT, () => OTHER_HEIGHTS, balances],
  [
    'the tokens of log accounts',
    'chain',
    'tokens',
    ACCOUNT,
    () => '{ logs(filter: { fromBlock: 0 }) { account { $ } } }',
    'token { address symbol decimals }',
  ],
  ['account references between two other domains', 'referrer', 'tokens', ACCOUNT, () => accountsAt(block.hash), balances],
  ['block references', 'referrer', 'chain', BLOCK, blocksOf('1, 2, 3'), 'number hash timestamp miner { address }'],
  [
    'block references with contents',
    'referrer',
    'chain',
    BLOCK,
    blocksOf('2, 3'),
    'transactions { value status } logs(filter: {}) { data }',
  ],
  [
    'transaction references',
    'referrer',
    'chain',
    TRANSACTION,
    () => `{ transactionReferences(hashes: ${withUnknown()}) { $ } }`,
    'hash value status block { number } from { balance }',
  ],
  [
    'receipt references, one of them unknown',
    'referrer',
    'chain',
    RECEIPT,
    () => `{ receiptReferences(hashes: ${withUnknown()}) { $ } }`,
    RECEIPT_FIELDS,
  ],
];

describe('router and single graph', () => {
  test.each(rows)('router returns the data of the single graph for %s', async (...row) => {
    const [, from, to, entity, queryOf, selection] = row;
    const query = { ...entity, query: queryOf(), selection: typeof selection === 'string' ? selection : selection() };
    const single = await executors.graph!(singleGraphQuery(query));
    const federated = await executeFederated(query, executors[from]!, executors[to]!);
    expect(single.errors).toEqual([]);
    expect(federated.all.length).toBeGreaterThan(0);
    expect(federated).toMatchObject({ data: single.data, errors: [] });
  });

  test('router returns the error of the single graph for an invalid reference', async () => {
    const query = {
      ...ACCOUNT,
      query: `{ accounts(addresses: ["${addressOf(1)}"], at: "yesterday") { $ } }`,
      selection: 'balance',
    };
    const single = await executors.graph!(singleGraphQuery(query));
    const federated = await executeFederated(query, executors.referrer!, executors.chain!);
    expect(single.data).toEqual(federated.data);
    const message = 'BAD_USER_INPUT Invalid `_at` in a reference. Pass the hash or the height of a block as 0x-hex.';
    expect([single.errors, federated.errors]).toEqual([[`accounts.0: ${message}`], [`_entities.0: ${message}`]]);
  });
});

const many = Array.from({ length: 100 }, (_, i) => addressOf(i + 1));
const entities = (type: string, selection: string) =>
  `query ($all: [_Any!]!) { _entities(representations: $all) { ... on ${type} { ${selection} } } }`;

describe('request counts of references', () => {
  test('100 account references at a block cost 1 POST with 100 calls', async () => {
    const all = many.map((address) => ({ __typename: 'Account', address, _at: block.hash }));
    const { data, errors } = await executors.chain!(entities('Account', 'balance'), undefined, { all });
    expect([data._entities.length, errors]).toEqual([100, []]);
    expect(proxy.takeCounts()).toEqual({ http: 1, calls: 100, methods: { eth_getBalance: 100 } });
  });

  test('100 account references at the head cost 2 POSTs, the first for the head', async () => {
    const all = many.map((address) => ({ __typename: 'Account', address, _at: null }));
    await executors.chain!(entities('Account', 'balance code'), undefined, { all });
    expect(proxy.takeCounts()).toEqual({
      http: 2,
      calls: 201,
      methods: { eth_getBlockByNumber: 1, eth_getBalance: 100, eth_getCode: 100 },
    });
  });

  test('100 balances of one token at a block cost 2 POSTs, one eth_call for all balances', async () => {
    const accounts = many.map(
      (address, i) => `a${i}: account(address: "${address}") { tokenBalance(contract: "${contracts()[0]}") { tokenBalance } }`,
    );
    const { errors } = await executors.graph!(`{ block(number: 2) { ${accounts.join(' ')} } }`);
    expect(errors).toEqual([]);
    expect(proxy.takeCounts()).toEqual({ http: 2, calls: 2, methods: { eth_getBlockByNumber: 1, eth_call: 1 } });
  });

  test.each([
    ['account references', () => `accounts(addresses: ${list(many)}) { address key }`],
    ['transaction references', () => `transactionReferences(hashes: ${list(hashes)}) { hash }`],
  ])('%s cost no POST if only the key is selected', async (_name, query) => {
    expect((await executors.graph!(`{ ${query()} }`)).errors).toEqual([]);
    expect(proxy.takeCounts()).toEqual({ http: 0, calls: 0, methods: {} });
  });

  test('references of several types cost 1 POST with the calls of their own selections', async () => {
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

describe('node without EIP-1898', () => {
  test('account reference by block hash is read at the height of the block if the node rejects block hashes', async () => {
    proxy.intercept = ({ method, params }) =>
      method === 'eth_getBalance' && typeof params[1] === 'object'
        ? { error: { code: -32602, message: 'invalid argument 1' } }
        : undefined;
    const all = accountAddresses().map((address) => ({ __typename: 'Account', address, _at: block.hash }));
    const { data, errors } = await executors.chain!(entities('Account', 'balance'), undefined, { all });
    proxy.intercept = undefined;
    expect(errors).toEqual([]);
    const { data: expected } = await executors.graph!(
      `{ accounts(addresses: ${list(accountAddresses())}, at: "${block.number}") { balance } }`,
    );
    expect(data._entities).toEqual(expected.accounts);
  });
});
