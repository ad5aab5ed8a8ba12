import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseTokenLists, readTokenLists, type TokenLists } from '../../../../src/domains/tokens/token-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'token-lists-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
const dai = { chainId: 1, address: DAI, name: 'Dai', symbol: 'DAI', decimals: 18, logoURI: 'https://logos.example/dai.png' };
const known = { name: 'Dai', symbol: 'DAI', decimals: 18, logo: 'https://logos.example/dai.png' };
const list = (...tokens: unknown[]) => ({ name: 'A list', timestamp: '2025-01-01', version: {}, tokens });

let files = 0;
function file(content: unknown): string {
  files += 1;
  const path = join(folder, `${files}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The text of the error that ends the start. */
function errorMessageOf(open: () => TokenLists): string {
  try {
    open();
  } catch (error) {
    expect(error).toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
    return (error as Error).message;
  }
  throw new Error('the lists were taken');
}

describe('a listed token', () => {
  const lists = parseTokenLists([list(dai, { ...dai, chainId: 10, name: 'Dai elsewhere' })]);

  test('is found by chain and address, in any case of letters', () => {
    expect(lists.find('0x1', DAI)).toEqual(known);
    expect(lists.find('0x1', '0x6B175474E89094C44Da98b954EedeAC495271d0F')).toEqual(known);
    expect(lists.find('0xa', DAI)?.name).toBe('Dai elsewhere');
  });

  test('is found when the list writes its address with capitals', () => {
    const checksummed = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
    expect(parseTokenLists([list({ ...dai, address: checksummed })]).find('0x1', DAI)).toEqual(known);
  });

  test('is no token of another chain or address', () => {
    expect(lists.find('0x7a69', DAI)).toBeUndefined();
    expect(lists.find('0x1', `0x${'0'.repeat(40)}`)).toBeUndefined();
    expect(lists.find('0x1', '__proto__')).toBeUndefined();
    expect(parseTokenLists([]).find('0x1', DAI)).toBeUndefined();
  });

  test.each<[string, object, object]>([
    ['no logo', { logoURI: undefined }, { logo: null }],
    ['a logo that cannot be shown', { logoURI: 'javascript:alert(1)' }, { logo: null }],
    ['a logo that is no text', { logoURI: 5 }, { logo: null }],
    ['an image for a logo', { logoURI: 'data:image/png;base64,AA==' }, { logo: 'data:image/png;base64,AA==' }],
    ['empty texts, as the format allows', { name: '', symbol: '' }, { name: null, symbol: null }],
    ['texts that cannot be shown as they are', { name: ' Dai\u202e\n' }, { name: 'Dai' }],
    ['0 decimals', { decimals: 0 }, { decimals: 0 }],
    ['more than is asked for', { tags: ['stable'], extensions: { a: 1 } }, {}],
  ])('may have %s', (_case, entry, metadata) => {
    expect(parseTokenLists([list({ ...dai, ...entry })]).find('0x1', DAI)).toEqual({ ...known, ...metadata });
  });
});

test('of several lists, and of one list that repeats itself, the first that has a field goes first', () => {
  const first = list({ ...dai, name: '', symbol: 'ONE', logoURI: undefined });
  const second = list({ ...dai, name: 'Two', symbol: 'TWO' }, { ...dai, name: 'Three' });
  const expected = { ...known, name: 'Two', symbol: 'ONE' };
  expect(parseTokenLists([first, second]).find('0x1', DAI)).toEqual(expected);
  expect(readTokenLists([file(first), file(second)]).find('0x1', DAI)).toEqual(expected);
  expect(readTokenLists([file(first)], [second]).find('0x1', DAI)).toEqual(expected);
});

test('files go before lists in memory', () => {
  expect(readTokenLists([file(list(dai))], [list({ ...dai, name: 'Other' })]).find('0x1', DAI)).toEqual(known);
});

test('a file may begin with the mark that some editors write', () => {
  expect(readTokenLists([file(`\ufeff${JSON.stringify(list(dai))}`)]).find('0x1', DAI)).toEqual(known);
});

describe('a list is refused, with the place that is wrong:', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'is not an object'],
    ['a list', [dai], 'is not an object'],
    ['a text', 'dai', 'is not an object'],
    ['no tokens', {}, 'is wrong at tokens, which is not a list'],
    ['tokens that are an object', { tokens: {} }, 'is wrong at tokens, which is not a list'],
    ['an entry that is null', list(dai, null), 'is wrong at tokens[1], which is not an object'],
    [
      'no chain',
      list({ ...dai, chainId: undefined }),
      `is wrong at tokens[0].chainId, which is not a whole number from 1 to ${2 ** 53 - 1}`,
    ],
    ['a chain in quotes', list({ ...dai, chainId: '1' }), 'is wrong at tokens[0].chainId, which is not a whole number from 1'],
    ['chain 0', list({ ...dai, chainId: 0 }), 'is wrong at tokens[0].chainId, which is not a whole number from 1'],
    ['a short address', list({ ...dai, address: '0x6b17' }), 'is wrong at tokens[0].address, which is not an address'],
    [
      'an address with more behind it',
      list({ ...dai, address: `${DAI}\n` }),
      'is wrong at tokens[0].address, which is not an address',
    ],
    ['no address', list({ ...dai, address: undefined }), 'is wrong at tokens[0].address, which is not an address'],
    ['a name that is a number', list({ ...dai, name: 1 }), 'is wrong at tokens[0].name, which is not a text'],
    ['no symbol', list({ ...dai, symbol: undefined }), 'is wrong at tokens[0].symbol, which is not a text'],
    [
      '256 decimals',
      list(dai, dai, { ...dai, decimals: 256 }),
      'is wrong at tokens[2].decimals, which is not a whole number from 0 to 255',
    ],
    [
      'decimals of a half',
      list({ ...dai, decimals: 0.5 }),
      'is wrong at tokens[0].decimals, which is not a whole number from 0 to 255',
    ],
    [
      'decimals in quotes',
      list({ ...dai, decimals: '18' }),
      'is wrong at tokens[0].decimals, which is not a whole number from 0 to 255',
    ],
  ])('%s', (_case, content, problem) => {
    expect(errorMessageOf(() => parseTokenLists([list(), content]))).toContain(`The token list 2 ${problem}`);
    const path = file(JSON.stringify(content));
    expect(errorMessageOf(() => readTokenLists([path]))).toContain(`The token list "${path}" of TOKEN_LISTS ${problem}`);
  });
});

describe('a file is refused by its name:', () => {
  const at = (name: string) => join(folder, name);
  const large = file('');
  truncateSync(large, 16 * 1024 * 1024 + 1);
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);

  test.each([
    ['none', at('none.json'), 'cannot be read: there is no such file'],
    ['below a file', join(file('{}'), 'list.json'), 'cannot be read: there is no such file'],
    ['a name too long for a file', at('x'.repeat(300)), 'cannot be read: ENAMETOOLONG'],
    ['a folder', at('folder'), 'cannot be read: it is no file'],
    ['a pipe, without waiting for it', at('pipe'), 'cannot be read: it is no file'],
    ['a device', '/dev/zero', 'cannot be read: it is no file'],
    ['one byte more than 16 MiB', large, 'is larger than 16 MiB'],
    ['empty', file(''), 'is not JSON'],
    ['half a list', file('{"tokens":['), 'is not JSON'],
  ])('%s', (_case, path, problem) => {
    expect(errorMessageOf(() => readTokenLists([file(list(dai)), path]))).toBe(
      `The token list "${path}" of TOKEN_LISTS ${problem}.`,
    );
  });

  test('the words are ours, and the reason stays in the cause', () => {
    const path = file('{"secret": hunter2}');
    expect(errorMessageOf(() => readTokenLists([path]))).not.toContain('hunter2');
    expect(() => readTokenLists([path])).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });
});

test('a list of 50,000 tokens opens within seconds', () => {
  const tokens = Array.from({ length: 50_000 }, (_, index) => ({ ...dai, address: `0x${index.toString(16).padStart(40, '0')}` }));
  const start = performance.now();
  expect(parseTokenLists([list(...tokens)]).find('0x1', tokens.at(-1)!.address)).toEqual(known);
  expect(performance.now() - start).toBeLessThan(5_000);
});
