import { describe, expect, test } from '@jest/globals';
import { buildSchema, GraphQLError, type GraphQLFormattedError, graphql } from 'graphql';
import { formatError, toGraphError } from '../../../src/graphql/format-error.ts';
import { GraphError } from '../../../src/lib/errors.ts';

const errorLocation = { locations: [{ line: 1, column: 3 }], path: ['block', 'hash'] };
const wrapped = (originalError: Error) => new GraphQLError(originalError.message, { originalError });
const formattedAs = (code: string, message = 'the message of the library'): GraphQLFormattedError => ({
  message,
  ...errorLocation,
  extensions: { code, stacktrace: ['at some file'], exception: { secret: 'inside' } },
});

test('formatError returns only the message, code and details of a GraphError', () => {
  const failure = new GraphError('UPSTREAM_RATE_LIMITED', 'The node limits.', {
    method: 'eth_call',
    retryAfterMs: 2000,
    cause: new Error('a key'),
  });
  expect(formatError(formattedAs('INTERNAL_SERVER_ERROR'), wrapped(failure))).toEqual({
    message: 'The node limits.',
    ...errorLocation,
    extensions: { code: 'UPSTREAM_RATE_LIMITED', retryable: true, source: 'node', method: 'eth_call', retryAfterMs: 2000 },
  });
});

test.each([
  ['a syntax error', 'GRAPHQL_PARSE_FAILED', false],
  ['a request without a document', 'BAD_REQUEST', false],
  ['a persisted query', 'PERSISTED_QUERY_NOT_SUPPORTED', true],
])('formatError returns the message of the library for %s', (_case, code, retryable) => {
  expect(formatError(formattedAs(code, 'Syntax Error: Unexpected "}".'), new GraphQLError('x'))).toEqual({
    message: 'Syntax Error: Unexpected "}".',
    ...errorLocation,
    extensions: { code, retryable, source: 'graph' },
  });
});

describe('INTERNAL_SERVER_ERROR', () => {
  const internal = { code: 'INTERNAL_SERVER_ERROR', retryable: false, source: 'graph' };
  test.each<[string, GraphQLFormattedError, unknown]>([
    ['an unexpected error', formattedAs('INTERNAL_SERVER_ERROR'), wrapped(new TypeError('x is not a function'))],
    ['an unknown error code', formattedAs('SOMETHING_ELSE'), new GraphQLError('x')],
    ['an error code that is an Object.prototype property', formattedAs('constructor'), new GraphQLError('x')],
    ['an error without a code', { message: 'x', ...errorLocation }, new GraphQLError('x')],
    ['a thrown string', { message: 'x', ...errorLocation }, 'thrown text with a key in it'],
  ])('formatError returns INTERNAL_SERVER_ERROR with a fixed message for %s', (_case, formatted, error) => {
    expect(formatError(formatted, error)).toEqual({
      message: 'Something went wrong in this server.',
      ...errorLocation,
      extensions: internal,
    });
  });
});

describe('node value of the wrong type', () => {
  const schema = buildSchema(
    'type Query { name: String!, list: [String!], items: [String!], count: Int, flag: Boolean, block: Block } type Block { hash: String! }',
  );
  const wrongType = 'The node returned a value that does not match the type of this field.';
  test.each<[string, string, unknown, string]>([
    ['null in a non-null field', 'name', null, 'The node returned no valid value for Query.name.'],
    ['a number for a list', 'list', 5, 'The node returned no valid value for Query.list.'],
    ['text for an integer', 'count', 'a key', wrongType],
    ['an object for text', 'name', { key: 'a key' }, wrongType],
  ])('formatError returns UPSTREAM_BAD_RESPONSE for %s from the node', async (_case, field, value, message) => {
    const { errors } = await graphql({ schema, source: `{ ${field} }`, rootValue: { [field.split(' ')[0]!]: value } });
    const error = formatError(errors![0]!.toJSON(), errors![0]);
    expect(error).toMatchObject({
      message,
      path: errors![0]!.path,
      extensions: { code: 'UPSTREAM_BAD_RESPONSE', source: 'node' },
    });
    expect(JSON.stringify(error)).not.toContain('a key');
  });
});

test('toGraphError sets the cause of an unexpected error for the log', () => {
  const thrown = new TypeError('x is not a function');
  expect(toGraphError(wrapped(thrown)).cause).toBe(thrown);
});
