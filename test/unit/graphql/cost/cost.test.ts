import { describe, expect, test } from '@jest/globals';
import { getNamedType, isCompositeType, type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { proofOf } from '../../../../src/domains/chain/account/methods.ts';
import { logsBy } from '../../../../src/domains/chain/log/methods.ts';
import { countFilterValues, type LogRange, toRpcLogFilter } from '../../../../src/ethereum/log-filters.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import type { PricedOperation } from '../../../../src/graphql/cost/operation-reader.ts';
import { composeSchema, subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { addressOf, hashOf } from '../../../support/upstream/rpc-fixtures.ts';

const schema = composeSchema(domains);
const subgraph = subgraphSchema(domains);
const weights = Object.assign({}, ...domains.map((domain) => domain.weights));
const HEAD = 1_000;
const NO_HEAD = undefined;
const ISSUE = 'number transactions { hash status logs { data account { address token { symbol } } } }';
const ADDRESS = (i: number) => `"0x${i.toString(16).padStart(40, '0')}"`;
const repeat = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join(' ');

const priced = (query: string, variables: Record<string, unknown> = {}): PricedOperation => {
  const document = parse(query);
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables };
};

const pricerFor = (MAX_COST = 5_000) => createOperationPricer({ MAX_COST, MAX_BLOCKS: 100 }, weights);

const estimate = (query: string, head: number | undefined, variables = {}): number =>
  pricerFor().estimate(priced(query, variables), { head });

/** Returns the part of the cost that can reject an operation, from the error with a limit of 0. */
function stated(query: string, head: number | undefined, variables = {}): GraphError['extensions'] {
  try {
    pricerFor(0).check(priced(query, variables), () => ({ head }));
  } catch (error) {
    if (error instanceof GraphError) return error.extensions;
    throw error;
  }
  return { actual: 0 };
}

test('balances of named contracts cost a small part of the balances of all listed tokens', () => {
  const balances = (args: string) =>
    estimate(`{ account(address: ${ADDRESS(1)}) { tokenBalances${args} { tokenBalance } } }`, HEAD);
  expect(balances(`(contracts: [${ADDRESS(2)}])`)).toBeLessThan(balances('') / 100);
});

describe('pricing of block ranges', () => {
  test.each<[string, string, string, object?]>([
    [
      'an open range of blocks',
      `{ blocks(from: ${HEAD - 4}) { number } }`,
      `{ blocks(from: ${HEAD - 4}, to: ${HEAD}) { number } }`,
    ],
    [
      'a range that ends above the head',
      `{ blocks(from: ${HEAD - 4}, to: 5000) { number } }`,
      `{ blocks(from: ${HEAD - 4}, to: ${HEAD}) { number } }`,
    ],
    [
      'an open range by a variable',
      'query ($n: Long) { blocks(from: $n) { number } }',
      `{ blocks(from: ${HEAD - 1}, to: ${HEAD}) { number } }`,
      { n: `0x${(HEAD - 1).toString(16)}` },
    ],
    [
      'logs from a height',
      `{ logs(filter: { fromBlock: ${HEAD - 1} }) { block { size } } }`,
      `{ logs(filter: { fromBlock: ${HEAD - 1}, toBlock: ${HEAD} }) { block { size } } }`,
    ],
    [
      'logs without a range, which are the logs of the head,',
      '{ logs(filter: {}) { block { size } } }',
      `{ logs(filter: { fromBlock: ${HEAD}, toBlock: ${HEAD} }) { block { size } } }`,
    ],
  ])('operation pricer prices %s like the equivalent closed range', (_case, open, closed, variables = {}) => {
    expect(estimate(open, HEAD, variables)).toBe(estimate(closed, NO_HEAD));
    expect(estimate(open, NO_HEAD, variables)).toBeGreaterThanOrEqual(estimate(open, HEAD, variables));
  });

  test('operation pricer prices a block range above the head as empty', () => {
    expect(estimate(`{ blocks(from: ${HEAD + 1}, to: ${HEAD + 50}) { ${ISSUE} } }`, HEAD)).toBe(0);
    expect(estimate(`{ blocks(from: ${HEAD + 1}) { ${ISSUE} } }`, HEAD)).toBe(0);
    // The log request itself may still be sent.
    expect(estimate(`{ logs(filter: { fromBlock: ${HEAD + 1} }) { block { size } } }`, HEAD)).toBe(20);
  });

  test('operation pricer uses the block of the request as the head', () => {
    const query = `{ blocks(from: ${HEAD - 99}) { size } }`;
    expect([HEAD, HEAD - 98].map((head) => estimate(query, head))).toEqual([102, 3]);
  });
});

test.each(['balance', 'storageProof { value }'])('a proof costs its storage keys when `%s` is selected', (fields) => {
  const keys = repeat(100, (i) => `"${hashOf(i)}"`);
  const proof = `{ account(address: ${ADDRESS(1)}) { proof(storageKeys: [${keys}]) { ${fields} } } }`;
  expect(estimate(proof, HEAD)).toBeGreaterThanOrEqual(proofOf.cost(addressOf(1), 'latest', many(hashOf)));
});

test('a block is assumed to have 200 transactions', () => {
  expect(estimate(`{ blocks(from: ${HEAD - 1}) { transactionHashes } }`, HEAD)).toBe(7);
});

describe('token reads', () => {
  const logsOf = (addresses: string) =>
    `{ logs(filter: { fromBlock: 1, toBlock: 900, addresses: ${addresses} }) { account { token { symbol name } } } }`;
  const withoutTokens = (addresses: string) => logsOf(addresses).replace('token { symbol name }', 'address address address');

  test('token reads below logs cost one read per contract of the filter', () => {
    const one = estimate(logsOf(`[${ADDRESS(1)}]`), HEAD) - estimate(withoutTokens(`[${ADDRESS(1)}]`), HEAD);
    const two =
      estimate(logsOf(`[${ADDRESS(1)}, ${ADDRESS(2)}]`), HEAD) - estimate(withoutTokens(`[${ADDRESS(1)}, ${ADDRESS(2)}]`), HEAD);
    expect([one, two]).toEqual([3, 6]);
  });

  test('token reads cost one read per distinct contract of an operation', () => {
    const contracts = Array.from({ length: 50 }, (_, i) => ADDRESS(i));
    const once = `a: tokens(addresses: [${contracts.join()}]) { symbol }`;
    expect(estimate(`{ ${once} }`, NO_HEAD)).toBe(151);
    expect(estimate(`{ ${once} ${once.replace('a:', 'b:')} }`, NO_HEAD)).toBe(152);
  });

  test('token reads cost at most one read per log, however many contracts the filter names', () => {
    const contracts = Array.from({ length: 500 }, (_, i) => ADDRESS(i));
    const query = `{ block { logs(filter: { addresses: [${contracts.join()}] }) { account { token { symbol } } } } }`;
    const withoutToken = query.replace('token { symbol }', 'address address');
    expect(estimate(query, NO_HEAD) - estimate(withoutToken, NO_HEAD)).toBe(3 * 200);
  });

  test('token reads cost nothing when only the address is selected', () => {
    expect(estimate(`{ token(address: ${ADDRESS(1)}) { address } }`, NO_HEAD)).toBe(1);
  });
});

/** 40 digits of 1. */
const ACCOUNT = `"0x${'1'.repeat(40)}"`;

test.each<[string, string, number, Record<string, unknown>?]>([
  ['an account by its address', `{ account(address: ${ACCOUNT}) { address } }`, 1],
  ['three state fields of an account', `{ account(address: ${ACCOUNT}) { balance code transactionCount } }`, 5],
  [
    'two reads of a contract',
    `{ account(address: ${ACCOUNT}) { a: read(function: "f()()") { status } b: read(function: "g()()") { status } } }`,
    21,
  ],
  ['a read of the miner of each block', '{ blocks(from: 1, to: 10) { miner { read(function: "f()()") { status } } } }', 111],
  ['a bloom filter, by its length', '{ block { logsBloom } }', 2],
  ['ten blocks', '{ blocks(from: 1, to: 10) { number } }', 11],
  ['blocks by variables', 'query ($a: Long, $b: Long) { blocks(from: $a, to: $b) { number } }', 21, { a: '0x1', b: 20 }],
  ['blocks with an inverted range', '{ blocks(from: 9, to: 3) { number } }', 0],
  ['the transaction hashes of a block', '{ block { transactions { hash } } }', 6],
  ['the transactions of a block', '{ block { transactions { value } } }', 26],
  ['receipt fields of the transactions of a block', '{ block { transactions { status gasUsed } receipts { status } } }', 32],
  ['the block of each transaction', '{ block { transactions { block { timestamp } } } }', 8],
  ['logs with their transactions', '{ logs(filter: {}) { transaction { value } } }', 535],
  ['a log subscription with the block of each log', 'subscription { logs { data block { timestamp } } }', 2],
  ['a log subscription with the transaction of each log', 'subscription { logs { transaction { value nonce } } }', 2],
  [
    'a watched transaction with its receipt',
    `subscription { transactionStatus(hash: "0x${'1'.repeat(64)}") { status receipt { gasUsed } } }`,
    3,
  ],
  ['an operation with an excluded field', 'query ($no: Boolean!) { chainID block @include(if: $no) { hash } }', 2, { no: false }],
  ['a field that @skip excludes', '{ chainID block @skip(if: true) { hash } }', 2],
  ['a field that @skip and @include select', '{ chainID block @skip(if: false) @include(if: true) { hash } }', 3],
  ['fragments with and without a type', '{ block { ... { gasUsed } ...F } } fragment F on Block { transactions { value } }', 26],
  ['the type names of 100 blocks', '{ blocks(from: 1, to: 100) { __typename } }', 102],
  ['the type names of 100 blocks, twice', '{ blocks(from: 1, to: 100) { a: __typename b: __typename } }', 103],
  ['a page of heights: the values', '{ blocksConnection(first: 10) { nodes { number } } }', 1],
  ['a page of blocks: a call for each', '{ blocksConnection(first: 10) { nodes { gasUsed } } }', 11],
  ['a page of the default size', '{ blocksConnection { edges { node { gasUsed } } } }', 52],
  ['a page above the limit: the limit', '{ blocksConnection(first: 100000) { nodes { gasUsed } } }', 103],
  ['a page of full blocks', '{ blocksConnection(first: 10) { nodes { transactions { value } } } }', 251],
  ['the last blocks', '{ blocks(last: 10) { gasUsed } }', 11],
  ['a block by time: a search', '{ block(timestamp: 0) { gasUsed } }', 27],
  ["a page of a block's hashes", '{ block { transactionsConnection(first: 100) { nodes { hash } } } }', 4],
  ["a page of a block's transactions", '{ block { transactionsConnection(first: 100) { nodes { value } } } }', 24],
  ["a filtered page of a block's hashes", '{ block { transactionsConnection(first: 1, filter: {}) { totalCount } } }', 22],
  ['a page of transactions: a search and a full block', '{ transactionsConnection(first: 100) { nodes { value } } }', 43],
])('operation pricer estimates the cost of %s', (_case, query, expected, variables = {}) => {
  expect(estimate(query, NO_HEAD, variables)).toBe(expected);
});

describe('pages', () => {
  test('a page size multiplies the entries of a connection, not its other fields', () => {
    expect(estimate('{ wizards(first: 500) { totalCount pageInfo { hasNextPage } } }', NO_HEAD)).toBe(21);
    expect(estimate('{ wizards(first: 500) { nodes { id } edges { node { id } } } }', NO_HEAD)).toBe(46);
    expect(estimate('{ wizards { ... on WizardConnection { nodes { id } } } }', NO_HEAD)).toBe(22);
  });

  test('the blocks below wizards cost their own receipts', () => {
    const query = '{ wizards(first: 10) { nodes { createdBlock { receipts { status } } } } }';
    expect(estimate(query, NO_HEAD)).toBe(20 + 10 + 200 + 41);
    expect(estimate(query.replace('10', '0'), NO_HEAD)).toBe(21);
  });
});

describe('long lists in log filters', () => {
  const TOPIC = (i: number) => `0x${i.toString(16).padStart(64, '0')}`;
  const topics = (count: number) => Array.from({ length: count }, (_none, i) => TOPIC(i));
  const search = (count: number) =>
    `query ($t: [[Bytes32!]!]) { ${repeat(count, (i) => `a${i}: logs(filter: { fromBlock: ${i}, toBlock: 900, topics: $t }) { data }`)} }`;

  test('150 searches with 3,500 topics of one variable fail with QUERY_TOO_COMPLEX, which names the path', () => {
    const pricer = pricerFor();
    const check = () => pricer.check(priced(search(150), { t: [topics(3_500)] }));
    expect(check).toThrow(/`logs`/);
    expect(stated(search(150), HEAD, { t: [topics(3_500)] })).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      mostExpensivePath: 'logs',
    });
    expect(() => pricer.check(priced(search(1), { t: [topics(3_500)] }))).not.toThrow();
  });

  test.each<[string, string, Record<string, unknown>, number]>([
    ['topics of a variable', search(1), { t: [topics(50), [], topics(50)] }, 100],
    ['one topic instead of a list', search(1), { t: TOPIC(1) }, 1],
    [
      'addresses of a variable',
      'query ($a: [Address!]) { logs(filter: { fromBlock: 0, toBlock: 900, addresses: $a }) { data } }',
      { a: topics(100) },
      100,
    ],
    [
      'the whole filter of a variable',
      'query ($f: FilterCriteria!) { logs(filter: $f) { data } }',
      { f: { fromBlock: 0, toBlock: 900, addresses: topics(60), topics: [topics(40)] } },
      100,
    ],
    [
      'addresses of a default value',
      `query ($f: FilterCriteria! = { fromBlock: 0, toBlock: 900, addresses: [${repeat(100, ADDRESS)}] }) { logs(filter: $f) { data } }`,
      {},
      100,
    ],
    ['no filter', search(1), {}, 0],
  ])('a search costs 0.03 for each value of its filter: %s', (_case, query, variables, count) => {
    const withFilter = stated(query, HEAD, variables).actual as number;
    const without = stated('{ logs(filter: { fromBlock: 0, toBlock: 900 }) { data } }', HEAD).actual as number;
    // Both are rounded up.
    expect(Math.abs(withFilter - without - 0.03 * count)).toBeLessThan(1);
  });

  test('logs of blocks cost 0.03 for each value of the filter and each block', () => {
    const query = 'query ($t: [[Bytes32!]!]) { blocks(from: 1, to: 100) { logs(filter: { topics: $t }) { data } } }';
    const cost = (count: number) => stated(query, HEAD, { t: [topics(count)] }).actual as number;
    expect(cost(1_000) - cost(0)).toBe(3_000);
    expect(stated(query, HEAD, { t: [topics(1_000)] }).mostExpensivePath).toBe('blocks.logs');
  });

  test.each<[string, LogRange]>([
    ['a search', { fromBlock: '0x0', toBlock: '0x384' }],
    ['the logs of a block by height', { fromBlock: '0x1', toBlock: '0x1' }],
    ['the logs of a block by hash', { blockHash: TOPIC(1) }],
  ])('the counted cost of %s is at most the cost of its filter in the estimate', (_case, range) => {
    const filter = { addresses: [...topics(10), TOPIC(1)], topics: [topics(20), [], [TOPIC(5)]] };
    const base = logsBy.cost(toRpcLogFilter(range, {}));
    const counted = logsBy.cost(toRpcLogFilter(range, filter));
    // The repeated address is sent once.
    expect(counted - base).toBeCloseTo(0.03 * 31);
    expect(counted - base).toBeLessThanOrEqual(0.03 * countFilterValues(filter.addresses, filter.topics) + 0.001);
  });
});

