import { expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** Returns the coordinates of a schema without a description. */
function undescribed(schema: GraphQLSchema): string[] {
  const missing: string[] = [];
  const check = (parent: string, { name, description }: Described) => {
    const coordinate = parent === '' ? name : `${parent}.${name}`;
    if (!description?.trim()) missing.push(coordinate);
    return coordinate;
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || ['Int', 'Float', 'String', 'Boolean', 'ID'].includes(type.name)) continue;
    check('', type);
    if (isEnumType(type)) for (const value of type.getValues()) check(type.name, value);
    if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) check(type.name, field);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        const coordinate = check(type.name, field);
        for (const argument of field.args) check(coordinate, argument);
      }
    }
  }
  // Root types need no description.
  return missing.filter((name) => !['Query', 'Mutation', 'Subscription'].includes(name));
}

test('every type, field, argument, input and enum value has a description', () => {
  expect(undescribed(composeSchema(domains))).toEqual([]);
});

test('the rule about descriptions finds elements without one', () => {
  const sdl = '"T" type Query { "f" f(a: E, "b" b: I): String g: Int } "E" enum E { A "B" B } input I { x: Int }';
  expect(undescribed(buildSchema(sdl))).toEqual(['Query.f.a', 'Query.g', 'E.A', 'I', 'I.x']);
});

test('the description of the schema names EIP-1767', () => {
  expect(composeSchema(domains).description).toMatch(/EIP-1767/);
});
