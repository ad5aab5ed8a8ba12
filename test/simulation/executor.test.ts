import { expect, test } from '@jest/globals';
import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';
import { type Answer, ours, theirs } from '../support/executor/both.ts';
import { differences } from '../support/executor/compare.ts';
import { drawOperation } from '../support/executor/operations.ts';
import { lenient, strict } from '../support/executor/schema.ts';
import { type Time, type Weather, World } from '../support/executor/world.ts';
import { seed, size } from '../support/prove.ts';
import { type Draw, drawing } from './fuzz/drawing.ts';

/** Our executor against graphql-js: the same schema, the same documents, the same values. `FIGURES=1` prints what was asked. */
const FROM = seed();
const OPERATIONS = size(1_500, 50_000);

const drawWeather = (draw: Draw): Weather => ({
  salt: draw.below(2 ** 32),
  failing: draw.pick([0, 0.02, 0.1, 0.3]),
  late: draw.pick([0, 0.1, 0.5, 1]),
});

/** A document with its variables, and the world in which it runs. */
interface Run {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly weather: Weather;
}

/** What an executor answers, and the mutations in the order in which it began them. */
interface Outcome {
  readonly answer: Answer;
  readonly begun: readonly string[];
}

async function outcome(execute: typeof ours, schema: GraphQLSchema, run: Run, time: Time): Promise<Outcome> {
  const world = new World(run.weather, time);
  const answer = await execute(schema, run.document, { variables: run.variables, context: () => world });
  return { answer, begun: world.begun };
}

/** What is wrong with an outcome of ours, and what graphql-js answers. */
async function judged(run: Run, { answer, begun }: Outcome): Promise<{ wrong: string[]; reference: Answer }> {
  // In their own time, failures beside an item that fails at once would be left to nobody by graphql-js. The values are the same.
  const atOnce = await outcome(theirs, strict, run, { timed: false });
  const everything = async () => (await outcome(theirs, lenient, run, { timed: false, tellsOfNull: true })).answer;
  const compare = (reference: Answer) => differences(strict, run.document, [answer, reference], everything);
  const wrong = [...(await compare(atOnce.answer))];
  if (String(begun) !== String(atOnce.begun)) wrong.push('other mutations');
  if (isWhole(atOnce.answer)) wrong.push(...(await compare((await outcome(theirs, strict, run, { timed: true })).answer)));
  return { wrong, reference: atOnce.answer };
}

/** Whether each failure made null of its own place alone. */
const isWhole = ({ text, errors }: Answer): boolean => {
  const data: unknown = JSON.parse(text);
  return errors.every(({ path }) => path && path.reduce<unknown>((at, key) => (at as any)?.[key], data) === null);
};

test(`${OPERATIONS} random operations are answered as graphql-js answers them (SEED=${FROM})`, async () => {
  const failures: string[] = [];
  const counts = { invalid: 0, documents: 0, operations: 0, withErrors: 0, withNullAbove: 0, dataless: 0, characters: 0 };
  for (let from = FROM; counts.operations < OPERATIONS && failures.length < 5; from++) {
    const draw = drawing(from);
    const drawn = drawOperation(strict, draw);
    const document = parse(drawn.source);
    if (validate(strict, document).length > 0) {
      counts.invalid += 1;
      continue;
    }
    counts.documents += 1;
    const runs = drawn.variables.map((variables) => ({ document, variables, weather: drawWeather(draw) }));
    // All at once: what belongs to one run must not get into another.
    const outcomes = await Promise.all(runs.map((run) => outcome(ours, strict, run, { timed: true })));
    for (const [i, run] of runs.entries()) {
      const { answer } = outcomes[i]!;
      const { wrong, reference } = await judged(run, outcomes[i]!);
      const said = [answer, reference].map(({ text, errors }) => `${text} ${JSON.stringify(errors)}`);
      if (wrong.length > 0)
        failures.push([`SEED=${from}`, ...wrong, drawn.source, JSON.stringify(run.variables), ...said].join('\n'));
      counts.operations += 1;
      counts.withErrors += answer.errors.length > 0 ? 1 : 0;
      counts.withNullAbove += isWhole(reference) ? 0 : 1;
      counts.dataless += answer.text === 'null' ? 1 : 0;
      counts.characters += answer.text.length;
    }
  }
  if (process.env.FIGURES) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(failures).toEqual([]);
  expect(counts.withErrors).toBeGreaterThan(counts.operations / 10);
  expect(counts.withNullAbove).toBeGreaterThan(counts.operations / 20);
});
