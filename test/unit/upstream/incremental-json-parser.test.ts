import { describe, expect, test } from '@jest/globals';
import { IncrementalJsonParser } from '../../../src/upstream/incremental-json-parser.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';

/** Parses a text in chunks of these sizes, the last of them repeated, and counts the slices. */
function parseInChunks(text: string, ...sizes: readonly [number, ...number[]]): { value: unknown; slices: number } {
  const bytes = Buffer.from(text);
  const parser = new IncrementalJsonParser();
  let slices = 0;
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = sizes[Math.min(i, sizes.length - 1)]!;
    slices += Number(parser.push(bytes.subarray(at, at + length)));
    at += length;
  }
  return { value: parser.end(), slices };
}

/** Entries of about 1 KiB with escapes, brackets and quotes in strings. */
const entries = Array.from({ length: 400 }, (_none, i) => ({
  id: i,
  'a "key", [with] {signs}': ['\\', '\\"', '",', ']', '}', '\u2028 ü 😀', [[], {}, { a: [1, 2] }], -1.5e9, null, true],
  filler: 'x'.repeat(900),
}));

describe('IncrementalJsonParser', () => {
  test.each<[string, unknown]>([
    ['a bare list', entries],
    ['a list in an object', { duels: entries }],
    ['a list between other values', { total: 2, meta: [1, [2]], duels: entries, next: { list: [] }, wizards: [{ id: 1 }] }],
    ['two long lists', { wizards: entries, duels: entries }],
    [
      'the result of a call in a batch',
      [
        { id: 1, result: '0x' },
        { id: 2, result: entries },
        { id: 3, result: [entries] },
      ],
    ],
    ['lists in a list', [entries, [], entries, [[entries]]]],
    ['a list in an object of an object', { data: { duels: entries, wizards: entries } }],
    ['a list under the key __proto__', JSON.parse(`{"__proto__":${JSON.stringify(entries)}}`)],
  ])('IncrementalJsonParser parses %s in slices, with the result of JSON.parse', (_case, value) => {
    for (const chunk of [65_536, 977]) {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)]) {
        const result = parseInChunks(text, chunk);
        expect(JSON.stringify(result.value)).toBe(JSON.stringify(value));
        expect(result.slices).toBeGreaterThan(3);
      }
    }
  });

  test('IncrementalJsonParser returns the last of two lists with the same key, as JSON.parse does', () => {
    const list = JSON.stringify(entries);
    expect(parseInChunks(`{"duels":${list},"duels":[1]}`, 65_536).value).toEqual({ duels: [1] });
    expect(parseInChunks(`{"duels":[1],"duels":${list}}`, 65_536).value).toEqual({ duels: entries });
  });

  const long = JSON.stringify(entries).slice(1, -1);
  test.each([
    ['an empty text', ''],
    ['a list that ends with a comma', `[${long},]`],
    ['a list without an entry between two commas', `[${long},,1]`],
    ['a list that begins with a comma', `[,${long}]`],
    ['a list that is closed as an object', `[${long}}`],
    ['an object that is closed as a list', `{"duels":[${long}]]`],
    ['a list that is not closed', `[${long}`],
    ['a list with an entry that is not closed', `[${long},{"a":1]`],
    ['two values', `[${long}][${long}]`],
    ['a text after the list', `[${long}]x`],
    ['commas at the root', '1,2,3'],
    ['a list as the key of an object', `{[${long}]:1}`],
    ['a list in a batch that is not closed', `[{"result":[${long}}]`],
    ['a batch that ends after a list', `[{"result":[${long}]`],
  ])('IncrementalJsonParser throws a SyntaxError for %s', (_case, text) => {
    for (const chunk of [65_536, 999]) expect(() => parseInChunks(text, chunk)).toThrow(SyntaxError);
  });

  test('IncrementalJsonParser throws a SyntaxError for a list that is truncated after any entry', () => {
    // One of these texts ends exactly one entry after a slice.
    for (let count = 60; count < 140; count++) {
      const text = `[${Array.from({ length: count }, () => JSON.stringify('x'.repeat(998))).join(',')}`;
      for (const start of ['', '{"duels":']) expect(() => parseInChunks(start + text, 65_536)).toThrow(SyntaxError);
    }
  });

  const seed = readSeed();
  test(`IncrementalJsonParser returns or throws what JSON.parse does for random texts in random chunks (seed ${seed})`, () => {
    const draw = random(seed);
    const below = (n: number) => Math.floor(draw() * n);
    const pieces = [
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '\\',
      '"a"',
      '"\\""',
      '"\\\\"',
      '1',
      'null',
      ' ',
      '"ü"',
      '{"a":[1]}',
      '[1,2]',
    ];
    let validCount = 0;
    for (let i = 0; i < runSize(1_000, 300_000); i++) {
      const isValid = draw() < 0.5;
      const value = { a: Array.from({ length: below(4) }, () => pieces[below(pieces.length)]), b: [[below(9)], { c: [] }] };
      const random = Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]).join('');
      const text = isValid
        ? JSON.stringify([value, [value, value], [{ result: [value] }, value], { data: value }][below(4)])
        : random;
      const attempt = (parse: () => unknown) => {
        try {
          return { value: parse() };
        } catch (error) {
          return { error: (error as Error).name };
        }
      };
      const expected = attempt(() => JSON.parse(text));
      validCount += Number('value' in expected);
      const actual = attempt(() => parseInChunks(text, 1 + below(5), 1 + below(3)).value);
      expect({ seed, text, actual }).toEqual({ seed, text, actual: expected });
    }
    expect(validCount).toBeGreaterThan(100);
  });
});
