import { describe, expect, test } from '@jest/globals';
import type { GraphQLSchema } from 'graphql';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import { WindowedList, type WriteItems } from '../../../../src/graphql/executor/list-writer.ts';
import { ignoreRejections } from '../../../../src/graphql/executor/value-writer.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { type BudgetLimits, NO_BUDGET_LIMITS, OperationBudget } from '../../../../src/lib/operation-budget.ts';
import { parseValid, resolveLater, schemaOfField } from '../../../support/executor/differential-execution.ts';
import { executionRequest } from '../../../support/executor/execution-request.ts';

/** Lists that are written in parts, and operations that exceed their budget while they are written. */
async function execute(schema: GraphQLSchema, source: string, limits: Partial<BudgetLimits> = {}) {
  const document = parseValid(schema, source);
  const aborted: unknown[] = [];
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, ...limits }, (error) => aborted.push(error));
  const result = await createExecutor(schema).execute({
    ...executionRequest(schema, document)!,
    context: {},
    budget,
  });
  return { ...result, budget, aborted };
}

test('the rejection of a value is handled when the operation has ended before the value is written', async () => {
  const budget = new OperationBudget(NO_BUDGET_LIMITS);
  const handlers: unknown[] = [];
  const schema = schemaOfField('String', () => {
    budget.end(new GraphError('TIMEOUT', 'cancelled'));
    // biome-ignore lint/suspicious/noThenProperty: the executor accepts every thenable, and this one records its handlers.
    return { then: (...given: unknown[]) => handlers.push(...given) };
  });
  await createExecutor(schema).execute({ ...executionRequest(schema, parseValid(schema, '{ it }'))!, context: {}, budget });
  expect(handlers).toEqual([expect.any(Function), expect.any(Function)]);
});

const busyFor = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('a windowed list', () => {
  const windowsOf = (log: string[], failAt?: number) =>
    new WindowedList(async (write) => {
      for (let window = 0; window < 4; window++) {
        log.push(`load ${window}`);
        if (window === failAt) throw new Error('failed');
        await write([{ name: () => `${window}a` }, { name: () => resolveLater(`${window}b`) }]);
        log.push(`release ${window}`);
      }
    });

  test('a windowed list is loaded, written and released one window after the other', async () => {
    const log: string[] = [];
    const schema = schemaOfField('[Thing!]', () => windowsOf(log));
    const { data } = await execute(schema, '{ it { name } }');
    const names = ['0a', '0b', '1a', '1b', '2a', '2b', '3a', '3b'];
    expect(data!.toJSON()).toEqual({ it: names.map((name) => ({ name })) });
    expect(log).toEqual([0, 1, 2, 3].flatMap((i) => [`load ${i}`, `release ${i}`]));
  });

  test('a windowed list is null when a later window fails, and no further window is loaded', async () => {
    const log: string[] = [];
    const schema = schemaOfField('[Thing!]', () => windowsOf(log, 2));
    const { data, errors } = await execute(schema, '{ it { name } other }');
    expect(String(data)).toBe('{"it":null,"other":1}');
    expect(errors).toMatchObject([{ message: 'failed', path: ['it'] }]);
    expect(log).toEqual(['load 0', 'release 0', 'load 1', 'release 1', 'load 2']);
  });

  test('an error of an item has its index in the whole list', async () => {
    const writeTo = async (write: WriteItems<unknown>): Promise<void> => {
      write([{ sure: 1 }, { sure: 2 }]);
      write([{ sure: 3 }, { sure: null }]);
    };
    const schema = schemaOfField('[Thing]', () => new WindowedList(writeTo));
    const { data, errors } = await execute(schema, '{ it { sure } }');
    expect(data!.toJSON()).toEqual({ it: [{ sure: 1 }, { sure: 2 }, { sure: 3 }, null] });
    expect(errors).toMatchObject([{ path: ['it', 3, 'sure'] }]);
  });

  test('parts of a windowed list that wait for data are written in order, each once its data has arrived', async () => {
    const written: string[] = [];
    const arrivals: ((name: string) => void)[] = [];
    const part = () => [{ name: () => new Promise<string>((resolve) => void arrivals.push(resolve)) }];
    const schema = schemaOfField(
      '[Thing!]',
      () =>
        new WindowedList(async (write) => {
          const parts = ['a', 'b', 'c'].map((id) => write(part())!.then(() => void written.push(id)));
          arrivals[1]!('second');
          await parts[1];
          arrivals[0]!('first');
          arrivals[2]!('third');
          await Promise.all(parts);
        }),
    );
    const { data } = await execute(schema, '{ it { name } }');
    expect(data!.toJSON()).toEqual({ it: [{ name: 'first' }, { name: 'second' }, { name: 'third' }] });
    expect(written).toEqual(['b', 'a', 'c']);
  });

  test('a windowed list is null when an item that waits for data fails, and it writes no further part', async () => {
    const starts: number[] = [];
    const schema = schemaOfField(
      '[Thing!]!',
      () =>
        new WindowedList(async (write) => {
          for (let i = 0; i < 4; i++) {
            starts.push(i);
            await write([{ sure: () => resolveLater(i === 1 ? null : i) }]);
          }
        }),
    );
    const { data, errors } = await execute(schema, '{ it { sure } }');
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ['it', 1, 'sure'] }]);
    expect(starts).toEqual([0, 1, 2]);
  });
});

