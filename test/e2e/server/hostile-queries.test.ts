import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { isErrorCode } from '../../../src/errors.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { startGraph } from '../../support/graph/running-graph.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Attack documents against the built program with default limits: each is rejected before any upstream request. */
let setup: DevnetSetup;

beforeAll(async () => {
  // A busy machine must not cause TIMEOUT.
  setup = await startDevnetSetup({ OPERATION_TIMEOUT_MS: '60000' });
  // Open ranges end at the head, so they need a long chain.
  await setup.rpc('anvil_mine', '0xc8');
  await waitUntil(
    async () => Number((await setup.graph.execute('{ block { number } }')).data.block.number) > 200,
    'the graph has the head',
  );
});

afterAll(() => setup?.stop());

beforeEach(() => {
  setup.proxy.takeCounts();
});

const KIB = 1024;
const repeat = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join(' ');
const nest = (count: number, open: string, inside: string) => `${`${open} { `.repeat(count)}${inside}${' }'.repeat(count)}`;
/** Fragments of which each spreads the next one `times` times. */
const bomb = (count: number, times: number, spread: (name: string) => string) =>
  `{ block { ...F0 } } ${repeat(count, (i) => `fragment F${i} on Block { ${repeat(times, () => spread(`F${i + 1}`))} }`)}
  fragment F${count} on Block { hash }`;
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** As JSON text: JSON.stringify overflows the stack at such depths. */
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const address = (i: number) => `0x${(i + 1).toString(16).padStart(40, '0')}`;
const ranges = (count: number) => `{ ${repeat(count, (i) => `a${i}: blocks(from: ${i}) { hash }`)} }`;
const around = (times: number, inside: string) =>
  `{ block(number: 20) { ${nest(times, 'transactions { block', inside).replaceAll(' }', ' } }')} } }`;

interface HostileQuery {
  readonly query?: string;
  readonly variables?: unknown;
  readonly operationName?: string;
}

const COMPLEX = 'QUERY_TOO_COMPLEX';
const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const UNPARSED = 'GRAPHQL_PARSE_FAILED';
const UNUSABLE = 'BAD_USER_INPUT';
const TOO_LARGE = 'PAYLOAD_TOO_LARGE';

const of = (query: string, more: Omit<HostileQuery, 'query'> = {}): HostileQuery => ({ query, ...more });
const NUMBER = 'query ($n: Long) { block(number: $n) { hash } }';

const hostileQueries: [name: string, code: string, attack: HostileQuery | string, limit?: string][] = [
  ['10,000 aliases', COMPLEX, of(`{ ${repeat(10_000, (i) => `a${i}: chainID`)} }`), 'MAX_TOKENS'],
  ['1,000 aliases', COMPLEX, of(`{ block { ${repeat(1_000, (i) => `a${i}: hash`)} } }`), 'MAX_ALIASES'],
  ['1,000 aliases of __typename', COMPLEX, of(`{ block { ${repeat(1_000, (i) => `a${i}: __typename`)} } }`), 'MAX_ALIASES'],
  [
    '40 aliases in a fragment that is spread 40 times',
    COMPLEX,
    of(`{ block { ${repeat(40, () => '...F')} } } fragment F on Block { ${repeat(40, (i) => `a${i}: hash`)} }`),
    'MAX_ALIASES',
  ],
  ['5,000 nested fields', COMPLEX, of(`{ ${nest(5_000, 'block', 'hash')} }`)],
  ['800 nested fields', COMPLEX, of(`{ block { ${nest(800, 'parent', 'hash')} } }`), 'MAX_DEPTH'],
  ['13 nested fields', COMPLEX, of(`{ block { ${nest(11, 'parent', 'hash')} } }`), 'MAX_DEPTH'],
  ['depth hidden in fragments', COMPLEX, of(bomb(12, 1, (name) => `parent { ...${name} }`)), 'MAX_DEPTH'],
  ['1,500 nested inline fragments on an unknown field', INVALID, of(`{ ${nest(1_500, '...', 'nothing')} }`)],
  ['a document of opening braces', COMPLEX, of('{ a '.repeat(60_000))],
  ['fragments that double 30 times', COMPLEX, of(bomb(30, 2, (name) => `...${name}`))],
  ['fragments that double inside fields', COMPLEX, of(bomb(10, 8, (name) => `parent { ...${name} }`))],
  ['fragments of many aliases that multiply', COMPLEX, of(bomb(9, 9, (name) => `a${name}: parent { ...${name} }`))],
  ['a fragment that spreads itself', INVALID, of('{ block { ...A } } fragment A on Block { parent { ...A } }')],
  [
    'fragments in a ring',
    INVALID,
    of('{ block { ...A } } fragment A on Block { ...B } fragment B on Block { ...C } fragment C on Block { hash ...A }'),
  ],
  ['1,000 fragments', COMPLEX, of(`{ chainID } ${repeat(600, (i) => `fragment F${i} on Query { chainID }`)}`), 'MAX_FRAGMENTS'],
  ['10,000 directives', COMPLEX, of(`{ chainID ${'@include(if: true) '.repeat(10_000)} }`), 'MAX_TOKENS'],
  ['500 directives', COMPLEX, of(`{ chainID ${'@include(if: true) '.repeat(500)} }`), 'MAX_DIRECTIVES'],
  ['500 unknown directives', COMPLEX, of(`{ chainID ${repeat(500, (i) => `@d${i}`)} }`), 'MAX_DIRECTIVES'],
  ['@defer', INVALID, of('{ block { ... @defer { hash } } }')],
  ['@stream', INVALID, of('{ blocks(from: 0) @stream(initialCount: 1) { hash } }')],
  ['10,000 fields at the root', COMPLEX, of(`{ ${'chainID '.repeat(10_000)} }`), 'MAX_TOKENS'],
  ['4,000 fields at the root', COMPLEX, of(`{ ${'chainID '.repeat(4_000)} }`), 'MAX_ROOT_FIELDS'],
  [
    '300 fields at the root behind a fragment',
    COMPLEX,
    of(`{ ...F } fragment F on Query { ${'gasPrice '.repeat(300)} }`),
    'MAX_ROOT_FIELDS',
  ],
  ['100 ranges of blocks', COMPLEX, of(ranges(100)), 'MAX_COST'],
  [
    'the parents of a range with their transactions and receipts',
    COMPLEX,
    of(
      `{ blocks(from: 0) { ${nest(5, 'parent', 'transactions { value } receipts { status }').replace('parent {', 'parent { transactions { value }')} } }`,
    ),
    'MAX_COST',
  ],
  ['transactions of blocks of transactions of blocks', COMPLEX, of(around(4, 'hash')), 'MAX_COST'],
  [
    'an expensive operation among cheap ones',
    COMPLEX,
    of(`query Cheap { chainID } query Dear ${ranges(100)}`, { operationName: 'Dear' }),
    'MAX_COST',
  ],
  [
    'balances of 60 holders in 100 tokens each',
    COMPLEX,
    of(
      `query ($c: [Address!]!) { ${repeat(60, (i) => `a${i}: account(address: "${address(i)}") { tokenBalances(contracts: $c) { balance { raw } } }`)} }`,
      { variables: { c: Array.from({ length: 100 }, (_, i) => address(i)) } },
    ),
    'MAX_COST',
  ],
  [
    '30 lists of 100 tokens, and their accounts',
    COMPLEX,
    of(
      `query ($c: [Address!]!) { ${repeat(30, (i) => `a${i}: tokens(addresses: $c) { name totalSupply { value } account { balance } }`)} }`,
      { variables: { c: Array.from({ length: 100 }, (_, i) => address(i)) } },
    ),
    'MAX_COST',
  ],
  ['an integer of 100,000 digits', INVALID, of(`{ block(number: ${'9'.repeat(100_000)}) { hash } }`)],
  ['an integer of 100,000 digits in text', INVALID, of(`{ block(number: "${'9'.repeat(100_000)}") { hash } }`)],
  ['an integer of 100,000 digits in a variable', UNUSABLE, of(NUMBER, { variables: { n: '9'.repeat(100_000) } })],
  ['an integer of 100,000 hex digits in a variable', UNUSABLE, of(NUMBER, { variables: { n: `0x${'f'.repeat(100_000)}` } })],
  ['an address of 200 KiB', INVALID, of(`{ account(address: "${'x'.repeat(200 * KIB)}") { balance } }`)],
  [
    'an address variable of 200 KiB',
    UNUSABLE,
    of('query ($a: Address!) { account(address: $a) { balance } }', { variables: { a: 'x'.repeat(200 * KIB) } }),
  ],
  ['an unterminated string', UNPARSED, of(`{ account(address: "${'x'.repeat(200 * KIB)} } }`)],
  ['the same variable 500 times', COMPLEX, of(`query (${repeat(500, () => '$n: Long')}) { block(number: $n) { hash } }`)],
  ['the same variable twice', INVALID, of('query ($n: Long, $n: Long) { block(number: $n) { hash } }')],
  ['1,000 variables', COMPLEX, of(`query (${repeat(1_000, (i) => `$n${i}: Long`)}) { chainID }`)],
  [
    '200 invalid variables',
    UNUSABLE,
    of(`query (${repeat(200, (i) => `$n${i}: Long`)}) { ${repeat(200, (i) => `a${i}: block(number: $n${i}) { hash }`)} }`, {
      variables: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n${i}`, 'x'.repeat(1_000)])),
    }),
  ],
  [
    '1,000 invalid values in a variable',
    UNUSABLE,
    of('query ($f: FilterCriteria!) { logs(filter: $f) { index } }', {
      variables: { f: { addresses: Array.from({ length: 1_000 }, (_, i) => `wrong ${i}`) } },
    }),
  ],
  ['variables 10,000 levels deep', COMPLEX, `{"query":"${NUMBER}","variables":{"n":${deep(10_000)}}}`],
  ['unused variables 20 levels deep', COMPLEX, `{"query":"${NUMBER}","variables":{"n":1,"unused":${deep(20)}}}`],
  ['extensions 10,000 levels deep', COMPLEX, `{"query":"{ chainID }","extensions":${deep(10_000)}}`],
  ['a list literal 100 levels deep', COMPLEX, of(`{ logs(filter: { topics: ${lists(100)} }) { index } }`)],
  ['a list literal 2,400 levels deep', COMPLEX, of(`{ logs(filter: { topics: ${lists(2_400)} }) { index } }`)],
  [
    'a default value 100 levels deep',
    COMPLEX,
    of(`query ($f: FilterCriteria! = { topics: ${lists(100)} }) { logs(filter: $f) { index } }`),
  ],
  ['a variable of 1,000 list types', COMPLEX, of(`query ($a: ${'['.repeat(1_000)}Long${']'.repeat(1_000)}) { chainID }`)],
  [
    'introspection that recurses',
    INVALID,
    of(`{ __schema { types { ${nest(4, 'fields { type', 'name').replaceAll(' }', ' } }')} } } }`),
  ],
  ['introspection 60 levels deep', COMPLEX, of(`{ __type(name: "Block") { ${nest(60, 'ofType', 'name')} } }`)],
  ['the whole schema 20 times', COMPLEX, of(`{ ${repeat(20, (i) => `a${i}: __schema { types { name } }`)} }`)],
  ['4,000 unknown fields', COMPLEX, of(`{ ${repeat(4_000, (i) => `x${i}`)} }`), 'MAX_ROOT_FIELDS'],
  ['4,000 unknown fields of a block', INVALID, of(`{ block { ${repeat(4_000, (i) => `x${i}`)} } }`)],
  ['2,000 unknown arguments', INVALID, of(`{ block(${repeat(1_600, (i) => `x${i}: 1`)}) { hash } }`)],
  ['a field with a name of 200 KiB', INVALID, of(`{ ${'x'.repeat(200 * KIB)} }`)],
  ['a type with a name of 200 KiB', INVALID, of(`query ($n: ${'X'.repeat(200 * KIB)}) { block(number: $n) { hash } }`)],
  ['200 KiB of names beyond ASCII', UNPARSED, of(`{ ${'é𝒳'.repeat(30_000)} }`)],
  ['200 KiB of byte order marks', UNPARSED, of('\ufeff'.repeat(60_000))],
  ['200 KiB of comment', UNPARSED, of(`# ${'x'.repeat(200 * KIB)}`)],
  ['60,000 comments', UNPARSED, of('#\n'.repeat(60_000))],
  [
    '1,000 operations',
    COMPLEX,
    of(
      repeat(1_000, (i) => `query Q${i} { chainID }`),
      { operationName: 'Q1' },
    ),
  ],
  ['1,000 type definitions', INVALID, of(`{ chainID } ${repeat(1_000, (i) => `scalar S${i}`)}`)],
  [
    'an operationName of 200 KiB',
    'OPERATION_RESOLUTION_FAILURE',
    of('query A { chainID }', { operationName: 'A'.repeat(200 * KIB) }),
  ],
  [
    'an operation name of 200 KiB in the document',
    'OPERATION_RESOLUTION_FAILURE',
    of(`query ${'A'.repeat(200 * KIB)} { chainID }`),
  ],
  [
    'an operationName with other characters',
    'OPERATION_RESOLUTION_FAILURE',
    of('query A { chainID }', { operationName: '<script>' }),
  ],
  ['an operationName of 1 MiB', TOO_LARGE, of('query A { chainID }', { operationName: 'A'.repeat(KIB * KIB) })],
  ['a document of 1 MiB', TOO_LARGE, of(`{ ${'chainID '.repeat(128 * KIB)} }`)],
  [
    'the same field with other arguments, 400 times',
    INVALID,
    of(`{ block { ${repeat(400, (i) => `account(address: "0x${String(i).padStart(40, '0')}") { balance }`)} } }`),
  ],
];

const send = (url: string, body: unknown) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('the table of hostile queries has at least 40 rows', () => {
  expect(hostileQueries.length).toBeGreaterThanOrEqual(40);
});

// Each row has all values: jest would pass its callback for a missing one.
const rows = hostileQueries.map(([name, code, attack, setting]) => [name, code, attack, setting ?? ''] as const);

test.each(rows)('%s is rejected with %s before any upstream request', async (_name, code, attack, setting) => {
  const response = await send(setup.graph.url, attack);
  const text = await response.text();
  expect(response.status).toBe(code === TOO_LARGE ? 413 : 400);
  expect(text.length).toBeLessThan(16 * KIB);
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors: { message: string; extensions: any }[] };
  expect(data).toBeUndefined();
  expect(errors.length).toBeLessThanOrEqual(10);
  expect(errors.map(({ extensions }) => isErrorCode(extensions.code))).toEqual(errors.map(() => true));
  expect(errors[0]!.extensions).toMatchObject({ code, retryable: false, source: 'graph', requestId: expect.any(String) });
  expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(300);
  expect(text).not.toMatch(/call stack|stacktrace|\.ts:|\.js:/);
  if (setting) {
    expect(errors[0]!.message).toContain(`(${setting})`);
    expect(errors[0]!.extensions.actual).toBeGreaterThan(errors[0]!.extensions.limit);
    if (setting === 'MAX_COST') {
      const { mostExpensivePath, share } = errors[0]!.extensions;
      expect(errors[0]!.message).toContain(`\`${mostExpensivePath}\``);
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThanOrEqual(1);
    }
  }
  expect(setup.proxy.takeCounts().http).toBe(0);
});

test('a list of operations as body is rejected', async () => {
  const response = await send(
    setup.graph.url,
    Array.from({ length: 1_000 }, () => ({ query: '{ chainID }' })),
  );
  expect(response.status).toBe(400);
  expect((await response.text()).length).toBeLessThan(KIB);
  expect(setup.proxy.takeCounts().http).toBe(0);
});

/** Queries whose length the document does not bound, so they run; MAX_COST bounds their calls, and nearly all of these are equal. */
test.each([
  [
    '100 searches for logs with their blocks',
    `{ ${repeat(100, (i) => `a${i}: logs(filter: { fromBlock: ${i} }) { block { size } }`)} }`,
  ],
  ['balances of all senders of many blocks', '{ blocks(from: 0, to: 99) { transactions { from { balance } } } }'],
  ['whole blocks around each log of a range', '{ logs(filter: { fromBlock: 0 }) { block { transactions { value } } } }'],
])('%s costs few upstream calls', async (_name, query) => {
  const { status, errors } = await setup.graph.execute(query);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  expect(setup.proxy.takeCounts().calls).toBeLessThan(500);
});

test.each([
  ['as written', '{ blocks(from: 0, to: "9223372036854775808") { hash } }', {}],
  ['by variables', 'query ($a: Long, $b: Long) { blocks(from: $a, to: $b) { hash } }', { a: 0, b: '0x7fffffffffffffff' }],
  ['by a default', 'query ($b: Long = "0x7fffffffffffffff") { blocks(from: 0, to: $b) { hash } }', {}],
])('blocks from 0 to 2^63 exceed MAX_BLOCKS without an upstream call: %s', async (_how, query, variables) => {
  const { status, errors } = await setup.graph.execute(query, variables);
  expect(status).toBe(200);
  expect(errors).toMatchObject([{ extensions: { code: 'RESULT_TOO_LARGE', limit: 100 } }]);
  expect(errors![0]!.extensions.actual).toBeLessThan(1_000);
  expect(setup.proxy.takeCounts().calls).toBe(0);
});

const accounts = (count: number, fields: string) =>
  `{ ${repeat(count, (i) => `a${i}: account(address: "${address(i)}") { ${fields} }`)} }`;

const TRANSACTION = `hash nonce index from { address } to { address } value gasPrice gas inputData type status gasUsed effectiveGasPrice`;
const RECEIPT =
  'transactionHash status gasUsed cumulativeGasUsed effectiveGasPrice logs { index account { address } topics data }';

test.each([
  ["GraphiQL's introspection", getIntrospectionQuery()],
  [
    "GraphiQL's introspection with all that it can ask",
    getIntrospectionQuery({
      descriptions: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
    }),
  ],
  ['100 accounts with all their fields but one', accounts(100, 'address balance transactionCount code')],
  [
    '20 blocks with transactions, receipts and logs',
    `{ blocks(from: 4, to: 23) { hash transactions { ${TRANSACTION} } receipts { ${RECEIPT} } } }`,
  ],
  [
    'all blocks that there may be at once, with what is in them',
    '{ blocks(from: 0, to: 99) { transactions { value } receipts { status } } }',
  ],
  [
    'the logs of the chain with their transactions and blocks',
    '{ logs(filter: { fromBlock: 0, toBlock: 31 }) { data transaction { hash value } block { timestamp } } }',
  ],
  ['the balance of everyone who sent in a block', '{ block(number: 20) { transactions { value from { address balance } } } }'],
  ['200 values of one block under names of their own', `{ block(number: 20) { ${repeat(200, (i) => `a${i}: hash`)} } }`],
])('%s is executed although it is large', async (_name, query) => {
  const { status, errors } = await setup.graph.execute(query);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
});

test('a message about an invalid variable names the expected type and truncates the value', async () => {
  const { errors } = await setup.graph.execute(NUMBER, { n: '9'.repeat(5_000) });
  expect(errors![0]!.message).toMatch(/^Variable "\$n" got invalid value "9+ … .*Long takes an integer .* "42" or "0x2a"\.$/);
});

test('a configured limit is enforced, and ERROR_STATUS=eip1767 returns 400 for each response with errors', async () => {
  const strict = await startGraph({
    RPC_URL: setup.proxy.url,
    ERROR_STATUS: 'eip1767',
    MAX_DEPTH: '3',
    MAX_ALIASES: '1',
    MAX_COST: '10',
  });
  const partly = '{ chainID block(number: 1, tag: LATEST) { hash } }';
  const answer = await strict.execute(partly);
  expect(answer).toMatchObject({ status: 400, data: { chainID: '0x7a69', block: null } });
  expect((await setup.graph.execute(partly)).status).toBe(200);
  expect((await strict.execute('{ chainID }')).status).toBe(200);
  expect((await strict.execute('{ nothing }')).status).toBe(400);
  const persisted = await send(strict.url, { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab' } } });
  expect(persisted.status).toBe(400);
  for (const [query, name, limit, actual] of [
    ['{ block { parent { parent { hash } } } }', 'MAX_DEPTH', 3, 4],
    ['{ a: chainID b: chainID }', 'MAX_ALIASES', 1, 2],
    ['{ blocks(from: 1, to: 20) { number } }', 'MAX_COST', 10, 21],
  ] as const) {
    const { errors } = await strict.execute(query);
    expect(errors![0]!.message).toContain(name);
    expect(errors![0]!.extensions).toMatchObject({ code: COMPLEX, limit, actual });
  }
});
