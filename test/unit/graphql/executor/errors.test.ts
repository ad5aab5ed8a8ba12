import { describe, expect, test } from '@jest/globals';
import {
  executeWithBoth,
  executeWithGrimoire,
  parseValid,
  rejectLater,
  schemaOfField,
  thenable,
} from '../../../support/executor/differential-execution.ts';

const fail = (message: string) => () => {
  throw new Error(message);
};

/** Errors as `path: message`. */
const errorTexts = (errors: readonly { path?: readonly (string | number)[] | undefined; message: string }[]) =>
  errors.map(({ path, message }) => `${path?.join('.')}: ${message}`);

const NULL_NAME = 'Cannot return null for non-nullable field';

describe('field errors equal those of graphql-js', () => {
  /** These thenables fail in graphql-js, where `then` must return a promise and must not resolve with another promise. */
  test.each<[string, () => unknown, string]>([
    ['rejected', () => thenable((_resolve, reject) => reject(new Error('x'))), 'x'],
    ['rejected by the promise that it resolves with', () => thenable((resolve) => resolve(rejectLater(new Error('x')))), 'x'],
  ])('field error is reported for a thenable that is %s', async (_case, resolve, message) => {
    const schema = schemaOfField('[Int]', () => [resolve(), 1]);
    const { text, errors } = await executeWithGrimoire(schema, parseValid(schema, '{ it }'));
    expect(text).toBe('{"it":[null,1]}');
    expect(errorTexts(errors)).toEqual([`it.0: ${message}`]);
  });
});

test('an error has the locations of all merged nodes', async () => {
  const schema = schemaOfField('[Thing]', () => [{ sure: null }]);
  const { errors } = await executeWithBoth(
    schema,
    '{\n it { one { name } }\n ...F\n}\nfragment F on Query {\n  it { sure ...G }\n}\nfragment G on Thing { sure }',
  );
  expect(errors).toEqual([{ message: `${NULL_NAME} Thing.sure.`, path: ['it', 0, 'sure'], locations: '6:8 8:23' }]);
  const whole = await executeWithBoth(schemaOfField('Int', fail('x')), '{\n it\n self { it }\n ... { it }\n}');
  expect(whole.errors.map(({ locations }) => locations)).toEqual(['2:2 4:8', '3:9']);
});