describe('assumed cost', () => {
  test('assumed cost does not reject an operation', () => {
    const query = `{ blocks(from: ${HEAD - 19}) { transactions { from { balance } } } }`;
    expect(estimate(query, HEAD)).toBeGreaterThan(4_000);
    expect(stated(query, HEAD).actual).toBeLessThan(600);
    expect(() => pricerFor(600).check(priced(query), () => ({ head: HEAD }))).not.toThrow();
  });

  test('assumed number of response values can reject an operation, since no later limit counts them', () => {
    const nested = '{ block { transactions { block { transactions { block { transactions { hash } } } } } } }';
    expect(stated(nested, NO_HEAD).actual).toBeGreaterThan(80_000);
  });

  test('lists with an explicit length count as stated cost, not as assumed cost', () => {
    const pages = '{ wizards(first: 500) { nodes { duels(first: 100) { nodes { startBlock { timestamp } } } } } }';
    expect(stated(pages, NO_HEAD).actual).toBeGreaterThan(50_000);
    const balances = `query ($c: [Address!]!) { ${repeat(60, (i) => `a${i}: account(address: ${ADDRESS(i)}) { tokenBalances(contracts: $c) { tokenBalance } }`)} }`;
    const c = Array.from({ length: 100 }, (_, i) => ADDRESS(i).slice(1, -1));
    expect(stated(balances, NO_HEAD, { c }).actual).toBeGreaterThan(6_000);
  });
});

