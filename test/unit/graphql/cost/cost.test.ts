import { describe, expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { logsBy } from '../../../../src/domains/chain/log/methods.ts';
import { countFilterValues, type LogRange, toRpcLogFilter } from '../../../../src/ethereum/log-filters.ts';
import { type ChainFacts, NO_CHAIN_FACTS } from '../../../../src/graphql/cost/field-cost.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import type { PricedOperation } from '../../../../src/graphql/cost/operation-reader.ts';
import { composeSchema } from '../../../../src/graphql/federation/compose.ts';
import { GraphError } from '../../../../src/lib/errors.ts';

const schema = composeSchema(domains);
const weights = Object.assign({}, ...domains.map((domain) => domain.weights));
const HEAD = 1_000;
/** Chain facts with only the head. */
const AT_HEAD: ChainFacts = { ...NO_CHAIN_FACTS, head: HEAD };
const ISSUE = 'number transactions { hash status logs { data account { address token { symbol } } } }';
const ADDRESS = (i: number) => `"0x${i.toString(16).padStart(40, '0')}"`;
const repeat = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join(' ');

const priced = (query: string, variables: Record<string, unknown> = {}): PricedOperation => {
  const document = parse(query);
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables };
};

const pricerFor = (facts: ChainFacts, MAX_COST = 5_000) =>
  createOperationPricer({ MAX_COST, MAX_BLOCKS: 100 }, weights, () => facts);

const estimate = (query: string, facts: ChainFacts, variables = {}): number =>
  pricerFor(facts).estimate(priced(query, variables));

/** Returns the part of the cost that can reject an operation, from the error with a limit of 0. */
function stated(query: string, facts: ChainFacts, variables = {}): GraphError['extensions'] {
  try {
    pricerFor(facts, 0).check(priced(query, variables));
  } catch (error) {
    if (error instanceof GraphError) return error.extensions;
    throw error;
  }
  return { actual: 0 };
}

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
      'logs from a height to a tag',
      `{ logs(filter: { fromBlock: ${HEAD - 1}, toBlockTag: LATEST }) { block { size } } }`,
      `{ logs(filter: { fromBlock: ${HEAD - 1}, toBlock: ${HEAD} }) { block { size } } }`,
    ],
    [
      'logs without a range, which are the logs of the head,',
      '{ logs(filter: {}) { block { size } } }',
      `{ logs(filter: { fromBlock: ${HEAD}, toBlock: ${HEAD} }) { block { size } } }`,
    ],
    [
      'logs from the first block',
      '{ logs(filter: { fromBlockTag: EARLIEST }) { block { size } } }',
      `{ logs(filter: { fromBlock: 0, toBlock: ${HEAD} }) { block { size } } }`,
    ],
  ])('operation pricer prices %s like the equivalent closed range', (_case, open, closed, variables = {}) => {
    expect(estimate(open, AT_HEAD, variables)).toBe(estimate(closed, NO_CHAIN_FACTS));
    expect(estimate(open, NO_CHAIN_FACTS, variables)).toBeGreaterThanOrEqual(estimate(open, AT_HEAD, variables));
  });

  test('operation pricer prices a block range above the head as empty', () => {
    expect(estimate(`{ blocks(from: ${HEAD + 1}, to: ${HEAD + 50}) { ${ISSUE} } }`, AT_HEAD)).toBe(0);
    expect(estimate(`{ blocks(from: ${HEAD + 1}) { ${ISSUE} } }`, AT_HEAD)).toBe(0);
    // The log request itself may still be sent.
    expect(estimate(`{ logs(filter: { fromBlock: ${HEAD + 1} }) { block { size } } }`, AT_HEAD)).toBe(20);
  });

  test('operation pricer uses the block of the request as the head', () => {
    const facts = (block: string | undefined): ChainFacts => ({
      ...NO_CHAIN_FACTS,
      head: block === undefined ? HEAD : Number(block),
    });
    const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, weights, facts);
    const query = priced(`{ blocks(from: ${HEAD - 99}) { size } }`);
    expect(pricer.estimate(query)).toBe(102);
    expect(pricer.estimate(query, `0x${(HEAD - 98).toString(16)}`)).toBe(3);
  });

  test('operation pricer prices an open range longer than MAX_BLOCKS as MAX_BLOCKS blocks', () => {
    expect(estimate('{ blocks(from: 5) { number } }', AT_HEAD)).toBe(102);
  });
});

