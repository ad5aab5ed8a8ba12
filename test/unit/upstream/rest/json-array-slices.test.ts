import { describe, expect, test } from '@jest/globals';
import { IncrementalJsonParser } from '../../../../src/upstream/incremental-json-parser.ts';
import { readSeed as newSeed, random, runSize } from '../../../support/random-tests.ts';

/** Parses a text that arrives in chunks of these sizes, the last of them repeated; gives the number of slices as well. */
function parsed(text: string, ...sizes: readonly [number, ...number[]]): { value: unknown; slices: number } {
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

/** Entries of about 1 KiB with what a scanner could stumble over. */
const entries = Array.from({ length: 1_200 }, (_none, i) => ({
  id: i,
  'a "key", [with] {signs}': ['\\', '\\"', '",', ']', '}', '\u2028 ü 😀', [[], {}, { a: [1, 2] }], -1.5e9, null, true],
  filler: 'x'.repeat(900),
}));

describe('a JSON text that arrives in chunks', () => {
  test.each<[string, unknown]>([
    ['a bare list', entries],
    ['a list in an object', { duels: entries }],
    ['a list between other values', { total: 2, meta: [1, [2]], duels: entries, next: { list: [] }, wizards: [{ id: 1 }] }],
    ['two long lists', { wizards: entries, duels: entries }],
    ['a list under the key __proto__', JSON.parse(`{"__proto__":${JSON.stringify(entries)}}`)],
  ])('is parsed in slices as JSON.parse does: %s', (_what, value) => {
    for (const chunk of [65_536, 977]) {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)]) {
        const result = parsed(text, chunk);
        expect(JSON.stringify(result.value)).toBe(JSON.stringify(value));
        expect(result.slices).toBeGreaterThan(3);
      }
    }
  });

  test('has the last of two lists with the same key, as JSON.parse does', () => {
    const list = JSON.stringify(entries);
    expect(parsed(`{"duels":${list},"duels":[1]}`, 65_536).value).toEqual({ duels: [1] });
    expect(parsed(`{"duels":[1],"duels":${list}}`, 65_536).value).toEqual({ duels: entries });
  });

  const long = JSON.stringify(entries).slice(1, -1);
  test.each([
    ['nothing', ''],
    ['a list that ends with a comma', `[${long},]`],
    ['a list without an entry between two commas', `[${long},,1]`],
    ['a list that begins with a comma', `[,${long}]`],
    ['a list that is closed as an object', `[${long}}`],
    ['an object that is closed as a list', `{"duels":[${long}]]`],
    ['a list that is not closed', `[${long}`],
    ['a list with an entry that is not closed', `[${long},{"a":1]`],
    ['two values', `[${long}][${long}]`],
    ['a text behind the list', `[${long}]x`],
    ['commas at the root', '1,2,3'],
    ['a list as the key of an object', `{[${long}]:1}`],
  ])('is no JSON: %s', (_what, text) => {
    for (const chunk of [65_536, 999]) expect(() => parsed(text, chunk)).toThrow(SyntaxError);
  });

  test('is no JSON when it ends within a list, also right after an entry', () => {
    // One of these ends one entry after a slice.
    for (let count = 60; count < 140; count++) {
      const text = `[${Array.from({ length: count }, () => JSON.stringify('x'.repeat(998))).join(',')}`;
      for (const start of ['', '{"duels":']) expect(() => parsed(start + text, 65_536)).toThrow(SyntaxError);
    }
  });

  const seed = newSeed();
  test(`equals what JSON.parse gives, or fails as it does, for random texts in random chunks (seed ${seed})`, () => {
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
    let sound = 0;
    for (let i = 0; i < runSize(3_000, 300_000); i++) {
      const isSound = draw() < 0.5;
      const value = { a: Array.from({ length: below(4) }, () => pieces[below(pieces.length)]), b: [[below(9)], { c: [] }] };
      const random = Array.from({ length: 1 + below(12) }, () => pieces[below(pieces.length)]).join('');
      const text = isSound ? JSON.stringify(below(2) === 0 ? value : [value, value]) : random;
      const attempt = (parse: () => unknown) => {
        try {
          return { value: parse() };
        } catch (error) {
          return { error: (error as Error).name };
        }
      };
      const expected = attempt(() => JSON.parse(text));
      sound += Number('value' in expected);
      const actual = attempt(() => parsed(text, 1 + below(5), 1 + below(3)).value);
      expect({ seed, text, actual }).toEqual({ seed, text, actual: expected });
    }
    expect(sound).toBeGreaterThan(100);
  });
});
