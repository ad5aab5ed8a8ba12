import { describe, expect, test } from '@jest/globals';
import { executeWithGrimoire, parseValid, schemaOf } from '../../../support/executor/differential-execution.ts';

describe('argument objects', () => {
  const received = new Map<unknown, number>();
  const counting = schemaOf('type Query { it(a: Int, b: Int): Int, many: [Query!] }', {
    Query: {
      it: (_source: unknown, args: unknown) => void received.set(args, (received.get(args) ?? 0) + 1),
      many: () => [{}, {}, {}],
    },
  });

  const counts = () => {
    const all = [...received.values()];
    received.clear();
    return all;
  };

  test('argument objects are shared by list items, and by executions when no variable is used', async () => {
    const document = parseValid(counting, 'query ($v: Int) { it(a: 1) many { it(a: 2) other: it(a: $v) } }');
    await executeWithGrimoire(counting, document, { variables: { v: 1 } });
    await executeWithGrimoire(counting, document, { variables: { v: 2 } });
    expect(counts().sort()).toEqual([2, 3, 3, 6]);
  });

  test('argument objects are frozen', async () => {
    const document = parseValid(counting, 'query ($v: Int) { it(a: $v) b: it c: it(a: 1) }');
    await executeWithGrimoire(counting, document, { variables: { v: 1 } });
    expect([...received.keys()].map((args) => Object.isFrozen(args))).toEqual([true, true, true]);
    counts();
  });
});
