import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';

/**
 * Each type, field, argument and input field of the standard node schema (EIP-1767, as the execution-apis publish it) by its schema coordinate:
 * the kind of a type, or the type of an element.
 */
const STANDARD: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../../schema/standard.json', import.meta.url), 'utf8'),
);

const graph = readFileSync(new URL('../../../schema/graph.graphql', import.meta.url), 'utf8');

const kindOf = (type: GraphQLNamedType): string =>
  isObjectType(type) ? 'type' : isInputObjectType(type) ? 'input' : isScalarType(type) ? 'scalar' : 'another kind';

/** The kinds and types of a schema by coordinate. */
function elementsOf(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const elements = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    elements.set(type.name, kindOf(type));
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) elements.set(`${type.name}.${field.name}`, String(field.type));
    }
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      elements.set(`${type.name}.${field.name}`, String(field.type));
      for (const argument of field.args) elements.set(`${type.name}.${field.name}(${argument.name}:)`, String(argument.type));
    }
  }
  return elements;
}

/** The required arguments and input fields of a schema that have no default value, by coordinate. */
function requiredInputs(schema: GraphQLSchema): string[] {
  const isRequired = ({ type, defaultValue }: { type: unknown; defaultValue?: unknown }) =>
    isNonNullType(type) && defaultValue === undefined;
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(isRequired);
      return fields.map(({ name }) => `${type.name}.${name}`);
    }
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.filter(isRequired).map(({ name }) => `${type.name}.${field.name}(${name}:)`),
    );
  });
}

/** The coordinate of the field or the input type that an argument or an input field belongs to. */
const ownerOf = (coordinate: string): string => coordinate.replace(/\(.*|\.\w+$/, '');

/** The differences because of which an operation for the standard schema can fail against another schema. */
function violations(schema: GraphQLSchema): string[] {
  const elements = elementsOf(schema);
  const different = Object.entries(STANDARD).flatMap(([coordinate, expected]) => {
    const actual = elements.get(coordinate);
    if (actual === undefined) return [`${coordinate} is missing`];
    return actual === expected ? [] : [`${coordinate} is ${actual}, not ${expected}`];
  });
  const added = requiredInputs(schema).filter((coordinate) => !(coordinate in STANDARD) && ownerOf(coordinate) in STANDARD);
  return [...different, ...added.map((coordinate) => `${coordinate} is required, but the standard does not have it`)];
}

test('the graph has each element of the standard schema with its type', () => {
  expect(violations(buildSchema(graph))).toEqual([]);
});

test.each([
  ['a missing field', /"""[^"]*"""\s+cumulativeGasUsed: Long\n/, '', 'Transaction.cumulativeGasUsed is missing'],
  ['a nullable field', 'stateRoot: Bytes32!', 'stateRoot: Bytes32', 'Block.stateRoot is Bytes32, not Bytes32!'],
  ['an argument of a narrower type', 'hash: Bytes32\n', 'hash: Bytes32!\n', 'Query.block(hash:) is Bytes32!, not Bytes32'],
  ['an added required argument', 'gasPrice: BigInt!', 'gasPrice(unit: Int!): BigInt!', 'Transaction.gasPrice(unit:) is required'],
  ['a type of another kind', 'scalar Bytes32.*', 'enum Bytes32 { ZERO }', 'Bytes32 is another kind, not scalar'],
])('the rule about the standard schema finds %s', (_case, before, after, violation) => {
  const changed = graph.replaceAll(new RegExp(before, 'g'), after);
  expect(changed).not.toBe(graph);
  expect(violations(buildSchema(changed)).join('\n')).toContain(violation);
});
