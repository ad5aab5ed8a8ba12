import { expect, test } from '@jest/globals';
import {
  executeWithBoth,
  executeWithGrimoire,
  parseValid,
  resolveLater,
  schemaOf,
} from '../../../support/executor/differential-execution.ts';

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

const ALL = ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'];

test.each<[string, string, string, string[]]>([
  [
    'run one after the other',
    'a: act(name: "a", takes: 5) { name } b: act(name: "b") { name } c: act(name: "c", takes: 1) { name }',
    '{"a":{"name":"a"},"b":{"name":"b"},"c":{"name":"c"}}',
    ALL,
  ],
  [
    'start after everything below the previous field is complete',
    'a: act(name: "a") { below } b: act(name: "b") { below }',
    '{"a":{"below":"a"},"b":{"below":"b"}}',
    ['a begins', 'a ends', 'below a', 'b begins', 'b ends', 'below b'],
  ],
  [
    'that are synchronous run in order',
    'a: now(name: "a") b: act(name: "b", takes: 2) { name } c: now(name: "c")',
    '{"a":"a","b":{"name":"b"},"c":"c"}',
    ['a', 'b begins', 'b ends', 'c'],
  ],
  [
    'continue after a failed field',
    'a: act(name: "a", takes: 1, fails: true) { name } b: now(name: "b", fails: true) c: act(name: "c") { name }',
    '{"a":null,"b":null,"c":{"name":"c"}}',
    ['a begins', 'a ends', 'b', 'c begins', 'c ends'],
  ],
  [
    'stop after a failed non-null field',
    'a: now(name: "a") b: must(name: "b", takes: 1, fails: true) { name } c: now(name: "c")',
    'null',
    ['a', 'b begins', 'b ends'],
  ],
  [
    'stop after a synchronous null of a non-null field',
    'a: now(name: "a") b: nowOrNever(name: "b", fails: true) c: now(name: "c")',
    'null',
    ['a', 'b'],
  ],
  [
    'continue after a failure below a field',
    'a: act(name: "a") { never } b: now(name: "b")',
    '{"a":null,"b":"b"}',
    ['a begins', 'a ends', 'b'],
  ],
  [
    'with the same response key run once',
    'act(name: "a") { name } ...F',
    '{"act":{"name":"a","below":"a"}}',
    ['a begins', 'a ends', 'below a'],
  ],
  [
    'are ordered by their first node',
    'b: now(name: "b") ... on Mutation { a: now(name: "a") b: now(name: "b") } __typename',
    '{"b":"b","a":"a","__typename":"Mutation"}',
    ['b', 'a'],
  ],
  [
    'that are skipped do not run',
    'a: now(name: "a") @skip(if: true) ... @include(if: false) { b: now(name: "b") } c: now(name: "c")',
    '{"c":"c"}',
    ['c'],
  ],
])('mutation fields %s', async (_case, fields, expected, entries) => {
  const diaries: MutationLog[] = [];
  const context = () => diaries[diaries.push(createMutationLog()) - 1];
  const spread = fields.includes('...F') ? ' fragment F on Mutation { act(name: "a") { below } }' : '';
  expect((await executeWithBoth(schema, `mutation { ${fields} }${spread}`, { context })).text).toBe(expected);
  expect(diaries.map((one) => one.entries)).toEqual([entries, entries]);
});

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
