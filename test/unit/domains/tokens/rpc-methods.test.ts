import { describe, expect, test } from '@jest/globals';
import { ENHANCED_METHODS, erc20, firstWordOf } from '../../../../src/domains/tokens/rpc-methods.ts';

const { balances, allowance } = ENHANCED_METHODS.svc;
const CONTRACT = `0x${'0a'.repeat(20)}`;
const word = (digits: string) => `0x${digits.padStart(64, '0')}`;

const HOLDER = `0x${'0b'.repeat(20)}`;
const read = (result: unknown) => balances.read(result, HOLDER, [CONTRACT]);
const readEntry = (entry: object) => read({ address: HOLDER, tokenBalances: [{ contractAddress: CONTRACT, ...entry }] });

describe('enhanced balances', () => {
  test.each<[string, object, string | null]>([
    ['32 bytes', { tokenBalance: word('2a'), error: null }, word('2a')],
    ['unpadded hex', { tokenBalance: '0x2a', error: null }, word('2a')],
    ['a decimal string, which could be read as another amount', { tokenBalance: '42', error: null }, null],
    ['empty data, as from an account without code', { tokenBalance: '0x', error: null }, null],
    ['an error', { tokenBalance: null, error: 'execution reverted' }, null],
    ['more than 32 bytes', { tokenBalance: `0x1${'00'.repeat(32)}`, error: null }, null],
  ])('enhanced balances decode an entry with %s', (_case, entry, expected) => {
    expect(readEntry(entry)).toEqual([{ contract: CONTRACT, word: expected }]);
  });

  test('enhanced balances accept contract addresses in upper case', () => {
    const contractAddress = `0x${'0A'.repeat(20)}`;
    expect(read({ tokenBalances: [{ contractAddress, tokenBalance: '0x1' }] })[0]!.contract).toBe(CONTRACT);
  });

  test.each([
    [null],
    [[]],
    [{}],
    [{ tokenBalances: {} }],
    [{ tokenBalances: [null] }],
    [{ tokenBalances: [{ tokenBalance: '0x1' }] }],
    [{ address: CONTRACT, tokenBalances: [] }],
    [{ tokenBalances: [{ contractAddress: HOLDER, tokenBalance: '0x1' }] }],
    [{ tokenBalances: [1, 2].map((n) => ({ contractAddress: CONTRACT, tokenBalance: `0x${n}` })) }],
  ])('enhanced balances throw UPSTREAM_BAD_RESPONSE for the result %j', (result) => {
    expect(() => read(result)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
  });
});

const ALLOWANCE = { contract: CONTRACT, owner: HOLDER, spender: CONTRACT };

test.each([
  ['42', word('2a')],
  ['0x2a', word('2a')],
  ['115792089237316195423570985008687907853269984665640564039457584007913129639935', `0x${'ff'.repeat(32)}`],
])('enhanced allowance decodes %s', (result, expected) => {
  expect(allowance.read(result, ALLOWANCE)).toBe(expected);
});

test.each([[null], [''], ['-1'], ['1.5'], [{}]])('enhanced allowance throws UPSTREAM_BAD_RESPONSE for %j', (result) => {
  expect(() => allowance.read(result, ALLOWANCE)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});

test.each<[string, string | null, string | null]>([
  ['one word', word('2a'), word('2a')],
  ['less than a word', '0x2a', null],
  ['an account without code', '0x', null],
  ['a reverted call', null, null],
])('firstWordOf the result of %s is the first word or null', (_case, result, expected) => {
  expect(firstWordOf(result)).toBe(expected);
});

test('erc20 encodes selectors and padded addresses', () => {
  const [owner, spender] = [`0x${'0b'.repeat(20)}`, `0x${'0c'.repeat(20)}`];
  expect(erc20.balanceOf(owner)).toBe(`0x70a08231${'0b'.repeat(20).padStart(64, '0')}`);
  expect(erc20.allowance({ owner, spender })).toBe(
    `0xdd62ed3e${'0b'.repeat(20).padStart(64, '0')}${'0c'.repeat(20).padStart(64, '0')}`,
  );
});