describe('pricing work', () => {
  test('operation pricer looks up no height for an operation that is cheap enough without it', () => {
    let lookups = 0;
    pricerFor().check(priced(`{ blocks(from: ${HEAD - 4}) { number } }`), () => {
      lookups += 1;
      return { head: HEAD };
    });
    expect(lookups).toBe(0);
  });

  test.each([
    ['query ($n: Long) { block(number: $n) { transactions { value } } }', false],
    [`query ($n: Address!) { account(address: $n) { balance } }`, false],
    ['query ($n: Long) { blocks(from: $n) { number } }', true],
  ])('operation pricer reads variables again only if they affect the price: %s, %s', (query, isReadAgain) => {
    let reads = 0;
    const variables = {
      get n() {
        reads += 1;
        return '0x1';
      },
    };
    const pricer = pricerFor();
    const operation = { ...priced(query), variables };
    pricer.check(operation);
    const before = reads;
    pricer.check(operation);
    expect(reads > before).toBe(isReadAgain);
  });
});

describe('QUERY_TOO_COMPLEX error', () => {
  test('QUERY_TOO_COMPLEX error has the most expensive path, its share and the setting', () => {
    const query = '{ chainID blocks(from: 1, to: 100) { number parent { transactions { value } } } }';
    const { code, limit, actual, setting, mostExpensivePath, share } = stated(query, NO_HEAD);
    expect({ code, limit, setting, mostExpensivePath }).toEqual({
      code: 'QUERY_TOO_COMPLEX',
      limit: 0,
      setting: 'MAX_COST',
      mostExpensivePath: 'blocks.parent.transactions.value',
    });
    expect(share).toBeCloseTo(2_200 / (actual as number), 2);
  });

  test.each([
    ['simulate', `{ simulate(calls: [${repeat(200, () => '{}')}]) { calls { status } } }`],
    ['logsConnection', '{ logsConnection(filter: { fromBlock: 1, toBlock: 9 }, first: 500) { nodes { data } } }'],
  ])('QUERY_TOO_COMPLEX error of %s advises to request less of the field', (path, query) => {
    expect(stated(query, NO_HEAD)).toMatchObject({ mostExpensivePath: path });
    expect(() => pricerFor(0).check(priced(query))).toThrow(`% of it is \`${path}\`; request less of it.`);
  });
});