describe('transaction count of a block', () => {
  const known = (changes: Partial<ChainFacts>): ChainFacts => ({ ...AT_HEAD, ...changes });
  const hashes = `{ blocks(from: ${HEAD - 1}) { transactionHashes } }`;

  test.each<[string, ChainFacts, number]>([
    ['is assumed to be 200 for an unknown block', AT_HEAD, 7],
    ['is that of the cached block', known({ transactionsAt: (height) => (height === HEAD ? 100 : 150) }), 5],
    ['is at most 200, so that a known block never raises a price', known({ transactionsAt: () => 1_000 }), 7],
    ['is bounded by the gas used of the block', known({ gasUsedAt: () => 50_000 }), 3],
    ['stays at 200 if the gas used allows more', known({ gasUsedAt: () => 30_000_000 }), 7],
  ])('transaction count of a block %s', (_case, facts, expected) => {
    expect(estimate(hashes, facts)).toBe(expected);
  });

  test('nested transaction lists are priced with the largest transaction count of the range', () => {
    const facts = known({ transactionsAt: (height) => (height === HEAD ? 240 : 0) });
    const nested = `{ blocks(from: ${HEAD - 99}, to: ${HEAD}) { transactions { block { transactions { block { transactions { hash } } } } } } }`;
    expect(stated(nested, facts).actual).toBeGreaterThan(240 ** 3 / 100);
  });

  test('operation pricer looks up the transaction count of a block once for any number of selections', () => {
    let lookups = 0;
    const transactionsAt = (): undefined => {
      lookups += 1;
    };
    const facts = known({ transactionsAt });
    estimate(`{ blocks(from: ${HEAD - 9}) { ${repeat(50, (i) => `a${i}: transactions { hash }`)} } }`, facts);
    expect(lookups).toBe(10);
  });
});

describe('token reads', () => {
  const logsOf = (addresses: string) =>
    `{ logs(filter: { fromBlock: 1, toBlock: 900, addresses: ${addresses} }) { account { token { symbol name } } } }`;
  const withoutTokens = (addresses: string) => logsOf(addresses).replace('token { symbol name }', 'address address address');

  test('token reads below logs cost one read per contract of the filter', () => {
    const one = estimate(logsOf(`[${ADDRESS(1)}]`), AT_HEAD) - estimate(withoutTokens(`[${ADDRESS(1)}]`), AT_HEAD);
    const two =
      estimate(logsOf(`[${ADDRESS(1)}, ${ADDRESS(2)}]`), AT_HEAD) -
      estimate(withoutTokens(`[${ADDRESS(1)}, ${ADDRESS(2)}]`), AT_HEAD);
    expect([one, two]).toEqual([3, 6]);
  });

  test('token reads cost one read per distinct contract of an operation', () => {
    const contracts = Array.from({ length: 50 }, (_, i) => ADDRESS(i));
    const once = `a: tokens(addresses: [${contracts.join()}]) { symbol }`;
    expect(estimate(`{ ${once} }`, NO_CHAIN_FACTS)).toBe(151);
    expect(estimate(`{ ${once} ${once.replace('a:', 'b:')} }`, NO_CHAIN_FACTS)).toBe(152);
  });

  test('token reads cost at most one read per log, however many contracts the filter names', () => {
    const contracts = Array.from({ length: 500 }, (_, i) => ADDRESS(i));
    const query = `{ block { logs(filter: { addresses: [${contracts.join()}] }) { account { token { symbol } } } } }`;
    const withoutToken = query.replace('token { symbol }', 'address address');
    expect(estimate(query, NO_CHAIN_FACTS) - estimate(withoutToken, NO_CHAIN_FACTS)).toBe(3 * 200);
  });

  test('token reads of a default value cost the length of that list', () => {
    expect(estimate(`query ($c: [Address!]! = [${ADDRESS(1)}]) { tokens(addresses: $c) { symbol } }`, NO_CHAIN_FACTS)).toBe(4);
  });

  test('token reads cost nothing when only the address is selected', () => {
    expect(estimate(`{ token(address: ${ADDRESS(1)}) { address } }`, NO_CHAIN_FACTS)).toBe(1);
  });
});

describe('pages', () => {
  test('a page size multiplies the entries of a connection, not its other fields', () => {
    expect(estimate('{ wizards(first: 500) { totalCount pageInfo { hasNextPage } } }', NO_CHAIN_FACTS)).toBe(21);
    expect(estimate('{ wizards(first: 500) { nodes { id } edges { node { id } } } }', NO_CHAIN_FACTS)).toBe(46);
    expect(estimate('{ wizards { ... on WizardConnection { nodes { id } } } }', NO_CHAIN_FACTS)).toBe(22);
  });

  test('the blocks below wizards cost their own receipts', () => {
    const query = '{ wizards(first: 10) { nodes { createdBlock { receipts { status } } } } }';
    expect(estimate(query, NO_CHAIN_FACTS)).toBe(20 + 10 + 200 + 41);
    expect(estimate(query.replace('10', '0'), NO_CHAIN_FACTS)).toBe(21);
  });
});

