import { expect, test } from '@jest/globals';
import { JsonOutput } from '../../../../src/graphql/executor/json-output.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../src/lib/operation-budget.ts';
import { random as createRandom, readSeed, runSize } from '../../../support/random-tests.ts';

const textOf = (output: JsonOutput): string => output.toChunks().map(String).join('');

/** The expected text of an output, with one private character in place of each nested output. */
interface Model {
  text: string;
  readonly nested: Model[];
}

const FIRST_PRIVATE = 0xe000;

const expand = ({ text, nested }: Model): string =>
  text.replace(/[\ue000-\uf8ff]/g, (character) => expand(nested[character.charCodeAt(0) - FIRST_PRIVATE]!));

test('an output contains the text that random appends, cuts and nested outputs leave', () => {
  const start = readSeed();
  for (let run = 0; run < runSize(100, 3_000); run++) {
    const random = createRandom(start + run);
    const pick = (count: number) => Math.floor(random() * count);
    const outputs: [JsonOutput, Model][] = [[new JsonOutput(), { text: '', nested: [] }]];
    const addNested = (model: Model, output: JsonOutput, text: string): Model => {
      const nested = { text, nested: model.nested };
      model.nested.push(nested);
      outputs.push([output, nested]);
      return nested;
    };
    for (let step = 0; step < 40; step++) {
      const [output, model] = outputs[pick(outputs.length)]!;
      const position = pick(model.text.length + 1);
      switch (pick(7)) {
        case 0:
          output.truncate(position);
          model.text = model.text.slice(0, position);
          break;
        case 1: {
          const tail = model.text.slice(position);
          model.text = model.text.slice(0, position) + String.fromCharCode(FIRST_PRIVATE + model.nested.length);
          addNested(model, output.nestFrom(position), tail);
          break;
        }
        case 2:
          model.text += String.fromCharCode(FIRST_PRIVATE + model.nested.length);
          addNested(model, output.nest(), '');
          break;
        case 3:
          output.setNull();
          model.text = 'null';
          break;
        default: {
          const text = `é${step},`.repeat(pick(4) === 0 ? 20_000 : pick(20));
          output.text += text;
          model.text += text;
          output.encodeIfLong(undefined);
        }
      }
      expect(output.length).toBe(model.text.length);
    }
    const [root, model] = outputs[0]!;
    if (textOf(root) !== expand(model)) throw new Error(`wrong text; reproduce with SEED=${start + run}`);
  }
});

test('a short text is one string, and a long one consists of buffers of about 64 KiB', () => {
  const short = new JsonOutput();
  short.text = 'é'.repeat(1_000);
  expect(short.toChunks()).toEqual(['é'.repeat(1_000)]);
  const long = new JsonOutput();
  for (let i = 0; i < 1_000; i++) {
    long.text += 'x'.repeat(1_000);
    long.encodeIfLong(undefined);
  }
  const chunks = long.toChunks();
  expect(chunks.every((chunk) => Buffer.isBuffer(chunk) && chunk.length < 67_000)).toBe(true);
  expect(chunks.length).toBeGreaterThan(14);
  expect(textOf(long)).toBe('x'.repeat(1_000_000));
});

test('a compacted output keeps its text and accepts more', () => {
  const output = new JsonOutput();
  output.text = '[';
  output.nest().text = 'é'.repeat(100_000);
  output.compact();
  output.text += ']';
  expect(textOf(output)).toBe(`[${'é'.repeat(100_000)}]`);
});

test('encoded text counts its bytes in the budget, and exceeding MAX_RESPONSE_BYTES throws RESULT_TOO_LARGE', () => {
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_RESPONSE_BYTES: 300_000 });
  const output = new JsonOutput();
  output.text = 'é'.repeat(100_000);
  output.encodeIfLong(budget);
  expect(budget.responseBytes).toBe(200_000);
  output.text = 'é'.repeat(100_000);
  expect(() => output.encodeIfLong(budget)).toThrow(
    expect.objectContaining({
      extensions: expect.objectContaining({ limit: 300_000, actual: 400_000, setting: 'MAX_RESPONSE_BYTES' }),
    }),
  );
});
