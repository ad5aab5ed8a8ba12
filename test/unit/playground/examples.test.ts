import { expect, test } from '@jest/globals';
import { EXAMPLE_GROUPS } from '../../../playground/examples/example.ts';
import { examples } from '../../support/clients/playground-page.ts';

test('each group of the playground has examples, and each example belongs to a group', () => {
  expect(new Set(examples.map(({ group }) => group))).toEqual(new Set(EXAMPLE_GROUPS));
});

test('the examples have different titles and operation names', () => {
  expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length);
  expect(new Set(examples.map(({ operationName }) => operationName)).size).toBe(examples.length);
});
