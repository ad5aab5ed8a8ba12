import { expect, test } from '@jest/globals';
import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';
import {
  type ExecutionOutcome,
  executeWithGraphqlJs,
  executeWithGrimoire,
} from '../../../support/executor/differential-execution.ts';
import { outcomeDifferences } from '../../../support/executor/outcome-differences.ts';
import { randomExecutorOperation } from '../../../support/executor/random-operations.ts';
import { type RandomRates, RandomValues, type RandomValuesOptions } from '../../../support/executor/random-values.ts';
import { nullableSchema, strictSchema } from '../../../support/executor/schema.ts';
import { createRandomChoices, type RandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

/** The executor against graphql-js with random documents and values. `FIGURES=1` prints counts. */
const FROM = readSeed();
const OPERATIONS = runSize(400, 50_000);

const randomRates = (draw: RandomChoices): RandomRates => ({
  salt: draw.below(2 ** 32),
  failureRate: draw.pick([0, 0.02, 0.1, 0.3]),
  delayRate: draw.pick([0, 0.1, 0.5, 1]),
});

/** A document with its variables and resolver values. */
interface Run {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly weather: RandomRates;
}

/** The response of an executor, and its mutations in starting order. */
interface Outcome {
  readonly answer: ExecutionOutcome;
  readonly begun: readonly string[];
}

async function outcome(
  execute: typeof executeWithGrimoire,
  schema: GraphQLSchema,
  run: Run,
  time: RandomValuesOptions,
): Promise<Outcome> {
  const world = new RandomValues(run.weather, time);
  const answer = await execute(schema, run.document, { variables: run.variables, context: () => world });
  return { answer, begun: world.startedMutations };
}

/** The differences of our response, and the response of graphql-js. */
async function compareWithReference(
  run: Run,
  { answer, begun }: Outcome,
): Promise<{ wrong: string[]; reference: ExecutionOutcome }> {
  // graphql-js leaves asynchronous failures beside an item that fails at once unhandled. The values are the same.
  const atOnce = await outcome(executeWithGraphqlJs, strictSchema, run, { isAsync: false });
  const everything = async () =>
    (await outcome(executeWithGraphqlJs, nullableSchema, run, { isAsync: false, emitsNullErrors: true })).answer;
  const compare = (reference: ExecutionOutcome) =>
    outcomeDifferences(strictSchema, run.document, [answer, reference], everything);
  const wrong = [...(await compare(atOnce.answer))];
  if (String(begun) !== String(atOnce.begun)) wrong.push('other mutations');
  if (isWhole(atOnce.answer))
    wrong.push(...(await compare((await outcome(executeWithGraphqlJs, strictSchema, run, { isAsync: true })).answer)));
  return { wrong, reference: atOnce.answer };
}

/** Whether each failure set only its own position to null. */
const isWhole = ({ text, errors }: ExecutionOutcome): boolean => {
  const data: unknown = JSON.parse(text);
  return errors.every(({ path }) => path && path.reduce<unknown>((at, key) => (at as any)?.[key], data) === null);
};

test(`${OPERATIONS} random operations return the responses of graphql-js (SEED=${FROM})`, async () => {
  const failures: string[] = [];
  const counts = { invalid: 0, documents: 0, operations: 0, withErrors: 0, withNullAbove: 0, dataless: 0, characters: 0 };
  for (let from = FROM; counts.operations < OPERATIONS && failures.length < 5; from++) {
    const draw = createRandomChoices(from);
    const drawn = randomExecutorOperation(strictSchema, draw);
    const document = parse(drawn.source);
    if (validate(strictSchema, document).length > 0) {
      counts.invalid += 1;
      continue;
    }
    counts.documents += 1;
    const runs = drawn.variables.map((variables) => ({ document, variables, weather: randomRates(draw) }));
    // Concurrently, so that a leak between runs would show.
    const outcomes = await Promise.all(runs.map((run) => outcome(executeWithGrimoire, strictSchema, run, { isAsync: true })));
    for (const [i, run] of runs.entries()) {
      const { answer } = outcomes[i]!;
      const { wrong, reference } = await compareWithReference(run, outcomes[i]!);
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
