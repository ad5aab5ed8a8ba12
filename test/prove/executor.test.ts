import { expect, test } from '@jest/globals';
import { parse, validate } from 'graphql';
import { type Answer, ours, theirs } from '../kit/executor-both.ts';
import { differences } from '../kit/executor-compare.ts';
import { drawOperation } from '../kit/executor-operations.ts';
import { lenient, strict, type Weather, World } from '../kit/executor-world.ts';
import { seed, size } from '../kit/prove.ts';
import { type Draw, drawing } from './fuzz/drawing.ts';

/** Our executor against graphql-js: the same schema, the same documents, the same values. `FIGURES=1` prints what was asked. */
const FROM = seed();
const OPERATIONS = size(1_500, 50_000);

const drawWeather = (draw: Draw): Weather => ({
  salt: draw.below(2 ** 32),
  failing: draw.pick([0, 0.02, 0.1, 0.3]),
  late: draw.pick([0, 0.1, 0.5, 1]),
});

test(`${OPERATIONS} random operations are answered as graphql-js answers them (SEED=${FROM})`, async () => {
  const failures: string[] = [];
  const counts = { invalid: 0, documents: 0, operations: 0, withErrors: 0, withNullAbove: 0, dataless: 0, characters: 0 };
  for (let from = FROM; counts.operations < OPERATIONS && failures.length < 5; from++) {
    const draw = drawing(from);
    const { source, variables } = drawOperation(strict, draw);
    const document = parse(source);
    if (validate(strict, document).length > 0) {
      counts.invalid += 1;
      continue;
    }
    counts.documents += 1;
    const runs = variables.map((values) => ({ values, weather: drawWeather(draw) }));
    // All at once: what belongs to one run must not get into another.
    const answers = await Promise.all(
      runs.map(async ({ values, weather }) => {
        const world = new World(weather, { timed: true });
        return { world, answer: await ours(strict, document, { variables: values, context: () => world }) };
      }),
    );
    for (const [i, { values, weather }] of runs.entries()) {
      const { world, answer } = answers[i]!;
      // In their own time graphql-js would leave failures to nobody, beside an item of a list that fails at once. The values are the same.
      const atOnce = new World(weather, { timed: false });
      const reference = await theirs(strict, document, { variables: values, context: () => atOnce });
      const everything = () =>
        theirs(lenient, document, { variables: values, context: () => new World(weather, { timed: false, tellsOfNull: true }) });
      const wrong = await differences(strict, document, [answer, reference], everything);
      if (String(world.begun) !== String(atOnce.begun)) wrong.push('other mutations');
      if (isWhole(reference)) {
        const inTime = await theirs(strict, document, { variables: values, context: () => new World(weather, { timed: true }) });
        wrong.push(...(await differences(strict, document, [answer, inTime], everything)));
      }
      if (wrong.length > 0)
        failures.push(
          [
            `SEED=${from}, run ${i}`,
            ...wrong,
            source,
            JSON.stringify(values),
            answer.text,
            reference.text,
            JSON.stringify(answer.errors),
            JSON.stringify(reference.errors),
          ].join('\n'),
        );
      counts.operations += 1;
      counts.withErrors += answer.errors.length > 0 ? 1 : 0;
      counts.withNullAbove += isWhole(reference) ? 0 : 1;
      counts.dataless += answer.text === 'null' ? 1 : 0;
      counts.characters += answer.text.length;
    }
  }
  if (process.env.FIGURES) process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(failures).toEqual([]);
});

/** Whether each failure made null of its own place alone. */
const isWhole = ({ text, errors }: Answer): boolean => {
  const data: unknown = JSON.parse(text);
  return errors.every(({ path }) => path && path.reduce<unknown>((at, key) => (at as any)?.[key], data) === null);
};
