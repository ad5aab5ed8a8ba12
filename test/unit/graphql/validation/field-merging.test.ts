import { describe, expect, test } from '@jest/globals';
import { buildSchema, type DocumentNode, parse, print, specifiedRules, validate, visit } from 'graphql';
import { fieldMergingRule } from '../../../../src/graphql/validation/field-merging.ts';
import { validateDocument } from '../../../../src/graphql/validation/validate-document.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

const schema = buildSchema(`
  input Size { x: Int y: [Int] }
  interface Node { id: ID a: Int self: Node }
  type Cat implements Node { id: ID a: Int b: Int! c(n: Int, size: Size): [Int] self: Node other: Dog only: Cat }
  type Dog implements Node { id: ID a: Int b: Int c(n: Int, size: Size): [String] self: Node other: Cat only: [Dog] }
  union Pet = Cat | Dog
  type Query { node: Node pet: Pet cat: Cat dog: Dog }
`);

const LIMITS = { MAX_TOKENS: 1e9, MAX_DEPTH: 99, MAX_ALIASES: 999, MAX_DIRECTIVES: 9, MAX_ROOT_FIELDS: 99, MAX_FRAGMENTS: 9 };
const validationMessages = (document: DocumentNode): readonly string[] =>
  validateDocument(schema, document, LIMITS, 9).map(({ message }) => message);

describe('field merging', () => {
  test.each([
    ['{ cat { id id } cat { id a } }'],
    ['{ pet { ... on Cat { c(n: 1) } ... on Dog { id } } }'],
    ['{ pet { ... on Cat { x: id } ... on Dog { x: id } } }'],
    ['{ pet { ... on Cat { self { x: id } } ... on Dog { self { x: id } } } }'],
    ['{ cat { c(n: 1, size: { x: 1, y: [2] }) c(size: { y: [2], x: 1 }, n: 1) } }'],
    // The preparer rejects an operation of a type that the schema does not have.
    ['mutation { unknown }'],
  ])('validation accepts %s', (query) => {
    expect(validationMessages(parse(query))).toEqual([]);
  });

  test.each([
    ['{ cat { x: id x: a } }', '"id" and "a" are different fields'],
    ['{ cat { c(n: 1) c(n: 2) } }', 'they have differing arguments'],
    ['{ cat { c c(n: 2) } }', 'they have differing arguments'],
    ['{ cat { c(size: { y: [1, 2] }) c(size: { y: [2, 1] }) } }', 'they have differing arguments'],
    ['{ pet { ... on Cat { b } ... on Dog { b } } }', 'they return conflicting types "Int!" and "Int"'],
    ['{ pet { ... on Cat { only { id } } ... on Dog { only { id } } } }', 'they return conflicting types "Cat" and "[Dog]"'],
    ['{ cat { only { x: id } } ...F } fragment F on Query { cat { only { x: a } } }', '"id" and "a" are different fields'],
    ['{ node { x: id } node { ... on Cat { x: a } } }', '"id" and "a" are different fields'],
    ['{ pet { ... on Cat { x: id } ... on Dog { x: a } } }', 'they return conflicting types "ID" and "Int"'],
  ])('validation rejects %s', (query, reason) => {
    expect(validationMessages(parse(query))).toEqual([expect.stringContaining(`conflict because ${reason}. Use different`)]);
  });

  const seed = readSeed();
  test(`validation rejects the documents that graphql-js rejects (seed ${seed})`, () => {
    const draw = createRandomChoices(seed);
    const objectFields: Record<string, Record<string, string>> = {
      Cat: { self: 'Node', other: 'Dog', only: 'Cat' },
      Dog: { self: 'Node', other: 'Cat', only: 'Dog' },
      Node: { self: 'Node' },
      Query: { node: 'Node', pet: 'Pet', cat: 'Cat', dog: 'Dog' },
    };
    const nodeLeaves = ['id', 'a', 'x: id', 'x: a', '__typename'];
    const leaves: Record<string, string[]> = { Query: ['__typename'], Node: nodeLeaves, Pet: ['__typename'] };
    const fields = (type: string, depth: number): string =>
      draw
        .many(1 + draw.below(3), () => {
          const kind = draw.below(depth > 0 ? 8 : 3);
          const below = Object.entries(objectFields[type] ?? {});
          if (kind === 3) return `...F${draw.below(3)}`;
          if (kind > 5 && type !== 'Query') {
            const condition = draw.pick([type, 'Cat', 'Dog', 'Node', 'Pet']);
            return `... on ${condition} { ${fields(condition, depth - 1)} }`;
          }
          if (kind < 3 || below.length === 0)
            return draw.pick(leaves[type] ?? [...nodeLeaves, 'b', 'c(n: 1)', 'c(n: 2)', 'a: b']);
          const [name, returned] = draw.pick(below);
          return `${draw.pick(['', 'x: ', 'other: '])}${name} { ${fields(returned, depth - 1)} }`;
        })
        .join(' ');
    const counts = { valid: 0, conflicting: 0 };
    for (let i = 0; i < runSize(1_000, 200_000); i++) {
      const fragments = ['Cat', 'Dog', 'Node'].map((type, n) => `fragment F${n} on ${type} { ${fields(type, 1)} }`);
      const used = `{ cat { ...F0 ...F2 } dog { ...F1 } ${fields('Query', 3)} }`;
      const document = parse([used, ...fragments].join(' '));
      const actual = validationMessages(document);
      const expected = validate(schema, document, specifiedRules);
      expect({ seed, text: print(document), isValid: actual.length === 0 }).toMatchObject({ isValid: expected.length === 0 });
      if (expected.length === 0) counts.valid++;
      else if (expected.every(({ message }) => message.includes('conflict'))) counts.conflicting++;
    }
    expect(Math.min(counts.valid, counts.conflicting)).toBeGreaterThan(50);
  });
});

test('arguments of a field in a fragment are compared once for all its spreads', () => {
  const field = 'c(size: { y: [1, 2] })';
  const readsOf = (count: number) => {
    const spreads = Array.from({ length: count }, (_none, i) => `x${i}: only { ...F }`).join(' ');
    const document = parse(`{ cat { ${spreads} } } fragment F on Cat { ${field} ${field} }`);
    let reads = 0;
    visit(document, {
      ListValue(node) {
        const { values } = node;
        Object.defineProperty(node, 'values', {
          get() {
            reads += 1;
            return values;
          },
        });
      },
    });
    expect(validate(schema, document, [fieldMergingRule])).toEqual([]);
    return reads;
  };
  expect(readsOf(50)).toBe(readsOf(1));
});
