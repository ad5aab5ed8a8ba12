import { describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { JsonText } from '../../../../src/graphql/executor/index.ts';
import { formatResult } from '../../../../src/graphql/pipeline/response.ts';
import { CallMeter } from '../../../../src/upstream/call-meter.ts';

const running = (meter: CallMeter, estimate?: number) => ({
  requestId: 'r',
  extensions: { block: { number: '0x1' } },
  meter,
  estimate,
});

const spentMeter = (limit: number, spent: number): CallMeter => Object.assign(new CallMeter(limit), { spent });

describe('response of an operation that exceeded MAX_COST', () => {
  test('response of an operation that exceeded MAX_COST has ten of its RESULT_TOO_LARGE errors and all other errors', () => {
    const meter = spentMeter(10, 11);
    const ended = (i: number) => new GraphQLError(meter.error.message, { path: ['a', i], originalError: meter.error });
    const errors = [...Array.from({ length: 1_000 }, (_, i) => ended(i)), new GraphQLError('another', { path: ['b'] })];
    const { errors: shown } = formatResult({ data: new JsonText('{"a":null}'), errors }, running(meter));
    expect(shown!.map(({ path }) => path!.join('.'))).toEqual([...Array.from({ length: 10 }, (_, i) => `a.${i}`), 'b']);
    expect(shown![0]!.extensions).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      limit: 10,
      actual: 11,
      setting: 'MAX_COST',
      requestId: 'r',
    });
  });

  test('response of an operation within MAX_COST has all its errors', () => {
    const errors = Array.from({ length: 50 }, (_, i) => new GraphQLError('failed', { path: ['a', i] }));
    expect(formatResult({ data: new JsonText('{"a":null}'), errors }, running(spentMeter(10, 10))).errors).toHaveLength(50);
  });
});

describe('cost extension', () => {
  test('cost extension counts the calls plus a hundredth per value of the response', () => {
    const meter = spentMeter(5_000, 7);
    meter.recordRequest(4);
    meter.recordRequest(1);
    const items = Array.from({ length: 50 }, () => ({ a: 1, b: [1, 2] }));
    const { extensions } = formatResult({ data: new JsonText(JSON.stringify({ items })) }, running(meter, 12));
    // 50 items with three values each cost 2.
    expect(extensions).toEqual({ block: { number: '0x1' }, cost: { estimate: 12, actual: 9, requests: 2, calls: 5 } });
  });

  test('cost extension is absent unless the request enables it', () => {
    expect(formatResult({ data: new JsonText('{}') }, running(spentMeter(5, 1))).extensions).toEqual({
      block: { number: '0x1' },
    });
  });

  test('cost extension counts no values for a response without data', () => {
    expect(formatResult({ data: null }, running(spentMeter(5, 1), 3)).extensions!.cost).toMatchObject({ estimate: 3, actual: 1 });
  });
});
