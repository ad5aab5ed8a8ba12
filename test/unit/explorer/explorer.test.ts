import { expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { columnDecimal, columnFormat, feeColumn, formatPower, shortDecimal } from '../../../explorer/components/format.ts';
import { meaningOf, sharedName } from '../../../explorer/data/argument-values.ts';
import { connectionOf, describeConnection } from '../../../explorer/data/connection.ts';
import { addHead, type HeadBlock, type HeadRow, MAX_HEADS, withoutRemoved } from '../../../explorer/data/heads.ts';
import { adjacentPages, pageArguments } from '../../../explorer/data/paging.ts';
import { earliestBlock, isMissing, problemOf } from '../../../explorer/data/problems.ts';
import { revertText } from '../../../explorer/data/revert-text.ts';
import { matchingNames, parseSearch, searchTextOf, searchVariables } from '../../../explorer/data/search-text.ts';
import { transfersOf } from '../../../explorer/data/transfers.ts';
import { mergeRemovedRows } from '../../../explorer/data/undoable-rows.ts';
import { ofChain, onChain } from '../../../explorer/graph/chain-document.ts';
import { graphql } from '../../../explorer/graph/documents.ts';
import { withoutInvalidFragments } from '../../../explorer/graph/optional-fragments.ts';

const block = (number: number, branch = 'a'): HeadBlock => ({
  number,
  hash: `${number}${branch}`,
  timestamp: '0x0',
  gasUsed: 0,
  gasLimit: 1,
  baseFeePerGas: null,
  transactionCount: 0,
});
const labels = (rows: readonly HeadRow[]) => rows.map(({ block, isRemoved }) => `${block.hash}${isRemoved ? ' removed' : ''}`);
const add = (...blocks: HeadBlock[]) => blocks.reduce<readonly HeadRow[]>(addHead, []);

test('heads of another branch mark the blocks that they replace as removed, until these are canonical again', () => {
  const rows = add(block(1), block(2), block(3), block(2, 'b'), block(3, 'b'), block(4, 'b'));
  expect(labels(rows)).toEqual(['4b', '3b', '2b', '3a removed', '2a removed', '1a']);
  expect(labels(withoutRemoved(rows))).toEqual(['4b', '3b', '2b', '1a']);
  expect(labels(add(block(1), block(2), block(3), block(2, 'b')))).toEqual(['2b', '3a removed', '2a removed', '1a']);
  expect(labels(add(block(1), block(2), block(2, 'b'), block(2), block(3)))).toEqual(['3a', '2a', '2b removed', '1a']);
});

test('list of heads has a maximum length', () => {
  expect(add(...Array.from({ length: MAX_HEADS + 5 }, (_, number) => block(number)))).toHaveLength(MAX_HEADS);
});

test('a row of a removed block stays while the block is listed as removed, beside the equal row of its new block', () => {
  const [mined, moved, other] = [
    { hash: 'x', block: '2a' },
    { hash: 'x', block: '3b' },
    { hash: 'y', block: '1a' },
  ];
  const merge = (removed: readonly string[]) =>
    mergeRemovedRows(
      [moved!, other!],
      [mined!, other!],
      new Set(removed),
      ({ hash }) => hash,
      ({ block }) => block,
    ).map(({ key, isRemoved }) => `${key}${isRemoved ? ' removed' : ''}`);
  expect(merge(['2a'])).toEqual(['x 2a removed', 'x 3b', 'y 1a']);
  expect(merge([])).toEqual(['x 3b', 'y 1a']);
});

const schema = buildSchema('type Query { block(number: Int): Block } type Block { id: ID, number: Int }');

/** The errors of a document as a server returns them. */
const errorsOf = (text: string) =>
  validate(schema, parse(text)).map((error) => ({ ...error.toJSON(), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }));

/** The text of a document that the schema of the client does not have. */
const documentOf = (text: string, fragments: readonly string[] = []): string =>
  String((graphql as unknown as (text: string, fragments: readonly string[]) => string)(text, fragments));

const DUELS = documentOf(`
  fragment BlockDuels on Block @_unmask {
    duels { id }
  }
`);
const WIZARD = documentOf(`
  fragment FoundWizard on Query @_unmask {
    wizard(id: $text) @include(if: $isNumber) { id }
  }
`);

test('document without the fragments that the schema lacks is valid, without their variables', () => {
  const text = documentOf(
    `
    query Search($number: Int, $text: ID!, $isNumber: Boolean!) {
      block(number: $number) {
        number
        ...BlockDuels
      }
      ...FoundWizard
    }
  `,
    [DUELS, WIZARD],
  );
  const valid = withoutInvalidFragments(text, errorsOf(text));
  expect(valid).toBe('query Search($number: Int) {\n  block(number: $number) {\n    number\n  }\n}');
  expect(errorsOf(valid!)).toEqual([]);
});

test('a document on another chain selects the same fields of this chain, and its result is that of the document', () => {
  const text = documentOf('\n  query Search($id: ID!) {\n    block {\n      number\n    }\n    ...FoundWizard\n  }\n', [WIZARD]);
  expect(onChain(text).replace(/\s+/g, ' ')).toBe(
    'query Search($chain: ChainId!, $id: ID!) { chain(id: $chain) { block { number } ...FoundWizard } } ' +
      'fragment FoundWizard on Chain { wizard(id: $text) @include(if: $isNumber) { id } }',
  );
  expect(onChain('query Head {\n  block { number }\n}')).toBe(
    'query Head($chain: ChainId!) {\n  chain(id: $chain) {\n    block { number }\n  }\n}',
  );
  const error = { message: 'failed', path: ['chain', 'block', 'number'] };
  expect(ofChain({ data: { chain: { block: null } }, errors: [error] })).toEqual({
    data: { block: null },
    errors: [{ message: 'failed', path: ['block', 'number'] }],
  });
});

test('document that has an error outside of its fragments is not changed', () => {
  const text = documentOf('\n  query Home {\n    duels { id }\n    block { ...BlockDuels }\n  }\n', [DUELS]);
  expect(withoutInvalidFragments(text, errorsOf(text))).toBeNull();
  expect(withoutInvalidFragments('query { block { number } }', [])).toBeNull();
});

test('error that is not a validation error changes no document', () => {
  const errors = [{ message: '', locations: [{ line: 3 }], extensions: { code: 'UPSTREAM_TIMEOUT' } }];
  expect(withoutInvalidFragments(documentOf('\n  query A {\n    a\n  }\n', [DUELS]), errors)).toBeNull();
});

const token = { address: '0xt', symbol: 'MANA', decimals: 18 };
const log = (id: string, signature: string, third: string, ofToken: typeof token | null = token) => ({
  id,
  account: { address: '0xc', label: 'Wizards', token: ofToken },
  decoded: {
    signature,
    arguments: ['from', 'to', third].map((name, index) => ({ name, value: String(index) })),
  },
});
const TRANSFER = 'Transfer(address,address,uint256)';
const parties = { from: { address: '0' }, to: { address: '1' } };

test('transfers of a transaction are its value and the events of tokens', () => {
  const logs = [
    log('a', TRANSFER, 'value'),
    log('b', 'Approval(address,address,uint256)', 'value'),
    log('c', TRANSFER, 'tokenId', null),
    // EIP-7708: the value of the transaction again.
    { ...log('d', TRANSFER, 'value'), account: { address: `0x${'f'.repeat(39)}e`, label: null } },
  ];
  const ends = { from: { address: '0x1' }, to: { address: '0x2' }, createdContract: null };
  expect(transfersOf({ valueIn: '1.5', status: '0x1', ...ends, logs })).toEqual([
    { key: 'ether', from: { address: '0x1' }, to: { address: '0x2' }, amount: '1.5', token: null, isId: false },
    { key: 'a', ...parties, amount: '2', token, isId: false },
    { key: 'c', ...parties, amount: '2', token: { address: '0xc', symbol: 'Wizards', decimals: null }, isId: true },
  ]);
  // A transaction that is reverted keeps its value, and transfers nothing.
  for (const change of [
    { valueIn: '1.5', status: '0x0' },
    { valueIn: '0', status: '0x1' },
  ])
    expect(transfersOf({ ...change, ...ends, logs: null })).toEqual([]);
});

test('text of a revert is the text of Error(string), and null for any other payload', () => {
  const word = (hex: string) => hex.padStart(64, '0');
  const text = Buffer.from('insufficient balance').toString('hex');
  expect(revertText(`0x08c379a0${word('20')}${word('14')}${text.padEnd(64, '0')}`)).toBe('insufficient balance');
  expect(revertText('0x')).toBeNull();
  expect(revertText(`0x4e487b71${word('11')}`)).toBeNull();
});

const [hash, path] = ['Ab', 'ab'].map((byte) => `0x${byte.repeat(32)}`) as [string, string];
const kindOf = (text: string) => parseSearch(text).kind;
const [mana, pool] = [
  ['MANA', 'Mana'],
  [null, 'Mana pool'],
].map((names) => ({ names }));
const inTournament = (name: string, type: string, value: string) =>
  meaningOf({ name, type, value }, { isTournament: true, token: null, signature: '' });
const inToken = (value: string, signature = TRANSFER) =>
  meaningOf({ name: 'value', type: 'uint256', value }, { isTournament: false, token, signature });
const APPROVE = 'approve(address,uint256)';
const nameIn = (context: object) => sharedName(1, { isTournament: false, token: null, signature: APPROVE, ...context });
const header = (change: object) => {
  const facts = {
    isConnected: true,
    lostAt: 1_000,
    retryAt: 9_000,
    hasResponded: true,
    nodeSilentSince: null,
    isServerSilent: false,
    ...change,
  };
  return describeConnection(connectionOf(facts), 6_000, 'block 254').join(' ');
};
const problemWith = (code: string, source = 'node') => problemOf({ extensions: { code, source } });
const pageInfo = { startCursor: 's', endCursor: 'e', hasNextPage: true, hasPreviousPage: true };

test.each<readonly [name: string, actual: unknown, expected: unknown]>([
  ['large amount is rounded', shortDecimal('10001.79'), '10,001.8'],
  ['small amount is rounded', shortDecimal('0.000123456'), '0.0001235'],
  ['rounding carries', shortDecimal('999999.96'), '1,000,000'],
  [
    'numbers of a column',
    ['1.5', '10001.796', '0', '0.000123', '0.000000000000000001'].map((text) => columnDecimal(text, 2)),
    ['1.50', '10,001.80', '0', '0.00012', '<0.00000001'],
  ],
  ['decimal places of a column', ['7', '40.5', '1000.1234'].map(columnFormat(['7', '40.5'], 6)), ['7.0', '40.5', '1,000.1']],
  ['fees of a column', ['25000000', '7'].map(feeColumn(['25000000', '7'])), ['0.025 gwei', '7 wei']],
  ['power has one decimal place', formatPower('854980000000000000000'), '855.0'],
  ['lost power has a minus sign', formatPower('-666900000000000000000'), '−666.9'],
  [
    'kinds of a search',
    ['43', hash, '0x12', 'duel 0x1…cd', '0x1…cd', 'mage'].map(kindOf),
    ['number', 'hash', 'invalid', 'shortened', 'shortened', 'name'],
  ],
  [
    'number as the pages show it',
    ['#20', '1,000'].map(parseSearch),
    ['20', '1000'].map((number) => ({ kind: 'number', number })),
  ],
  ['search for a block with separators', parseSearch('block 1,000'), { kind: 'path', path: '/block/1000' }],
  ['text in the path of a search', ['/search/%2320', '/search/100%'].map(searchTextOf), ['#20', '100%']],
  ['search for a wizard', parseSearch(' Wizard #43'), { kind: 'path', path: '/wizard/43' }],
  ['search for a duel', parseSearch(`duel ${hash}`), { kind: 'path', path: `/duel/${path}` }],
  ['search prefers equal names', matchingNames([mana!, pool!], 'mana'), [mana]],
  ['search finds parts of names', matchingNames([mana!, pool!], 'ana'), [mana, pool]],
  ['affinity has a name', inTournament('affinity1', 'uint8', '2'), { kind: 'text', text: 'fire' }],
  [
    'moves have names',
    inTournament('moveSet', 'bytes32', '0x0203040203'),
    { kind: 'text', text: 'fire, wind, water, fire, wind' },
  ],
  ['wizard is a link', inTournament('wizardId2', 'uint256', '7'), { kind: 'wizard' }],
  ['amount has the unit of its token', inToken(`${2n ** 255n}`), { kind: 'amount', decimals: 18, symbol: 'MANA' }],
  ['only approvals are unlimited', inToken(`${2n ** 255n}`, APPROVE), { kind: 'text', text: 'unlimited MANA' }],
  ['contract names shared arguments', [{ token }, { isTournament: true }, {}].map(nameIn), ['value', 'tokenId', null]],
  ['header of a live page', header({}), 'live block 254'],
  ['header without the node', header({ nodeSilentSince: 0 }), 'node not responding since 6 s, block 254'],
  ['header of a frozen server', header({ nodeSilentSince: 0, isServerSilent: true }), 'server unreachable reconnecting'],
  ['header without the server', header({ isConnected: false }), 'server unreachable reconnecting in 3 s'],
  ['node that does not respond', problemWith('UPSTREAM_UNAVAILABLE'), 'node'],
  ['node that rejects a request', problemWith('UPSTREAM_ERROR'), 'other'],
  ['wizard service that does not respond', problemWith('UPSTREAM_TIMEOUT', 'wizard'), 'service'],
  ['history that the node has pruned', problemWith('HISTORY_PRUNED'), 'pruned'],
  ['cursor of a removed block', problemWith('CURSOR_EXPIRED'), 'expired'],
  ['earliest block of an error', [[{ extensions: { earliest: '0x200' } }], [{}]].map(earliestBlock), [512, null]],
  [
    'values that are missing because of an error',
    ['token', 'token.transfers', 'token.transfer', 'sent'].map((place) =>
      isMissing([{ path: ['token', 'transfers', 0] }], place),
    ),
    [true, true, false, false],
  ],
  ['page of a cursor', pageArguments('?events=before.a.b', 'events', 5), { last: 5, before: 'a.b' }],
  ['pages beside the newest page', adjacentPages(pageInfo, true, false), { older: 'before.s', newer: undefined }],
])('%s', (_name, actual, expected) => {
  expect(actual).toEqual(expected);
});

test.each([
  ['TokenA', { kind: 'name', text: 'TokenA' }],
  ['token A', { kind: 'name', text: 'A' }],
  [`wizard ${'9'.repeat(78)}`, { kind: 'path', path: `/wizard/${'9'.repeat(78)}` }],
  ['duels 007', { kind: 'path', path: '/wizard/7' }],
])('the search for %j is %j', (text, search) => {
  expect(parseSearch(text)).toEqual(search);
});

test('white space around the text of a search is not part of its variables', () => {
  const text = searchTextOf(`/explore/search/0x${'ab'.repeat(32)}%20`);
  expect(searchVariables(text, parseSearch(text)).hash).toBe(`0x${'ab'.repeat(32)}`);
});
