import { expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { graphql } from '../../../explorer/graph/documents.ts';
import { withoutInvalidFragments } from '../../../explorer/graph/optional-fragments.ts';

const schema = buildSchema('type Query { block(number: Int): Block } type Block { id: ID, number: Int }');

/** The errors of a document as a server returns them. */
const errorsOf = (text: string) =>
  validate(schema, parse(text)).map((error) => ({ ...error.toJSON(), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }));

/** The text of a document that the schema of the client does not have. */
const documentOf = (text: string, fragments: readonly string[] = []): string =>
  String((graphql as unknown as (text: string, fragments: readonly string[]) => string)(text, fragments));

const DUELS = documentOf(`
  fragment BlockDuels on Block @_unmask {
    duels { id }
  }
`);
const WIZARD = documentOf(`
  fragment FoundWizard on Query @_unmask {
    wizard(id: $text) @include(if: $isNumber) { id }
  }
`);

test('document without the fragments that the schema lacks is valid, without their variables', () => {
  const text = documentOf(
    `
    query Search($number: Int, $text: ID!, $isNumber: Boolean!) {
      block(number: $number) {
        number
        ...BlockDuels
      }
      ...FoundWizard
    }
  `,
    [DUELS, WIZARD],
  );
  const valid = withoutInvalidFragments(text, errorsOf(text));
  expect(valid).toBe('query Search($number: Int) {\n  block(number: $number) {\n    number\n  }\n}');
  expect(errorsOf(valid!)).toEqual([]);
});

test('document that has an error outside of its fragments is not changed', () => {
  const text = documentOf('\n  query Home {\n    duels { id }\n    block { ...BlockDuels }\n  }\n', [DUELS]);
  expect(withoutInvalidFragments(text, errorsOf(text))).toBeNull();
  expect(withoutInvalidFragments('query { block { number } }', [])).toBeNull();
});

test('error that is none of validation changes no document', () => {
  const errors = [{ message: '', locations: [{ line: 3 }], extensions: { code: 'UPSTREAM_TIMEOUT' } }];
  expect(withoutInvalidFragments(documentOf('\n  query A {\n    a\n  }\n', [DUELS]), errors)).toBeNull();
});