/** An operation of a subgraph. */
const pricedEntities = (selection: string, all: unknown): PricedOperation => ({
  ...priced(`query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} } }`, { all }),
  schema: subgraph,
});
const estimateEntities = (selection: string, all: unknown): number => pricerFor().estimate(pricedEntities(selection, all));

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 100 }, (_none, i) => make(i + 1));
const accounts = many((i) => ({ __typename: 'Account', address: addressOf(i) }));
const duels = many((i) => ({ __typename: 'Duel', id: hashOf(i) }));
const blocks = many((i) => ({ __typename: 'Block', number: `0x${i.toString(16)}` }));

test.each<[string, string, unknown, number]>([
  ['100 balances', '... on Account { balance }', accounts, 102],
  ['100 addresses', '... on Account { address }', accounts, 2],
  ['100 duels', '... on Duel { affinity1 }', duels, 102],
  ['100 duels by their keys', '... on Duel { id }', duels, 2],
  ['100 blocks by their keys', '... on Block { number }', blocks, 2],
  ['100 blocks', '... on Block { number hash }', blocks, 103],
  ['100 blocks with their receipts', '... on Block { receipts { gasUsed } }', blocks, 100 + 100 * 20 + 1 + 100 * 200 * 0.02],
  [
    '100 transaction receipts',
    '... on Receipt { gasUsed }',
    many((i) => ({ __typename: 'Receipt', transactionHash: hashOf(i) })),
    102,
  ],
  ['100 transactions', '... on Transaction { value }', many((i) => ({ __typename: 'Transaction', hash: hashOf(i) })), 102],
  ['100 tokens', '... on Token { symbol }', many((i) => ({ __typename: 'Token', address: addressOf(i) })), 302],
  ['100 wizards', '... on Wizard { power }', many((i) => ({ __typename: 'Wizard', id: String(i) })), 12],
  ['100 unknown entities', '... on Account { balance }', many(() => ({ __typename: 'Nothing' })), 1],
  ['a value that is not a list', '... on Account { balance }', 'Account', 0],
  ['a list of null', '... on Account { balance }', [null], 1],
])('operation pricer prices %s by the selection of their type', (_case, selection, all, expected) => {
  expect(estimateEntities(selection, all)).toBe(Math.ceil(Number(expected.toFixed(6))));
});

