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
import { composeSchema } from '../../src/graphql/federation/compose.ts';
import { domains } from '../../src/serve.ts';

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** Everything of a schema that a reader of the docs meets without a word about it. */
function undescribed(schema: GraphQLSchema): string[] {
  const silent: string[] = [];
  const check = (place: string, { name, description }: Described) => {
    const coordinate = place === '' ? name : `${place}.${name}`;
    if (!description?.trim()) silent.push(coordinate);
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
  // The root types speak for themselves.
  return silent.filter((name) => !['Query', 'Mutation', 'Subscription'].includes(name));
}

test('every type, field, argument, input and enum value is described', () => {
  expect(undescribed(composeSchema(domains))).toEqual([]);
});

test('the rule sees what has no description', () => {
  const sdl = '"T" type Query { "f" f(a: E, "b" b: I): String g: Int } "E" enum E { A "B" B } input I { x: Int }';
  expect(undescribed(buildSchema(sdl))).toEqual(['Query.f.a', 'Query.g', 'E.A', 'I', 'I.x']);
});

test('the schema of the graph has a description for its front page', () => {
  expect(composeSchema(domains).description).toMatch(/EIP-1767/);
});
