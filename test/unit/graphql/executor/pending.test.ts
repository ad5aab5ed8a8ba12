import { describe, expect, test } from '@jest/globals';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import {
  executeWithGrimoire,
  parseValid,
  rejectLater,
  resolveLater,
  schemaOfField,
  thenable,
} from '../../../support/executor/differential-execution.ts';
import { executionRequest } from '../../../support/executor/execution-request.ts';

/** Jest fails a test with an unhandled rejection. All promises here settle before the test ends. */
describe('the executor handles every rejection', () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

  const responseText = async (type: string, resolve: () => unknown, source: string) => {
    const schema = schemaOfField(type, resolve);
    const { text } = await executeWithGrimoire(schema, parseValid(schema, source));
    await settled();
    return text;
  };

  test.each<[string, string, () => unknown, string, string]>([
    [
      'a field throws before another rejects',
      'Thing',
      () => ({ its: rejectLater(new Error('x'), 2), sure: null }),
      '{ its { name } sure }',
      '{"it":null}',
    ],
    [
      'an item throws before one that rejects later',
      '[Int!]',
      () => [null, rejectLater(new Error('x'), 2), Promise.reject(new Error('y'))],
      '',
      '{"it":null}',
    ],
    [
      'an item throws before a list from a thenable with a rejecting item',
      '[[Int!]!]',
      () => {
        const list = [1, rejectLater(new Error('x'), 2)];
        return [null, thenable((resolve) => resolve(list))];
      },
      '',
      '{"it":null}',
    ],
    [
      'an iterator throws',
      '[Int!]',
      () => ({
        *[Symbol.iterator]() {
          yield rejectLater(new Error('x'), 2);
          throw new Error('y');
        },
      }),
      '',
      '{"it":null}',
    ],
  ])('executor handles every rejection when %s', async (_case, type, resolve, below, expected) => {
    expect(await responseText(type, resolve, `{ it ${below} }`)).toBe(expected);
  });

  test('executor handles every rejection when the root fails while other fields are pending', async () => {
    let made = 0;
    const resolve = () => (made++ === 0 ? rejectLater(new Error('x'), 2) : null);
    expect(await responseText('Int!', resolve, '{ a: it b: it }')).toBe('null');
  });
});

describe('a result is final when it is returned', () => {
  test.each<[string, () => unknown]>([
    ['synchronously', () => null],
    ['asynchronously', () => resolveLater(null)],
  ])('returned result does not change when a field fails after null propagated %s', async (_case, missing) => {
    const schema = schemaOfField('Thing!', () => ({
      sure: missing(),
      name: rejectLater(new Error('too late'), 10),
      one: { sure: rejectLater(new Error('too late'), 5) },
    }));
    const document = parseValid(schema, '{ it { name one { sure } sure } }');
    const result = await createExecutor(schema).execute({ ...executionRequest(schema, document)!, context: {} });
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(result?.data).toBeNull();
    expect(result?.errors?.map(({ message }) => message)).toEqual(['Cannot return null for non-nullable field Thing.sure.']);
  });

  test('executor returns a result even if a discarded promise never settles', async () => {
    const never = new Promise(() => {});
    const schema = schemaOfField('Thing', () => ({ its: never, sure: null, all: [never] }));
    expect((await executeWithGrimoire(schema, parseValid(schema, '{ it { its { name } all { name } sure } other }'))).text).toBe(
      '{"it":null,"other":1}',
    );
  });
});