test('operation pricer prices entities of several types each by its own fragments', () => {
  const selection = '... on Account { balance } ... on Block { hash }';
  const both = [...accounts, ...blocks];
  expect(estimateEntities(selection, both)).toBe(
    estimateEntities('... on Account { balance }', accounts) + estimateEntities('... on Block { hash }', blocks),
  );
  expect(estimateEntities('... on _Entity { ... on Account { balance } } ... on Header { hash }', accounts)).toBe(
    estimateEntities('... on Account { balance }', accounts),
  );
});

test('operation pricer rejects representations above MAX_COST with the path of the most expensive field', () => {
  expect(() => pricerFor(100).check(pricedEntities('... on Account { balance }', accounts))).toThrow(
    expect.objectContaining({
      code: 'QUERY_TOO_COMPLEX',
      extensions: expect.objectContaining({ limit: 100, actual: 102, mostExpensivePath: '_entities.balance' }),
    }),
  );
  expect(() => pricerFor(102).check(pricedEntities('... on Account { balance }', accounts))).not.toThrow();
});

test('a variable without a primitive value is priced for each argument of a query', () => {
  for (const field of Object.values(schema.getQueryType()!.getFields()))
    for (const { name, type } of field.args)
      for (const value of [{ toString: [] }, [{ toString: [] }], { valueOf: 1, toString: 1 }]) {
        const selection = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
        const cost = estimate(`query ($v: ${type}) { ${field.name}(${name}: $v) ${selection} }`, HEAD, { v: value });
        expect({ argument: `${field.name}(${name})`, isFinite: Number.isFinite(cost) }).toMatchObject({ isFinite: true });
      }
});