describe('a list that takes longer than a turn of the event loop', () => {
  const items = Array.from({ length: 4_000 }, (_, i) => i);
  const slowSchema = (log: string[]) =>
    schemaOfField('[Thing!]', () =>
      items.map((i) => ({
        name: () => {
          if (i % 640 === 0) busyFor(12);
          log.push(`item ${i}`);
          return `${i}`;
        },
      })),
    );

  test('other work runs between its items, and the response is complete', async () => {
    const log: string[] = [];
    const schema = slowSchema(log);
    const running = execute(schema, '{ it { name } }');
    setImmediate(() => setImmediate(() => log.push('other work')));
    const { data, budget } = await running;
    expect(data!.toJSON()).toEqual({ it: items.map((i) => ({ name: `${i}` })) });
    expect(log.indexOf('other work')).toBeGreaterThan(0);
    expect(log.indexOf('other work')).toBeLessThan(log.length - 1);
    expect(budget.eventLoopMs).toBeGreaterThan(36);
  });

  test('an operation above MAX_EVENT_LOOP_MS ends with one RESULT_TOO_LARGE and is aborted once', async () => {
    const log: string[] = [];
    const { data, errors, aborted } = await execute(slowSchema(log), '{ a: it { name } b: it { name } other }', {
      MAX_EVENT_LOOP_MS: 30,
    });
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { originalError: { extensions: { code: 'RESULT_TOO_LARGE', limit: 30, setting: 'MAX_EVENT_LOOP_MS' } } },
    ]);
    expect(aborted).toHaveLength(1);
    expect(log.length).toBeLessThan(8_000);
  });
});

describe('an operation above MAX_RESPONSE_BYTES', () => {
  const long = 'x'.repeat(10_000);
  const limit = { code: 'RESULT_TOO_LARGE', limit: 1_000_000, setting: 'MAX_RESPONSE_BYTES' };

  test.each<[string, string, () => unknown, string]>([
    ['a list of long values', '[Thing!]', () => Array.from({ length: 1_000 }, () => ({ name: long })), '{ it { name } }'],
    ['a list of promises of long values', '[String]', () => Array.from({ length: 1_000 }, () => resolveLater(long)), '{ it }'],
    ['one value under many aliases', 'String', () => long, `{ ${Array.from({ length: 150 }, (_, i) => `a${i}: it`).join(' ')} }`],
    [
      'windows of long values',
      '[String]',
      () =>
        new WindowedList(async (write) => {
          for (let i = 0; i < 100; i++) await write(Array.from({ length: 20 }, () => long));
        }),
      '{ it }',
    ],
  ])('operation above MAX_RESPONSE_BYTES ends with one RESULT_TOO_LARGE: %s', async (_case, type, resolve, source) => {
    const schema = schemaOfField(type, resolve);
    const { data, errors, budget } = await execute(schema, source, { MAX_RESPONSE_BYTES: 1_000_000 });
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ originalError: { extensions: limit } }]);
    // It ends about when the limit is reached, not when the whole response is written.
    expect(budget.responseBytes).toBeLessThan(2_100_000);
  });

  test('a response of exactly MAX_RESPONSE_BYTES succeeds', async () => {
    const schema = schemaOfField('String', () => long);
    const { byteLength } = (await execute(schema, '{ it }')).data!;
    expect((await execute(schema, '{ it }', { MAX_RESPONSE_BYTES: byteLength })).data!.byteLength).toBe(byteLength);
    expect((await execute(schema, '{ it }', { MAX_RESPONSE_BYTES: byteLength - 1 })).data).toBeNull();
  });
});

describe('an operation with many failing fields', () => {
  const failingItems = (count: number) => Array.from({ length: count }, () => Promise.reject(new Error('failed')));

  test('1,000 errors are reported with their paths, and one more ends the operation', async () => {
    const { data, errors } = await execute(
      schemaOfField('[String]', () => failingItems(1_000)),
      '{ it }',
    );
    expect(data!.toJSON()).toEqual({ it: new Array(1_000).fill(null) });
    expect(errors!.map(({ path }) => path)).toEqual(Array.from({ length: 1_000 }, (_, i) => ['it', i]));
    const ended = await execute(
      schemaOfField('[String]', () => failingItems(1_001)),
      '{ it }',
    );
    expect(ended.data).toBeNull();
    expect(ended.errors).toMatchObject([
      { originalError: { extensions: { code: 'RESULT_TOO_LARGE', limit: 1_000, actual: 1_001 } } },
    ]);
    expect(ended.aborted).toHaveLength(1);
  });

  test('a list of non-null items reports the error of the first of 5,000 that fail', async () => {
    const { data, errors } = await execute(
      schemaOfField('[String!]', () => failingItems(5_000)),
      '{ it other }',
    );
    expect(String(data)).toBe('{"it":null,"other":1}');
    expect(errors).toMatchObject([{ message: 'failed', path: ['it', 0] }]);
  });
});

test('the rest of a list that yields may be nested more deeply than the stack', () => {
  const nested: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
  expect(() => ignoreRejections([nested])).not.toThrow();
});
