import { describe, expect, test } from '@jest/globals';
import { getOperationAST } from 'graphql';
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

/** Jest fails a test in which a rejection goes unhandled. All of these have had their turns by the end. */
describe('nobody is left with a failure that he cannot handle', () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

  const answer = async (type: string, resolve: () => unknown, source: string) => {
    const schema = schemaOfField(type, resolve);
    const { text } = await executeWithGrimoire(schema, parseValid(schema, source));
    await settled();
    return text;
  };

  test.each<[string, string, () => unknown, string, string]>([
    [
      'a field fails at once beside one that will',
      'Thing',
      () => ({ its: rejectLater(new Error('x'), 2), sure: null }),
      '{ its { name } sure }',
      '{"it":null}',
    ],
    [
      'a field fails late beside one that will later',
      'Thing',
      () => ({ its: rejectLater(new Error('x'), 5), sure: rejectLater(new Error('y')) }),
      '{ its { name } sure }',
      '{"it":null}',
    ],
    [
      'an object fails late beside one that has failed',
      'Thing',
      () => ({ its: resolveLater({ its: rejectLater(new Error('x'), 2) }), sure: null }),
      '{ its { its { name } } sure }',
      '{"it":null}',
    ],
    ['an item fails at once after one that will', '[Int!]', () => [rejectLater(new Error('x'), 2), null], '', '{"it":null}'],
    [
      'an item fails at once before one that will',
      '[Int!]',
      () => [null, rejectLater(new Error('x'), 2), Promise.reject(new Error('y'))],
      '',
      '{"it":null}',
    ],
    [
      'an item of a set fails at once before one that will',
      '[Int!]',
      () => new Set([null, rejectLater(new Error('x'), 2)]),
      '',
      '{"it":null}',
    ],
    [
      'an item fails at once before a list to come, in which one will',
      '[[Int!]!]',
      () => [null, resolveLater([1, rejectLater(new Error('x'), 2)])],
      '',
      '{"it":null}',
    ],
    [
      'an item fails at once before a list that comes in a promise of another make, in which one will',
      '[[Int!]!]',
      () => {
        const list = [1, rejectLater(new Error('x'), 2)];
        return [null, thenable((resolve) => resolve(list))];
      },
      '',
      '{"it":null}',
    ],
    [
      'all items fail',
      '[Int!]!',
      () => [rejectLater(new Error('x'), 2), rejectLater(new Error('y')), Promise.reject(new Error('z'))],
      '',
      'null',
    ],
    [
      'a list ends with an error',
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
      'a list of lists fails',
      '[[Int!]!]!',
      () => [[rejectLater(new Error('x'), 2)], [null], [Promise.reject(new Error('y'))]],
      '',
      'null',
    ],
  ])('when %s', async (_case, type, resolve, below, expected) => {
    expect(await answer(type, resolve, `{ it ${below} }`)).toBe(expected);
  });

  test('when the top fails beside what is still to come', async () => {
    let made = 0;
    const resolve = () => (made++ === 0 ? rejectLater(new Error('x'), 2) : null);
    expect(await answer('Int!', resolve, '{ a: it b: it }')).toBe('null');
  });
});

describe('an answer is complete when it is given', () => {
  test.each<[string, () => unknown]>([
    ['at once', () => null],
    ['late', () => resolveLater(null)],
  ])('so that what fails after null has gone up %s does not change it', async (_case, missing) => {
    const schema = schemaOfField('Thing!', () => ({
      sure: missing(),
      name: rejectLater(new Error('too late'), 10),
      one: { sure: rejectLater(new Error('too late'), 5) },
    }));
    const document = parseValid(schema, '{ it { name one { sure } sure } }');
    const operation = getOperationAST(document)!;
    const result = await createExecutor(schema)({ document, operation, variables: {}, context: {} });
    await new Promise((resolve) => setTimeout(resolve, 25));
    expect(result?.data).toBeNull();
    expect(result?.errors?.map(({ message }) => message)).toEqual(['Cannot return null for non-nullable field Thing.sure.']);
  });

  test('so that what comes after null has gone up is written nowhere', async () => {
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

  test('although something never comes that nobody waits for any more', async () => {
    const never = new Promise(() => {});
    const schema = schemaOfField('Thing', () => ({ its: never, sure: null, all: [never] }));
    expect((await executeWithGrimoire(schema, parseValid(schema, '{ it { its { name } all { name } sure } other }'))).text).toBe(
      '{"it":null,"other":1}',
    );
  });
});
