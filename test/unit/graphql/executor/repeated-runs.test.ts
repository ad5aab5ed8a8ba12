import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DocumentNode,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  GraphQLSchema,
  getArgumentValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import { memoizePerSelection, type Selection, selectionOf } from '../../../../src/graphql/selection.ts';
import { collectGarbage } from '../../../support/collect-garbage.ts';
import {
  executeWithGraphqlJs,
  executeWithGrimoire,
  parseValid,
  resolveLater,
  schemaOf,
} from '../../../support/executor/differential-execution.ts';

/** The selection below a block, with arguments. */
const plan = memoizePerSelection((info) => {
  made += 1;
  return textOf(selectionOf(info), info);
});

let made = 0;

beforeEach(() => {
  made = 0;
});

function textOf(selection: Selection, info: GraphQLResolveInfo): string {
  const fields = (info.schema.getType('Block') as GraphQLObjectType).getFields();
  const parts = Object.values(fields).flatMap((field) => {
    if (!selection.has(field.name)) return [];
    const args = selection.nodes(field.name).map((node) => JSON.stringify(getArgumentValues(field, node, info.variableValues)));
    const below = selection.subselection(field.name);
    return `${field.name}(${args.join('|')})${field.name === 'parent' ? `[${textOf(below, info)}]` : ''}`;
  });
  return parts.join();
}

const block = (_source: unknown, _args: unknown, _context: unknown, info: GraphQLResolveInfo) => ({ plan: plan(info) });

const schema = schemaOf(
  `
    scalar Any
    type Query { block(at: Any): Block, blocks(at: Any): [Block], node: Node, keep(it: Any): Int, context: Any }
    interface Node { parent(at: Any): Block }
    type Block implements Node { plan: String, hash(of: Any = 0): Int, logs(filter: Any): [Int], parent(at: Any): Block }
  `,
  {
    Query: {
      block,
      blocks: () => [{}, resolveLater({}), {}],
      node: () => ({ __typename: 'Block' }),
      keep: (_source: unknown, { it }: { it?: { n: number } }) => it?.n,
      context: (_source: unknown, _args: unknown, context: unknown) => resolveLater(context),
    },
    Block: { parent: block, hash: (_source: unknown, { of }: { of: unknown }) => (typeof of === 'number' ? of : null) },
  },
);

/** Executes a document with each set of variables, sequentially and then concurrently, and compares the results with graphql-js. */
async function runs(source: string, each: readonly Record<string, unknown>[]): Promise<{ texts: string[]; made: number }> {
  const document = parseValid(schema, source);
  const expected = [];
  for (const variables of each) expected.push(await executeWithGraphqlJs(schema, document, { variables }));
  made = 0;
  const results = [];
  for (const variables of [...each, ...each]) results.push(await executeWithGrimoire(schema, document, { variables }));
  const afterwards = made;
  expect(results).toEqual([...expected, ...expected]);
  expect(await Promise.all(each.map((variables) => executeWithGrimoire(schema, document, { variables })))).toEqual(expected);
  return { texts: expected.map(({ text }) => text), made: afterwards };
}

/** Each document is executed twice with each of two or four sets of variables. */
describe('a memoized plan is computed', () => {
  const two = [{ v: 1 }, { v: 2 }];
  const four = [true, false].flatMap((is) => two.map(({ v }) => ({ v, is })));

  test.each<[string, string, readonly Record<string, unknown>[], number]>([
    ['once without variables', '{ block { plan hash(of: 3) } }', [{}, {}], 1],
    ['once when a variable is used elsewhere', 'query ($v: Any) { block { plan hash(of: 3) } keep(it: $v) }', two, 1],
    ['once when only the field itself uses a variable', 'query ($v: Any) { block(at: $v) { plan } }', two, 1],
    ['per execution when a variable is used below', 'query ($v: Any) { block { plan hash(of: $v) } }', two, 4],
    [
      'once below a field with a variable that its selection does not use',
      'query ($v: Any) { block(at: $v) { plan hash(of: $v) parent { plan hash } } }',
      two,
      5,
    ],
    ['per execution when a variable is in an object', 'query ($v: Any) { block { plan logs(filter: {a: {b: [$v]}}) } }', two, 4],
    [
      'per execution when a variable is in a fragment',
      'query ($v: Any) { block { plan ...F } } fragment F on Block { ...G } fragment G on Block { hash(of: $v) }',
      two,
      4,
    ],
    [
      'per execution when a variable is in another node of the field',
      'query ($v: Any) { block { plan } ...F } fragment F on Query { block { hash(of: $v) } }',
      two,
      4,
    ],
    ['once for all items of a list', '{ blocks { parent { plan hash } } }', [{}], 1],
    ['once per execution for all items of a list', 'query ($v: Any) { blocks { parent { plan hash(of: $v) } } }', two, 4],
    [
      'per value of a condition',
      'query ($is: Boolean!) { block { plan hash @skip(if: $is) } }',
      [{ is: true }, { is: false }],
      2,
    ],
    [
      'per value of a condition with a default',
      'query ($is: Boolean = true) { block { plan hash @skip(if: $is) } }',
      [{ is: true }, { is: false }, {}],
      2,
    ],
    [
      'per value of a condition elsewhere',
      'query ($is: Boolean!) { block { plan hash } keep @skip(if: $is) }',
      [{ is: true }, { is: false }],
      2,
    ],
    [
      'per value of a condition when a variable is used elsewhere',
      'query ($is: Boolean!, $v: Any) { block { plan hash @skip(if: $is) } keep(it: $v) }',
      four,
      2,
    ],
    [
      'per execution when a variable is used below a conditional field',
      'query ($is: Boolean!, $v: Any) { block { plan parent @skip(if: $is) { hash(of: $v) } } }',
      four,
      12,
    ],
  ])('memoized plan is computed %s', async (_case, source, variables, times) => {
    expect((await runs(source, variables)).made).toBe(times);
  });
});

