import { describe, expect, test } from '@jest/globals';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { executeWithBoth, executeWithGrimoire, parseValid, schemaOf } from '../../../support/executor/differential-execution.ts';

/** Shows whether it was parsed from a literal or a value, and rejects 13. */
const odd = (from: string, value: unknown): string => {
  if (value === 13 || value === '13') throw new GraphQLError('13 is not odd enough.');
  return `${from} ${value}`;
};

const Odd = new GraphQLScalarType({
  name: 'Odd',
  parseValue: (value) => odd('value', value),
  parseLiteral: (node) => odd('literal', node.kind === Kind.INT ? node.value : node.kind),
});

const argumentsText = (_source: unknown, args: unknown) => JSON.stringify(args);

const schema = schemaOf(
  `
    type Query {
      echo(int: Int, text: String, list: [Int!], lists: [[Int]], in: In, color: Color, odd: Odd, odds: [Odd!], one: One): String
      defaults(int: Int = 1, text: String! = "a", list: [Int!]! = [1, 2], in: In = {sure: 3, color: null}, color: Color = GREEN, odd: Odd = 5): String
      must(int: Int!, in: In): String
      nulls(int: Int = null, list: [Int] = [null]): String
      many: [Query!]
    }
    input In { int: Int, sure: Int! = 7, in: In, list: [In!], color: Color = RED }
    input One @oneOf { int: Int, text: String }
    enum Color { RED, GREEN }
    scalar Odd
  `,
  {
    Query: { echo: argumentsText, defaults: argumentsText, must: argumentsText, nulls: argumentsText, many: () => [{}, {}] },
    Color: { RED: { r: 255 }, GREEN: 2 },
    Odd,
  },
);

const RED = { r: 255 };

/** The arguments that the selected field receives. */
const argumentsOf = async (source: string, variables?: Record<string, unknown>) => {
  const { text, errors } = await executeWithBoth(schema, source, variables ? { variables } : {});
  expect(errors).toEqual([]);
  return JSON.parse(Object.values(JSON.parse(text))[0] as string);
};

test.each<[string, string, unknown]>([
  ['no values', 'echo', {}],
  ['an integer', 'echo(int: 1)', { int: 1 }],
  ['a string', 'echo(text: "\\u0041\\n\\"")', { text: 'A\n"' }],
  ['a block string', 'echo(text: """\n    a\n      b\n  """)', { text: 'a\n  b' }],
  ['null', 'echo(int: null, in: null)', { int: null, in: null }],
  ['a list', 'echo(list: [1, 2])', { list: [1, 2] }],
  ['one item for a list', 'echo(list: 1)', { list: [1] }],
  ['one item for a list of lists', 'echo(lists: 1)', { lists: [[1]] }],
  ['lists of lists', 'echo(lists: [[1], null, [null], []])', { lists: [[1], null, [null], []] }],
  ['an enum as its internal value', 'echo(color: RED)', { color: RED }],
  ['an object with its defaults', 'echo(in: {int: 1})', { in: { int: 1, sure: 7, color: RED } }],
  [
    'objects in objects',
    'echo(in: {in: {sure: 1, color: null}, list: {sure: 2}, color: GREEN})',
    { in: { sure: 7, in: { sure: 1, color: null }, list: [{ sure: 2, color: RED }], color: 2 } },
  ],
  ['a custom scalar', 'echo(odd: 1, odds: [3, x])', { odd: 'literal 1', odds: ['literal 3', 'literal EnumValue'] }],
  ['a oneOf input', 'echo(one: {text: "a"})', { one: { text: 'a' } }],
  ['defaults', 'defaults', { int: 1, text: 'a', list: [1, 2], in: { sure: 3, color: null }, color: 2, odd: 'value 5' }],
  [
    'null instead of a default',
    'defaults(int: null, in: null, color: null, odd: null)',
    { int: null, text: 'a', list: [1, 2], in: null, color: null, odd: null },
  ],
  [
    'a value instead of a default',
    'defaults(text: "b", list: [], in: {})',
    { int: 1, text: 'b', list: [], in: { sure: 7, color: RED }, color: 2, odd: 'value 5' },
  ],
  ['null as a default', 'nulls', { int: null, list: [null] }],
])('resolver receives %s as arguments', async (_case, field, expected) => {
  expect(await argumentsOf(`{ ${field} }`)).toEqual(expected);
});

