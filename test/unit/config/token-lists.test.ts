import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTokenLists, type TokenLists } from '../../../src/config/token-lists.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';

const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const dai = { chainId: 1, address: DAI, name: 'Dai', symbol: 'DAI', decimals: 18, logoURI: 'https://logos.example/dai.png' };
const metadata = { name: 'Dai', symbol: 'DAI', decimals: 18, logo: 'https://logos.example/dai.png' };
const list = (...tokens: unknown[]) => ({ name: 'A list', timestamp: '2025-01-01', version: {}, tokens });

function file(content: unknown): string {
  const path = join(createTemporaryFolder(), 'list.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The message of the BAD_USER_INPUT error. */
function errorMessageOf(read: () => TokenLists): string {
  try {
    read();
  } catch (error) {
    expect(error).toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
    return (error as Error).message;
  }
  throw new Error('the lists were accepted');
}

describe('token lists', () => {
  const lists = readTokenLists([], [list(dai, { ...dai, chainId: 10, name: 'Dai elsewhere' })]);

  test('token lists find a token by chain and case-insensitive address', () => {
    expect(lists.find('0x1', DAI)).toEqual(metadata);
    expect(lists.find('0x1', '0x6B175474E89094C44Da98b954EedeAC495271d0F')).toEqual(metadata);
    expect(lists.find('0xa', DAI)?.name).toBe('Dai elsewhere');
  });

  test('token lists find a token that is listed with a checksummed address', () => {
    const checksummed = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
    expect(readTokenLists([], [list({ ...dai, address: checksummed })]).find('0x1', DAI)).toEqual(metadata);
  });

  test('token lists return undefined for another chain or address', () => {
    expect(lists.find('0x7a69', DAI)).toBeUndefined();
    expect(lists.find('0x1', `0x${'0'.repeat(40)}`)).toBeUndefined();
    expect(lists.find('0x1', '__proto__')).toBeUndefined();
    expect(readTokenLists([], []).find('0x1', DAI)).toBeUndefined();
  });

  test.each<[string, object, object]>([
    ['no logo', { logoURI: undefined }, { logo: null }],
    ['a javascript: logo', { logoURI: 'javascript:alert(1)' }, { logo: null }],
    ['a logo that is not a string', { logoURI: 5 }, { logo: null }],
    ['an inline image as logo', { logoURI: 'data:image/png;base64,AA==' }, { logo: 'data:image/png;base64,AA==' }],
    ['empty strings, which the format allows', { name: '', symbol: '' }, { name: null, symbol: null }],
    ['a name with control characters', { name: ' Dai\u202e\n' }, { name: 'Dai' }],
    ['0 decimals', { decimals: 0 }, { decimals: 0 }],
    ['unused fields', { tags: ['stable'], extensions: { a: 1 } }, {}],
  ])('token lists accept a token with %s', (_case, entry, expected) => {
    expect(readTokenLists([], [list({ ...dai, ...entry })]).find('0x1', DAI)).toEqual({ ...metadata, ...expected });
  });
});

test('token lists take each field from the first entry that has it', () => {
  const first = list({ ...dai, name: '', symbol: 'ONE', logoURI: undefined });
  const second = list({ ...dai, name: 'Two', symbol: 'TWO' }, { ...dai, name: 'Three' });
  const expected = { ...metadata, name: 'Two', symbol: 'ONE' };
  expect(readTokenLists([], [first, second]).find('0x1', DAI)).toEqual(expected);
  expect(readTokenLists([file(first), file(second)]).find('0x1', DAI)).toEqual(expected);
  expect(readTokenLists([file(first)], [second]).find('0x1', DAI)).toEqual(expected);
});

test('readTokenLists prefers files to lists in memory', () => {
  expect(readTokenLists([file(list(dai))], [list({ ...dai, name: 'Other' })]).find('0x1', DAI)).toEqual(metadata);
});

test('readTokenLists accepts a byte order mark', () => {
  expect(readTokenLists([file(`\ufeff${JSON.stringify(list(dai))}`)]).find('0x1', DAI)).toEqual(metadata);
});

test.each<[string, unknown, string]>([
  ['null', null, 'is not an object'],
  ['a list', [dai], 'is not an object'],
  ['a string', 'dai', 'is not an object'],
  ['no tokens', {}, 'is invalid: tokens is not a list'],
  ['tokens that are an object', { tokens: {} }, 'is invalid: tokens is not a list'],
  ['an entry that is null', list(dai, null), 'is invalid: tokens[1] is not an object'],
  ['no chain', list({ ...dai, chainId: undefined }), `is invalid: tokens[0].chainId is not an integer from 1 to ${2 ** 53 - 1}`],
  ['a chain in quotes', list({ ...dai, chainId: '1' }), 'is invalid: tokens[0].chainId is not an integer from 1'],
  ['chain 0', list({ ...dai, chainId: 0 }), 'is invalid: tokens[0].chainId is not an integer from 1'],
  ['a short address', list({ ...dai, address: '0x6b17' }), 'is invalid: tokens[0].address is not an address'],
  [
    'an address with a trailing line break',
    list({ ...dai, address: `${DAI}\n` }),
    'is invalid: tokens[0].address is not an address',
  ],
  ['no address', list({ ...dai, address: undefined }), 'is invalid: tokens[0].address is not an address'],
  ['a name that is a number', list({ ...dai, name: 1 }), 'is invalid: tokens[0].name is not a string'],
  ['no symbol', list({ ...dai, symbol: undefined }), 'is invalid: tokens[0].symbol is not a string'],
  ['256 decimals', list(dai, dai, { ...dai, decimals: 256 }), 'is invalid: tokens[2].decimals is not an integer from 0 to 255'],
  ['fractional decimals', list({ ...dai, decimals: 0.5 }), 'is invalid: tokens[0].decimals is not an integer from 0 to 255'],
  ['decimals in quotes', list({ ...dai, decimals: '18' }), 'is invalid: tokens[0].decimals is not an integer from 0 to 255'],
])('token lists reject %s with the path of the invalid value', (_case, content, problem) => {
  expect(errorMessageOf(() => readTokenLists([], [list(), content]))).toContain(`The token list 2 ${problem}`);
  const path = file(JSON.stringify(content));
  expect(errorMessageOf(() => readTokenLists([path]))).toContain(`The token list "${path}" of TOKEN_LISTS ${problem}`);
});

describe('readTokenLists', () => {
  const folder = createTemporaryFolder();
  const at = (name: string) => join(folder, name);
  mkdirSync(at('folder'));

  test.each([
    ['a missing file', at('none.json'), 'cannot be read: there is no such file'],
    ['a path below a file', join(file('{}'), 'list.json'), 'cannot be read: there is no such file'],
    ['a path with too long a name', at('x'.repeat(300)), 'cannot be read: ENAMETOOLONG'],
    ['a folder', at('folder'), 'cannot be read: it is a folder'],
    ['an empty file', file(''), 'is not JSON'],
    ['a truncated file', file('{"tokens":['), 'is not JSON'],
  ])('readTokenLists rejects %s with its path', (_case, path, problem) => {
    expect(errorMessageOf(() => readTokenLists([file(list(dai)), path]))).toBe(
      `The token list "${path}" of TOKEN_LISTS ${problem}.`,
    );
  });

  test('readTokenLists quotes no content of an invalid file and sets the cause', () => {
    const path = file('{"secret": hunter2}');
    expect(errorMessageOf(() => readTokenLists([path]))).not.toContain('hunter2');
    expect(() => readTokenLists([path])).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });
});
