import { expect, test } from '@jest/globals';
import { buildSchema, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { NO_BUDGET_LIMITS } from '../../../src/lib/operation-budget.ts';
import { OperationPreparer } from '../../../src/operation/prepare.ts';

const schema = buildSchema('type Query { f(a: Int, b: [Int!], c: In): Int } input In { x: Int! y: Int = 5 }');
const sizes = { MAX_TOKENS: 100, MAX_DEPTH: 9, MAX_ALIASES: 9, MAX_DIRECTIVES: 9, MAX_ROOT_FIELDS: 9, MAX_FRAGMENTS: 9 };
const limits = { ...NO_BUDGET_LIMITS, ...sizes, MAX_BLOCKS: 1, INTROSPECTION: 'on' as const };
const options = { requestId: 'test', origin: { transport: 'http', receivedAt: 0, trace: undefined } } as const;
const query = 'query ($a: Int = 3, $constructor: [Int!], $__proto__: In) { f(a: $a, b: $constructor, c: $__proto__) }';

test.each(['{ "a": 1, "constructor": 2, "__proto__": { "x": 4 } }', '{ "a": null, "constructor": [1] }', '{}'])(
  'variables are coerced as graphql-js does: %s',
  (json) => {
    const { variableDefinitions } = parse(query).definitions[0] as OperationDefinitionNode;
    const { coerced } = getVariableValues(schema, variableDefinitions!, JSON.parse(json));
    const { variableValues } = new OperationPreparer({ schema, limits, weights: {} }).prepare(
      { query, variables: JSON.parse(json) },
      options,
    );
    expect(Object.entries(variableValues)).toEqual(Object.entries(coerced!));
  },
);
