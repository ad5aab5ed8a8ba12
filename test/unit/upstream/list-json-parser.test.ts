import { expect, test } from '@jest/globals';
import { ListJsonParser } from '../../../src/upstream/list-json-parser.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';

/** Parses a text that arrives in chunks of these sizes. */
function parse(text: string, sizeOf: () => number): { value: unknown; turns: number } {
  const bytes = Buffer.from(text);
  const parser = new ListJsonParser(8 * 1024);
  let turns = 0;
  for (let from = 0; from < bytes.length; ) {
    const to = from + Math.max(1, sizeOf());
    if (parser.push(bytes.subarray(from, to))) turns += 1;
    from = to;
  }
  return { value: parser.end(), turns };
}

const entry = (id: number, result: unknown): unknown => ({ jsonrpc: '2.0', id, result });
const list = Array.from({ length: 40 }, (_, id) => entry(id, 'x'.repeat(100_000)));
const shortEntries = Array.from({ length: 200 }, (_, id) => entry(id, 'x'.repeat(20_000)));
const separated = (separator: string): string => `[${list.map((item) => JSON.stringify(item)).join(separator)}]`;

test('ListJsonParser returns the value of JSON.parse for chunks of any size', () => {
  const seed = readSeed();
  const long = (length: number): string => `é"\\,{"jsonrpc":${'x'.repeat(length)}`;
  for (let run = 0; run < runSize(25, 600); run++) {
    const random = createRandomChoices(seed + run);
    const entries = Array.from({ length: 1 + random.below(11) }, (_, id) =>
      entry(id, random.pick([null, long(random.below(400_000)), [entry(1, 2), entry(3, [])], { a: [entry(id, 'x')] }])),
    );
    const text = JSON.stringify(random.pick([entries, { duels: entries }, { a: [1, 'é'], duels: entries, b: entries }]));
    try {
      expect(parse(text, () => 1 + random.below(70_000)).value).toEqual(JSON.parse(text));
    } catch (error) {
      throw new Error(`reproduce with SEED=${seed + run}`, { cause: error });
    }
  }
});

test.each([
  ['a list', separated(',')],
  ['a list with spaces and line breaks', separated(' ,\n ')],
  ['a list in an object', `{"duels":${separated(',')}}`],
  ['a list between other values', `{ "total": 2, "meta": [1, [2]], "duels": ${separated(', ')}, "wizards": [{ "id": 1 }] }`],
  ['the list in the only entry of a list', JSON.stringify({ result: [{ a: 1, calls: [{ b: 2, logs: shortEntries }] }], id: 1 })],
  ['a list whose entries have an object that begins alike', separated(',').replaceAll('"result"', '"a":{"jsonrpc":1},"result"')],
])('ListJsonParser parses %s in several turns', (_case, text) => {
  const parsed = parse(text, () => 65_536);
  expect(parsed.turns).toBeGreaterThan(10);
  expect(parsed.value).toEqual(JSON.parse(text));
});

test.each([
  ['a value without a list', '{"jsonrpc":"2.0"}'],
  ['an empty list', '[]'],
  ['numbers', '[1,2]'],
  ['entries that contain such lists', JSON.stringify([entry(1, list), entry(2, list)])],
  ['a list that a property of the same name replaces', `{"a":${separated(',')},"a":[1]}`],
])('ListJsonParser returns the value of JSON.parse for %s', (_case, text) => {
  expect(parse(text, () => 65_536).value).toEqual(JSON.parse(text));
});

test('ListJsonParser finds the start of an entry that two chunks share', () => {
  const text = JSON.stringify([entry(0, 'x'.repeat(300_000)), entry(1, 'x'.repeat(300_000))]);
  const first = text.indexOf(',{"jsonrpc"');
  for (let offset = 0; offset < 14; offset++) {
    const sizes = [first + offset, text.length];
    expect(parse(text, () => sizes.shift()!)).toEqual({ value: JSON.parse(text), turns: 1 });
  }
});

test.each([
  ['an empty text', () => ''],
  ['a page', () => '<html>'],
  ['a truncated text', (text: string) => text.slice(0, -1)],
  ['a text that ends inside an entry', (text: string) => text.slice(0, -100_000)],
  ['a text that ends after a comma', (text: string) => text.slice(0, text.lastIndexOf('{'))],
  ['a comma without an entry', (text: string) => `${text.slice(0, -1)},]`],
  ['two commas', (text: string) => text.replaceAll('},{', '},,{')],
  ['a missing comma', (text: string) => text.replaceAll('},{', '}{')],
  ['a list that is closed as an object', (text: string) => `${text.slice(0, -1)}}`],
  ['text after the list', (text: string) => `${text}x`],
  ['two lists', (text: string) => `${text}${text}`],
])('ListJsonParser throws a SyntaxError for %s', (_case, change) => {
  const text = change(separated(','));
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parse(text, () => 65_536)).toThrow(SyntaxError);
});