test.each<[string, string, string, Record<string, unknown> | undefined, unknown]>([
  ['a value', '$v: Int', 'echo(int: $v)', { v: 1 }, { int: 1 }],
  ['null', '$v: Int', 'echo(int: $v)', { v: null }, { int: null }],
  ['no value, which is not null', '$v: Int', 'echo(int: $v)', {}, {}],
  ['no variables', '$v: Int', 'echo(int: $v)', undefined, {}],
  ['its default', '$v: Int = 2', 'echo(int: $v)', {}, { int: 2 }],
  ['null instead of its default', '$v: Int = 2', 'echo(int: $v)', { v: null }, { int: null }],
  [
    'no value for an argument with a default',
    '$v: Int',
    'defaults(int: $v)',
    {},
    { int: 1, text: 'a', list: [1, 2], in: { sure: 3, color: null }, color: 2, odd: 'value 5' },
  ],
  ['null for an argument with a default', '$v: [Int]', 'nulls(list: $v)', { v: null }, { int: null, list: null }],
  ['a list', '$v: [Int!]', 'echo(list: $v)', { v: [1, 2] }, { list: [1, 2] }],
  ['one item for a list', '$v: [Int!]', 'echo(list: $v)', { v: 1 }, { list: [1] }],
  ['an item of a list', '$v: Int!', 'echo(list: [0, $v])', { v: 1 }, { list: [0, 1] }],
  ['null for an absent list item', '$v: Int', 'echo(lists: [[0, $v]])', {}, { lists: [[0, null]] }],
  ['an enum', '$v: Color', 'echo(color: $v)', { v: 'RED' }, { color: RED }],
  [
    'an object',
    '$v: In',
    'echo(in: $v)',
    { v: { in: { int: 1 } } },
    { in: { in: { int: 1, sure: 7, color: RED }, sure: 7, color: RED } },
  ],
  ['a field of an input object', '$v: Int', 'echo(in: {int: $v})', { v: 1 }, { in: { int: 1, sure: 7, color: RED } }],
  ['no value for a field of an input object', '$v: Int', 'echo(in: {int: $v})', {}, { in: { sure: 7, color: RED } }],
  ['the default of a field of an input object', '$v: Color', 'echo(in: {color: $v})', {}, { in: { sure: 7, color: RED } }],
  [
    'a field of a nested input object',
    '$v: [In!]',
    'echo(in: {in: {list: $v}})',
    { v: [{}] },
    { in: { in: { list: [{ sure: 7, color: RED }], sure: 7, color: RED }, sure: 7, color: RED } },
  ],
  ['a custom scalar', '$v: Odd', 'echo(odd: $v)', { v: 1 }, { odd: 'value 1' }],
  ['a default of a custom scalar', '$v: Odd = 3', 'echo(odd: $v)', {}, { odd: 'literal 3' }],
  ['a oneOf input', '$v: Int!', 'echo(one: {int: $v})', { v: 1 }, { one: { int: 1 } }],
])('variable passes %s to its argument', async (_case, declared, field, variables, expected) => {
  expect(await argumentsOf(`query (${declared}) { ${field} }`, variables)).toEqual(expected);
});

test.each<[string, string, string, Record<string, unknown>, string]>([
  [
    'null for a non-null argument',
    '$v: Int = 1',
    'must(int: $v)',
    { v: null },
    'Argument "int" of non-null type "Int!" must not be null.',
  ],
  [
    'null for a non-null input field',
    '$v: Int = 1',
    'echo(in: {sure: $v})',
    { v: null },
    'Argument "in" has invalid value {sure: $v}.',
  ],
  ['null for a non-null list item', '$v: Int = 1', 'echo(list: [$v])', { v: null }, 'Argument "list" has invalid value [$v].'],
])('%s is an error of its field only', async (_case, declared, field, variables, message) => {
  const { text, errors } = await executeWithBoth(schema, `query (${declared}) { echo it: ${field} many { ${field} } }`, {
    variables,
  });
  expect(JSON.parse(text).it).toBeNull();
  expect(errors.map((error) => error.path?.join('.'))).toEqual([
    'it',
    `many.0.${field.split('(')[0]}`,
    `many.1.${field.split('(')[0]}`,
  ]);
  expect(errors.map((error) => error.message)).toEqual(Array(3).fill(message));
});

describe('argument objects', () => {
  const received = new Map<unknown, number>();
  const counting = schemaOf('type Query { it(a: Int, b: Int): Int, many: [Query!] }', {
    Query: {
      it: (_source: unknown, args: unknown) => void received.set(args, (received.get(args) ?? 0) + 1),
      many: () => [{}, {}, {}],
    },
  });

  const counts = () => {
    const all = [...received.values()];
    received.clear();
    return all;
  };

  test('argument objects are shared by list items, and by executions when no variable is used', async () => {
    const document = parseValid(counting, 'query ($v: Int) { it(a: 1) many { it(a: 2) other: it(a: $v) } }');
    await executeWithGrimoire(counting, document, { variables: { v: 1 } });
    await executeWithGrimoire(counting, document, { variables: { v: 2 } });
    expect(counts().sort()).toEqual([2, 3, 3, 6]);
  });

  test('argument objects are frozen', async () => {
    const document = parseValid(counting, 'query ($v: Int) { it(a: $v) b: it c: it(a: 1) }');
    await executeWithGrimoire(counting, document, { variables: { v: 1 } });
    expect([...received.keys()].map((args) => Object.isFrozen(args))).toEqual([true, true, true]);
    counts();
  });
});
