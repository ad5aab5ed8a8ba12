import { expect, test } from '@jest/globals';
import { BatchJsonParser } from '../../../src/upstream/batch-json-parser.ts';
import { createRandomChoices } from '../../support/random-choices.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';

/** Parses a text that arrives in chunks of these sizes. */
function parse(text: string, sizeOf: () => number): { value: unknown; turns: number } {
  const bytes = Buffer.from(text);
  const parser = BatchJsonParser.for(bytes)!;
  let turns = 0;
  for (let from = 0; from < bytes.length; ) {
    const to = from + Math.max(1, sizeOf());
    if (parser.push(bytes.subarray(from, to))) turns += 1;
    from = to;
  }
  return { value: parser.end(), turns };
}

const entry = (id: number, result: unknown): unknown => ({ jsonrpc: '2.0', id, result });
const long = (length: number): string => `é"\\,{"jsonrpc":${'x'.repeat(length)}`;

test('a batch response is equal to that of JSON.parse, in chunks of any size', () => {
  const seed = readSeed();
  for (let run = 0; run < runSize(25, 600); run++) {
    const random = createRandomChoices(seed + run);
    const entries = Array.from({ length: 1 + random.below(11) }, (_, id) =>
      entry(id, random.pick([null, long(random.below(400_000)), [entry(1, 2), entry(3, [])], { a: [entry(id, 'x')] }])),
    );
    const text = JSON.stringify(entries);
    try {
      expect(parse(text, () => 1 + random.below(70_000)).value).toEqual(JSON.parse(text));
    } catch (error) {
      throw new Error(`reproduce with SEED=${seed + run}`, { cause: error });
    }
  }
});

test('a long batch is parsed in several turns', () => {
  const text = JSON.stringify(Array.from({ length: 40 }, (_, id) => entry(id, 'x'.repeat(100_000))));
  expect(parse(text, () => 65_536).turns).toBeGreaterThan(10);
});

test('a delimiter that two chunks share is found', () => {
  const text = JSON.stringify(Array.from({ length: 2 }, (_, id) => entry(id, 'x'.repeat(300_000))));
  const first = text.indexOf(',{"jsonrpc"');
  for (let offset = 0; offset < 14; offset++) {
    const sizes = [first + offset, text.length];
    const parsed = parse(text, () => sizes.shift()!);
    expect(parsed.value).toEqual(JSON.parse(text));
    expect(parsed.turns).toBe(1);
  }
});

test('a result that contains a list of responses is not split', () => {
  const nested = Array.from({ length: 20 }, (_, id) => entry(id, 'x'.repeat(50_000)));
  const text = JSON.stringify([entry(1, nested), entry(2, nested)]);
  expect(parse(text, () => 65_536).value).toEqual(JSON.parse(text));
});

test.each([
  ['a truncated text', (text: string) => text.slice(0, -1)],
  ['a text that ends inside an entry', (text: string) => text.slice(0, -100_000)],
  ['a comma without an entry', (text: string) => `${text.slice(0, -1)},]`],
  ['two commas', (text: string) => text.replaceAll('},{', '},,{')],
  ['a missing comma', (text: string) => text.replaceAll('},{', '}{')],
  ['text after the list', (text: string) => `${text}x`],
])('%s is a SyntaxError', (_case, change) => {
  const text = change(JSON.stringify(Array.from({ length: 10 }, (_, id) => entry(id, 'x'.repeat(200_000)))));
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parse(text, () => 65_536)).toThrow(SyntaxError);
});

test.each(['{"jsonrpc":"2.0"}', '[]', '[1,2]', '<html>', ''])('%s is not the response to a batch', (text) => {
  expect(BatchJsonParser.for(Buffer.from(text))).toBeUndefined();
});
