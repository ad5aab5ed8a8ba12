import { describe, expect, test } from '@jest/globals';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import {
  executeWithBoth,
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
      'a field rejects before another rejects',
      'Thing',
      () => ({ its: rejectLater(new Error('x'), 5), sure: rejectLater(new Error('y')) }),
      '{ its { name } sure }',
      '{"it":null}',
    ],
    [
      'an object rejects after another failed',
      'Thing',
      () => ({ its: resolveLater({ its: rejectLater(new Error('x'), 2) }), sure: null }),
      '{ its { its { name } } sure }',
      '{"it":null}',
    ],
    ['an item throws after one that rejects later', '[Int!]', () => [rejectLater(new Error('x'), 2), null], '', '{"it":null}'],
    [
      'an item throws before one that rejects later',
      '[Int!]',
      () => [null, rejectLater(new Error('x'), 2), Promise.reject(new Error('y'))],
      '',
      '{"it":null}',
    ],
    [
      'an item of a set throws before one that rejects later',
      '[Int!]',
      () => new Set([null, rejectLater(new Error('x'), 2)]),
      '',
      '{"it":null}',
    ],
    [
      'an item throws before a promised list with a rejecting item',
      '[[Int!]!]',
      () => [null, resolveLater([1, rejectLater(new Error('x'), 2)])],
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
      'all items reject',
      '[Int!]!',
      () => [rejectLater(new Error('x'), 2), rejectLater(new Error('y')), Promise.reject(new Error('z'))],
      '',
      'null',
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
    [
      'a list of lists rejects',
      '[[Int!]!]!',
      () => [[rejectLater(new Error('x'), 2)], [null], [Promise.reject(new Error('y'))]],
      '',
      'null',
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

  test('returned result does not contain values that resolve after null propagated', async () => {
    const value = () => ({
      one: { name: resolveLater('a'), sure: null },
      its: { its: { name: resolveLater('b') }, sure: resolveLater(1) },
      sure: 2,
      name: resolveLater('c'),
    });
    const schema = schemaOfField('[Thing]', () => [value(), resolveLater(value())]);
    const { text } = await executeWithBoth(schema, '{ it { sure one { name sure } its { its { name } sure } name } }');
    const each = '{"sure":2,"one":null,"its":{"its":{"name":"b"},"sure":1},"name":"c"}';
    expect(text).toBe(`{"it":[${each},${each}]}`);
  });

  test('executor returns a result even if a discarded promise never settles', async () => {
    const never = new Promise(() => {});
    const schema = schemaOfField('Thing', () => ({ its: never, sure: null, all: [never] }));
    expect((await executeWithGrimoire(schema, parseValid(schema, '{ it { its { name } all { name } sure } other }'))).text).toBe(
      '{"it":null,"other":1}',
    );
  });
});
