export const KIB = 1024;
export const repeat = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join(' ');
const nest = (count: number, open: string, inside: string) => `${`${open} { `.repeat(count)}${inside}${' }'.repeat(count)}`;
/** Fragments that each spread the next one `times` times. */
const bomb = (count: number, times: number, spread: (name: string) => string) =>
  `{ block { ...F0 } } ${repeat(count, (i) => `fragment F${i} on Block { ${repeat(times, () => spread(`F${i + 1}`))} }`)}
  fragment F${count} on Block { hash }`;
const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
/** Nested objects as JSON text: `JSON.stringify` and `expect` overflow the stack at these depths. */
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
export const address = (i: number) => `0x${(i + 1).toString(16).padStart(40, '0')}`;
const CHECKSUMMED = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const ranges = (count: number) => `{ ${repeat(count, (i) => `a${i}: blocks(from: ${i}) { hash }`)} }`;
const around = (times: number, inside: string) =>
  `{ block(number: 20) { ${nest(times, 'transactions { block', inside).replaceAll(' }', ' } }')} } }`;

export interface HostileQuery {
  readonly query?: string;
  readonly variables?: unknown;
  readonly operationName?: string;
}

export const COMPLEX = 'QUERY_TOO_COMPLEX';
const INVALID = 'GRAPHQL_VALIDATION_FAILED';
const UNPARSED = 'GRAPHQL_PARSE_FAILED';
const UNUSABLE = 'BAD_USER_INPUT';
export const TOO_LARGE = 'PAYLOAD_TOO_LARGE';

const of = (query: string, more: Omit<HostileQuery, 'query'> = {}): HostileQuery => ({ query, ...more });
export const NUMBER = 'query ($n: Long) { block(number: $n) { hash } }';

/** Attack documents by name, each with the code of its rejection, the request (JSON text if a string) and the setting that rejects it. */
export const hostileQueries: [name: string, code: string, attack: HostileQuery | string, limit?: string][] = [
  ['10,000 aliases', COMPLEX, of(`{ ${repeat(10_000, (i) => `a${i}: chainID`)} }`), 'MAX_TOKENS'],
  ['1,000 aliases', COMPLEX, of(`{ block { ${repeat(1_000, (i) => `a${i}: hash`)} } }`), 'MAX_ALIASES'],
  [
    '40 aliases in a fragment that is spread 40 times',
    COMPLEX,
    of(`{ block { ${repeat(40, () => '...F')} } } fragment F on Block { ${repeat(40, (i) => `a${i}: hash`)} }`),
    'MAX_ALIASES',
  ],
  ['5,000 fields inside each other', COMPLEX, of(`{ ${nest(5_000, 'block', 'hash')} }`)],
  ['13 fields inside each other', COMPLEX, of(`{ block { ${nest(11, 'parent', 'hash')} } }`), 'MAX_DEPTH'],
  ['depth that is hidden in fragments', COMPLEX, of(bomb(12, 1, (name) => `parent { ...${name} }`)), 'MAX_DEPTH'],
  ['1,500 inline fragments inside each other, on a wrong field', INVALID, of(`{ ${nest(1_500, '...', 'nothing')} }`)],
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
  ['500 directives that there are not', COMPLEX, of(`{ chainID ${repeat(500, (i) => `@d${i}`)} }`), 'MAX_DIRECTIVES'],
  ['@defer', INVALID, of('{ block { ... @defer { hash } } }')],
  ['@stream', INVALID, of('{ blocks(from: 0) @stream(initialCount: 1) { hash } }')],
  ['10,000 fields at the root', COMPLEX, of(`{ ${'chainID '.repeat(10_000)} }`), 'MAX_TOKENS'],
  ['100 ranges of blocks', COMPLEX, of(ranges(100)), 'MAX_COST'],
  ['transactions of blocks of transactions of blocks', COMPLEX, of(around(4, 'hash')), 'MAX_COST'],
  [
    'a costly operation among cheap ones',
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
  ['an integer of 100,000 digits', INVALID, of(`{ block(number: ${'9'.repeat(100_000)}) { hash } }`)],
  ['an integer of 100,000 digits in a variable', UNUSABLE, of(NUMBER, { variables: { n: '9'.repeat(100_000) } })],
  ['text of 200 KiB where an address belongs', INVALID, of(`{ account(address: "${'x'.repeat(200 * KIB)}") { balance } }`)],
  ['text without an end', UNPARSED, of(`{ account(address: "${'x'.repeat(200 * KIB)} } }`)],
  ['the same variable 500 times', COMPLEX, of(`query (${repeat(500, () => '$n: Long')}) { block(number: $n) { hash } }`)],
  ['1,000 variables', COMPLEX, of(`query (${repeat(1_000, (i) => `$n${i}: Long`)}) { chainID }`)],
  [
    '200 variables that are wrong',
    UNUSABLE,
    of(`query (${repeat(200, (i) => `$n${i}: Long`)}) { ${repeat(200, (i) => `a${i}: block(number: $n${i}) { hash }`)} }`, {
      variables: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n${i}`, 'x'.repeat(1_000)])),
    }),
  ],
  [
    '20,000 values in a variable',
    COMPLEX,
    of('query ($w: [ID!]) { duels(filter: { wizardIds: $w }) { totalCount } }', {
      variables: { w: Array.from({ length: 20_000 }, () => 1) },
    }),
  ],
  [
    '2,500 addresses with a checksum in a variable',
    COMPLEX,
    of('query ($c: [Address!]!) { tokens(addresses: $c) { symbol } }', {
      variables: { c: Array.from({ length: 2_500 }, () => CHECKSUMMED) },
    }),
  ],
  ['variables 10,000 levels deep', COMPLEX, `{"query":"${NUMBER}","variables":{"n":${deep(10_000)}}}`],
  ['variables 20 levels deep that nothing uses', COMPLEX, `{"query":"${NUMBER}","variables":{"n":1,"unused":${deep(20)}}}`],
  ['extensions 10,000 levels deep', COMPLEX, `{"query":"{ chainID }","extensions":${deep(10_000)}}`],
  ['a list literal 100 levels deep', COMPLEX, of(`{ logs(filter: { topics: ${lists(100)} }) { index } }`)],
  ['a variable of 1,000 list types', COMPLEX, of(`query ($a: ${'['.repeat(1_000)}Long${']'.repeat(1_000)}) { chainID }`)],
  [
    'introspection that recurses',
    INVALID,
    of(`{ __schema { types { ${nest(4, 'fields { type', 'name').replaceAll(' }', ' } }')} } } }`),
  ],
  ['introspection 60 levels deep', COMPLEX, of(`{ __type(name: "Block") { ${nest(60, 'ofType', 'name')} } }`)],
  ['the whole schema 20 times', COMPLEX, of(`{ ${repeat(20, (i) => `a${i}: __schema { types { name } }`)} }`)],
  ['4,000 unknown fields of a block', INVALID, of(`{ block { ${repeat(4_000, (i) => `x${i}`)} } }`)],
  ['2,000 unknown arguments', INVALID, of(`{ block(${repeat(1_600, (i) => `x${i}: 1`)}) { hash } }`)],
  ['a field with a name of 200 KiB', INVALID, of(`{ ${'x'.repeat(200 * KIB)} }`)],
  ['200 KiB of names beyond ASCII', UNPARSED, of(`{ ${'é𝒳'.repeat(30_000)} }`)],
  ['200 KiB of comment', UNPARSED, of(`# ${'x'.repeat(200 * KIB)}`)],
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
    'a name of an operation that is 200 KiB long',
    'OPERATION_RESOLUTION_FAILURE',
    of('query A { chainID }', { operationName: 'A'.repeat(200 * KIB) }),
  ],
  ['a name of an operation that is 1 MiB long', TOO_LARGE, of('query A { chainID }', { operationName: 'A'.repeat(KIB * KIB) })],
  ['a document of 1 MiB', TOO_LARGE, of(`{ ${'chainID '.repeat(128 * KIB)} }`)],
  [
    'the same field with other arguments, 400 times',
    INVALID,
    of(`{ block { ${repeat(400, (i) => `account(address: "0x${String(i).padStart(40, '0')}") { balance }`)} } }`),
  ],
];