describe('long lists in log filters', () => {
  const TOPIC = (i: number) => `0x${i.toString(16).padStart(64, '0')}`;
  const topics = (count: number) => Array.from({ length: count }, (_none, i) => TOPIC(i));
  const search = (count: number) =>
    `query ($t: [[Bytes32!]!]) { ${repeat(count, (i) => `a${i}: logs(filter: { fromBlock: ${i}, toBlock: 900, topics: $t }) { data }`)} }`;

  test('150 searches with the same 3,500 topics in one variable are QUERY_TOO_COMPLEX, and the error names the path', () => {
    const pricer = pricerFor(AT_HEAD);
    const check = () => pricer.check(priced(search(150), { t: [topics(3_500)] }));
    expect(check).toThrow(/`logs`/);
    expect(stated(search(150), AT_HEAD, { t: [topics(3_500)] })).toMatchObject({
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
    const withFilter = stated(query, AT_HEAD, variables).actual as number;
    const without = stated('{ logs(filter: { fromBlock: 0, toBlock: 900 }) { data } }', AT_HEAD).actual as number;
    // Both are rounded up.
    expect(Math.abs(withFilter - without - 0.03 * count)).toBeLessThan(1);
  });

  test('logs of blocks cost 0.03 for each value of the filter and each block', () => {
    const query = 'query ($t: [[Bytes32!]!]) { blocks(from: 1, to: 100) { logs(filter: { topics: $t }) { data } } }';
    const cost = (count: number) => stated(query, AT_HEAD, { t: [topics(count)] }).actual as number;
    expect(cost(1_000) - cost(0)).toBe(3_000);
    expect(stated(query, AT_HEAD, { t: [topics(1_000)] }).mostExpensivePath).toBe('blocks.logs');
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
    expect(estimate(query, AT_HEAD)).toBeGreaterThan(4_000);
    expect(stated(query, AT_HEAD).actual).toBeLessThan(600);
    expect(() => pricerFor(AT_HEAD, 600).check(priced(query))).not.toThrow();
  });

  test.each([5, 6, 20, 100])('assumed cost does not reject token symbols below the logs of %i blocks', (count) => {
    expect(() => pricerFor(AT_HEAD, 6_000).check(priced(`{ blocks(from: ${HEAD - count + 1}) { ${ISSUE} } }`))).not.toThrow();
  });

  test('assumed number of response values can reject an operation, since no later limit counts them', () => {
    const nested = '{ block { transactions { block { transactions { block { transactions { hash } } } } } } }';
    expect(stated(nested, NO_CHAIN_FACTS).actual).toBeGreaterThan(80_000);
  });

  test('lists with an explicit length count as stated cost, not as assumed cost', () => {
    const pages = '{ wizards(first: 500) { nodes { duels(first: 100) { nodes { startBlock { timestamp } } } } } }';
    expect(stated(pages, NO_CHAIN_FACTS).actual).toBeGreaterThan(50_000);
    const balances = `query ($c: [Address!]!) { ${repeat(60, (i) => `a${i}: account(address: ${ADDRESS(i)}) { tokenBalances(contracts: $c) { tokenBalance } }`)} }`;
    const c = Array.from({ length: 100 }, (_, i) => ADDRESS(i).slice(1, -1));
    expect(stated(balances, NO_CHAIN_FACTS, { c }).actual).toBeGreaterThan(6_000);
  });
});

describe('pricing work', () => {
  test('operation pricer looks up no chain facts for an operation that is cheap enough without them', () => {
    let lookups = 0;
    const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, weights, () => {
      lookups += 1;
      return AT_HEAD;
    });
    pricer.check(priced(`{ blocks(from: ${HEAD - 4}) { number } }`));
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
    const pricer = pricerFor(AT_HEAD);
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
    const { code, limit, actual, setting, mostExpensivePath, share } = stated(query, NO_CHAIN_FACTS);
    expect({ code, limit, setting, mostExpensivePath }).toEqual({
      code: 'QUERY_TOO_COMPLEX',
      limit: 0,
      setting: 'MAX_COST',
      mostExpensivePath: 'blocks.parent.transactions.value',
    });
    expect(share).toBeCloseTo(2_200 / (actual as number), 2);
  });

  test.each([
    ['simulate.calls', `{ simulate(calls: [${repeat(200, () => '{}')}]) { calls { status } } }`],
    ['logsConnection', '{ logsConnection(filter: { fromBlock: 1, toBlock: 9 }, first: 500) { nodes { data } } }'],
  ])('QUERY_TOO_COMPLEX error of %s advises to request less of the field', (path, query) => {
    expect(stated(query, NO_CHAIN_FACTS)).toMatchObject({ mostExpensivePath: path });
    expect(() => pricerFor(NO_CHAIN_FACTS, 0).check(priced(query))).toThrow(`% of it is \`${path}\`; request less of it.`);
  });

  test('QUERY_TOO_COMPLEX error sums the cost of all aliases and fragments of a path', () => {
    const query = `{ gas: gasPrice ${repeat(30, (i) => `a${i}: block(number: ${i}) { ...F }`)} wizards(first: 500) { totalCount } } fragment F on Block { receipts { status } }`;
    expect(stated(query, NO_CHAIN_FACTS)).toMatchObject({ mostExpensivePath: 'block.receipts', share: expect.any(Number) });
  });
});