test('the executor caches sixteen variants per operation and compiles others again', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const each = Array.from({ length: 20 }, (_, bits) =>
    Object.fromEntries(names.map((name, i) => [name, (bits & (1 << i)) !== 0])),
  );
  const source = `query (${names.map((name) => `$${name}: Boolean!`).join()}) { block { plan ${names.map((name) => `${name}: hash @skip(if: $${name})`).join(' ')} } }`;
  expect((await runs(source, each)).made).toBe(16 + 4 * 2);
});

test('memoized plan ignores the condition of a repeated fragment', async () => {
  const document = parseValid(
    schema,
    'query ($is: Boolean = true) { block { ...F plan ...F @skip(if: $is) } } fragment F on Block { hash }',
  );
  const { text, errors } = await executeWithGrimoire(schema, document, { variables: { is: null } });
  expect(errors).toEqual([]);
  expect(text).toBe('{"block":{"hash":0,"plan":"plan({}),hash({\\"of\\":0})"}}');
});

describe('the compiled operation cache', () => {
  /** Collects garbage until no reference is reachable, at most ten times. */
  const namesOfRetained = async (references: readonly [name: string, reference: WeakRef<object>][]): Promise<string[]> => {
    const retained = () => references.filter(([, reference]) => reference.deref() !== undefined).map(([name]) => name);
    for (let i = 0; i < 10; i++) {
      // Reading a reference keeps its object alive until the next turn.
      await resolveLater(undefined);
      collectGarbage();
      if (retained().length === 0) break;
    }
    return retained();
  };

  test('compiled operation cache retains neither an unreachable document nor, of an execution, more than condition variables', async () => {
    const sources = {
      'a variable besides directives': 'query ($v: Any, $is: Boolean!) { keep(it: $v) @include(if: $is) }',
      'a variable besides a static plan':
        'query ($v: Any, $is: Boolean = true) { keep(it: $v) block { plan hash @include(if: $is) parent { plan } } }',
      'a variable in a plan': 'query ($v: Any) { block { plan hash(of: $v) } blocks { parent(at: $v) { plan } } }',
    };
    // One collection for all, because a collection takes a third of a second.
    const references: [name: string, reference: WeakRef<object>][] = [];
    const documents = Object.entries(sources).map(([name, source]) => [name, parseValid(schema, source)] as const);
    const run = async (document: DocumentNode, n: number) => {
      const v = { n };
      await executeWithGrimoire(schema, document, { variables: { v, is: true }, context: () => v });
      return new WeakRef(v);
    };
    for (const [name, document] of documents) {
      references.push(
        [`${name}, first execution`, await run(document, 1)],
        [`${name}, second execution`, await run(document, 2)],
      );
    }
    const runUnreachable = async (): Promise<void> => {
      const document = parseValid(schema, '{ block { plan hash } blocks { hash } }');
      await executeWithGrimoire(schema, document);
      references.push(['a document', new WeakRef(document)], ['its operation', new WeakRef(document.definitions[0]!)]);
    };
    await runUnreachable();
    expect(await namesOfRetained(references)).toEqual([]);
    // The other documents and their compiled operations are still reachable.
    for (const [, document] of documents) await run(document, 3);
  });
});

test.each(['7', '[$v, 7]'])('the arguments of a fragment are coerced once for all its spreads: %s', async (value) => {
  let coerced = 0;
  const counted = new GraphQLScalarType({
    name: 'Counted',
    parseValue: (given) => given,
    parseLiteral() {
      coerced += 1;
      return coerced;
    },
  });
  const one = { type: GraphQLInt, args: { of: { type: new GraphQLList(counted) } }, resolve: () => 1 };
  const object = new GraphQLObjectType({ name: 'Thing', fields: { one } });
  const query = new GraphQLObjectType({ name: 'Query', fields: { thing: { type: object, resolve: () => ({}) } } });
  const spreads = ['a', 'b', 'c'].map((alias) => `${alias}: thing { ...F }`).join(' ');
  const document = parse(`query ($v: Counted) { ${spreads} } fragment F on Thing { one(of: ${value}) }`);
  const request = {
    document,
    operation: document.definitions[0] as OperationDefinitionNode,
    variableValues: { v: 1 },
    context: {},
  };
  const { data } = await createExecutor(new GraphQLSchema({ query })).execute(request);
  expect([String(data), coerced]).toEqual(['{"a":{"one":1},"b":{"one":1},"c":{"one":1}}', 1]);
});
