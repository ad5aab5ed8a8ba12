import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { addCacheTags } from '../../../../src/graphql/federation/subgraph-sdl.ts';

/** Adds cache tags to SDL and returns the lines that have changed. */
function changedLines(sdl: string): string[] {
  const document = parse(`scalar Long scalar Address ${sdl}`);
  const before = new Set(print(document).split('\n'));
  return print(addCacheTags(document))
    .split('\n')
    .filter((line) => !before.has(line))
    .map((line) => line.trim());
}

test('cache tags of an entity name the required field of its key', () => {
  expect(
    changedLines('type BlockHeader @key(fields: "number") { number: Long!, hash: String! } type Leaf { number: Long! }'),
  ).toEqual(['type BlockHeader @key(fields: "number") @cacheTag(format: "blockHeader-{$key.number}") {']);
});

test('cache tags of an entity leave out the nullable field of its key', () => {
  expect(changedLines('type Account @key(fields: "address _at") { address: Address!, _at: String }')).toContain(
    'type Account @key(fields: "address _at") @cacheTag(format: "account-{$key.address}") {',
  );
});

test('cache tags of a root field name the field, and the entity if a required argument finds it', () => {
  const lines = changedLines(`
    type Wizard @key(fields: "id") { id: ID! }
    type Query { wizard(id: ID!): Wizard wizards(first: Int): [Wizard!]! any(id: ID): Wizard price(unit: String!): Int }
    extend type Query { other: Int }
    type Mutation { bump(id: ID!): Wizard }
  `);
  expect(lines.slice(1)).toEqual([
    'wizard(id: ID!): Wizard @cacheTag(format: "wizard") @cacheTag(format: "wizard-{$args.id}")',
    'wizards(first: Int): [Wizard!]! @cacheTag(format: "wizards")',
    'any(id: ID): Wizard @cacheTag(format: "any")',
    'price(unit: String!): Int @cacheTag(format: "price")',
    'other: Int @cacheTag(format: "other")',
  ]);
});
