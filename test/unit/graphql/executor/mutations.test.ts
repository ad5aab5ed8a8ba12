import { expect, test } from '@jest/globals';
import { executeWithGrimoire, parseValid, resolveLater, schemaOf } from '../../../support/executor/differential-execution.ts';

/** Records which fields started and ended. */
interface MutationLog {
  readonly entries: string[];
  /** The running fields. */
  busy: number;
}

const createMutationLog = (): MutationLog => ({ entries: [], busy: 0 });

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await resolveLater(undefined);
};

const act = async (
  _source: unknown,
  { name, takes = 0, fails }: { name: string; takes?: number; fails?: boolean },
  retained: MutationLog,
) => {
  retained.entries.push(`${name} begins${retained.busy > 0 ? ' too early' : ''}`);
  retained.busy += 1;
  await turns(takes);
  retained.busy -= 1;
  retained.entries.push(`${name} ends`);
  if (fails) throw new Error(`${name} fails`);
  return {
    name,
    below: async () => {
      retained.busy += 1;
      await turns(3);
      retained.busy -= 1;
      retained.entries.push(`below ${name}`);
      return name;
    },
  };
};

const schema = schemaOf(
  `
    type Query { it: Int }
    type Mutation {
      act(name: String!, takes: Int, fails: Boolean): Done
      must(name: String!, takes: Int, fails: Boolean): Done!
      now(name: String!, fails: Boolean): String
      nowOrNever(name: String!, fails: Boolean): String!
    }
    type Done { name: String!, below: String, never: Int! }
  `,
  {
    Mutation: {
      act,
      must: act,
      now: (_source: unknown, { name, fails }: { name: string; fails?: boolean }, { entries }: MutationLog) => {
        entries.push(name);
        if (fails) throw new Error(`${name} fails`);
        return name;
      },
      nowOrNever: (_source: unknown, { name, fails }: { name: string; fails?: boolean }, { entries }: MutationLog) => {
        entries.push(name);
        return fails ? null : name;
      },
    },
  },
);

test('mutations of two operations run concurrently', async () => {
  const retained = createMutationLog();
  const document = parseValid(
    schema,
    'mutation ($name: String!) { a: act(name: $name, takes: 3) { name } b: act(name: $name) { name } }',
  );
  const run = (name: string) => executeWithGrimoire(schema, document, { variables: { name }, context: () => retained });
  const results = await Promise.all([run('x'), run('y')]);
  expect(results.map(({ text }) => text)).toEqual(['{"a":{"name":"x"},"b":{"name":"x"}}', '{"a":{"name":"y"},"b":{"name":"y"}}']);
  expect(retained.entries.slice(0, 2)).toEqual(['x begins', 'y begins too early']);
});