test.each([
  ['simulate(blocks: ITEM) { calls { status } }', `{ calls: [${repeat(300, () => '{ gas: 1 }')}] }`],
  ['blocks(numbers: ITEM) { number transactions { hash } }', '5'],
  [`account(address: ${ADDRESS(1)}) { storageMany(slots: ITEM) }`, `"${hashOf(1)}"`],
])('one item in place of a list costs as much as a list of one: %s', (query, item) => {
  const costOf = (value: string) => estimate(`{ ${query.replace('ITEM', value)} }`, HEAD);
  expect(costOf(item)).toBe(costOf(`[${item}]`));
});

test.each([
  ['topics', schema, 'query ($list: [[Bytes32!]!]!)', 'logs(filter: { topics: $list }) { index }', []],
  ['blocks of a simulation', schema, 'query ($list: [SimulatedBlockInput!])', 'simulate(blocks: $list) { calls { status } }', {}],
  ['representations', subgraph, 'query ($list: [_Any!]!)', '_entities(representations: $list) { __typename }', {}],
])('a list of %s is read once for all fields that share it', (_case, of, head, field, item) => {
  const readsFor = (count: number): number => {
    let reads = 0;
    const list = [item, item];
    Object.defineProperty(list, 1, {
      enumerable: true,
      get() {
        reads += 1;
        return item;
      },
    });
    pricerFor().estimate(
      { ...priced(`${head} { ${repeat(count, (i) => `a${i}: ${field}`)} }`, { list }), schema: of },
      { head: HEAD },
    );
    return reads;
  };
  expect(readsFor(20)).toBe(readsFor(1));
});

test('a field costs as much behind a page that names its contracts as in front of it', () => {
  const list = repeat(100, (i) => ADDRESS(i + 1));
  const tokens = `tokens(addresses: [${list}]) { name symbol decimals }`;
  // The page has no log, so it reads the metadata of no contract.
  const filter = `filter: { fromBlock: 0, toBlock: 9, addresses: [${list}] }`;
  const page = `logsConnection(first: 0, ${filter}) { nodes { account { token { name } } } }`;
  expect(estimate(`{ ${page} ${tokens} }`, HEAD)).toBe(estimate(`{ ${tokens} ${page} }`, HEAD));
});

test('transactions and blocks of the logs of duels cost as much as the duels are many', () => {
  const costOf = (fields: string, count: number) => estimate(`{ duels(first: ${count}) { nodes { ${fields} } } }`, HEAD);
  const transactions = 'startLog { transaction { value } }';
  expect(costOf(transactions, 101) - costOf(transactions, 1)).toBeGreaterThanOrEqual(100);
  const blocks = 'transaction { block { transactions { value } } }';
  expect(costOf(blocks, 101) - costOf(blocks, 1)).toBeGreaterThanOrEqual(2_000);
});
