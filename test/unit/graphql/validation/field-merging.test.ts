import { describe, expect, test } from '@jest/globals';
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, separateOperations, type ValidationRule, validate } from 'graphql';
import { fieldMergingRule } from '../../../../src/graphql/validation/field-merging.ts';
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

const messages = (query: string, rule: ValidationRule): readonly string[] =>
  validate(schema, parse(query), [rule]).map(({ message }) => message);

describe('fieldMergingRule', () => {
  test.each([
    ['{ cat { id id } cat { id a } }'],
    ['{ pet { ... on Cat { c(n: 1) } ... on Dog { id } } }'],
    ['{ pet { ... on Cat { x: id } ... on Dog { x: id } } }'],
    ['{ pet { ... on Cat { self { x: id } } ... on Dog { self { x: id } } } }'],
    ['{ cat { c(n: 1, size: { x: 1, y: [2] }) c(size: { y: [2], x: 1 }, n: 1) } }'],
    ['{ cat { ...A } } fragment A on Cat { only { ...A } }'],
  ])('fieldMergingRule accepts %s', (query) => {
    expect(messages(query, fieldMergingRule)).toEqual([]);
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
  ])('fieldMergingRule rejects %s', (query, reason) => {
    expect(messages(query, fieldMergingRule)).toEqual([expect.stringContaining(`conflict because ${reason}. Use different`)]);
  });

  const seed = readSeed();
  test(`fieldMergingRule rejects the documents that graphql-js rejects (seed ${seed})`, () => {
    const draw = createRandomChoices(seed);
    const objectFields = ['self', 'other', 'only', 'x: self', 'x: other', 'other: only'];
    const leaves = ['id', 'a', 'b', 'c', 'c(n: 1)', 'c(n: 2)', 'x: id', 'x: a', 'a: b', '__typename', 'unknown'];
    const fields = (depth: number): string =>
      draw
        .many(1 + draw.below(3), () => {
          const kind = draw.below(depth > 0 ? 8 : 3);
          if (kind < 3) return draw.pick(leaves);
          if (kind === 3) return `...F${draw.below(3)}`;
          if (kind < 6) return `${draw.pick(objectFields)} { ${fields(depth - 1)} }`;
          return `... ${draw.pick(['', 'on Cat', 'on Dog', 'on Node', 'on Pet'])} { ${fields(depth - 1)} }`;
        })
        .join(' ');
    let rejected = 0;
    const runs = runSize(500, 200_000);
    for (let i = 0; i < runs; i++) {
      // A fragment spreads only later ones, so that there is no cycle.
      const fragment = (n: number): string =>
        `fragment F${n} on ${draw.pick(['Cat', 'Dog', 'Node', 'Pet'])} { ${fields(2).replace(/F\d/g, () => `F${n + 1}`)} }`;
      const roots = draw.many(2, () => `${draw.pick(['node', 'pet', 'cat', 'dog', 'x: cat', 'x: dog'])} { ${fields(3)} }`);
      const query = `{ ${roots.join(' ')} ${draw.pick(['', '...R'])} } fragment R on Query { ${roots[0]} }
        ${fragment(0)} ${fragment(1)} fragment F2 on Node { id ${draw.pick(['a', 'x: a', 'x: id'])} } fragment F3 on Node { a }`;
      // graphql-js also checks fragments that no operation uses, which another rule rejects.
      const document = Object.values(separateOperations(parse(query)))[0]!;
      const [actual, expected] = [fieldMergingRule, OverlappingFieldsCanBeMergedRule].map(
        (rule) => validate(schema, document, [rule]).length > 0,
      );
      expect({ seed, query, isRejected: actual }).toEqual({ seed, query, isRejected: expected });
      rejected += Number(actual);
    }
    expect(rejected).toBeGreaterThan(runs / 20);
    expect(rejected).toBeLessThan(runs);
  });
});
