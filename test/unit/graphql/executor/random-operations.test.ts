import { expect, test } from '@jest/globals';
import { type DocumentNode, parse, validate } from 'graphql';
import {
  type ExecutionOutcome,
  executeWithGraphqlJs,
  executeWithGrimoire,
} from '../../../support/executor/differential-execution.ts';
import { outcomeDifferences } from '../../../support/executor/outcome-differences.ts';
import { randomExecutorOperation } from '../../../support/executor/random-operations.ts';
import { type RandomRates, RandomValues } from '../../../support/executor/random-values.ts';
import { strictSchema } from '../../../support/executor/schema.ts';
import { createRandomChoices, type RandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

/** The executor against graphql-js with random documents and values. `FIGURES=1` prints counts. */
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
  readonly rates: RandomRates;
}

/** The response of an executor, and its mutations in starting order. */
interface Outcome {
  readonly response: ExecutionOutcome;
  readonly mutations: readonly string[];
}

async function outcome(execute: typeof executeWithGrimoire, run: Run, isAsync: boolean): Promise<Outcome> {
  const values = new RandomValues(run.rates, isAsync);
  const response = await execute(strictSchema, run.document, { variables: run.variables, context: () => values });
  return { response, mutations: values.startedMutations };
}

/** The differences of our response, and the response of graphql-js. */
async function compareWithReference(
  run: Run,
  { response, mutations }: Outcome,
): Promise<{ differences: string[]; reference: ExecutionOutcome }> {
  // Synchronous values: graphql-js does not handle asynchronous failures beside an item that fails at once.
  const synchronous = await outcome(executeWithGraphqlJs, run, false);
  const differences = outcomeDifferences(response, synchronous.response);
  if (String(mutations) !== String(synchronous.mutations)) differences.push('other mutations in starting order');
  if (isWhole(synchronous.response))
    differences.push(...outcomeDifferences(response, (await outcome(executeWithGraphqlJs, run, true)).response));
  return { differences, reference: synchronous.response };
}

/** Whether each failure set only its own position to null. */
const isWhole = ({ text, errors }: ExecutionOutcome): boolean => {
  const data: unknown = JSON.parse(text);
  return errors.every(({ path }) => path && path.reduce<unknown>((at, key) => (at as any)?.[key], data) === null);
};

test(`${OPERATIONS} random operations return the responses of graphql-js`, async () => {
  const failures: string[] = [];
  const counts = { invalid: 0, documents: 0, operations: 0, withErrors: 0, withNullAbove: 0, dataless: 0, characters: 0 };
  for (let from = readSeed(); counts.operations < OPERATIONS && failures.length < 5; from++) {
    const draw = createRandomChoices(from);
    const generated = randomExecutorOperation(strictSchema, draw);
    const document = parse(generated.source);
    if (validate(strictSchema, document).length > 0) {
      counts.invalid += 1;
      continue;
    }
    counts.documents += 1;
    const runs = generated.variables.map((variables) => ({ document, variables, rates: randomRates(draw) }));
    // Concurrently, so that state that leaks between runs causes a difference.
    const outcomes = await Promise.all(runs.map((run) => outcome(executeWithGrimoire, run, true)));
    for (const [i, run] of runs.entries()) {
      const { response } = outcomes[i]!;
      const { differences, reference } = await compareWithReference(run, outcomes[i]!);
      const responses = [response, reference].map(({ text, errors }) => `${text} ${JSON.stringify(errors)}`);
      if (differences.length > 0)
        failures.push([`SEED=${from}`, ...differences, generated.source, JSON.stringify(run.variables), ...responses].join('\n'));
      counts.operations += 1;
      counts.withErrors += response.errors.length > 0 ? 1 : 0;
      counts.withNullAbove += isWhole(reference) ? 0 : 1;
      counts.dataless += response.text === 'null' ? 1 : 0;
      counts.characters += response.text.length;
    }
  }
  if (process.env.FIGURES) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(failures).toEqual([]);
  expect(counts.withErrors).toBeGreaterThan(counts.operations / 10);
  expect(counts.withNullAbove).toBeGreaterThan(counts.operations / 20);
});
