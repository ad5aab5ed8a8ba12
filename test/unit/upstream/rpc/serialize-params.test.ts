import { describe, expect, test } from '@jest/globals';
import { toRpcLogFilter } from '../../../../src/ethereum/log-filters.ts';
import { serializeParams } from '../../../../src/upstream/rpc/rpc-call.ts';

describe('parameters', () => {
  test.each([
    [[]],
    [['0x1', 'latest', 'a "quoted" \\ text']],
    [[{ to: '0x01', data: '0x' }, { blockHash: '0x02' }]],
    [[{}, [], [[]], [{}], null, true, 5]],
    [[{ a: undefined, b: null, c: [undefined, null, 'x'], d: [['y', undefined], null] }]],
    [[{ fromBlock: '0x1', toBlock: '0x2', address: ['0x1', '0x2'], topics: [null, '0x3', ['0x4', '0x5']] }]],
  ])('parameters are serialized as JSON.stringify does: %j', (params) => {
    expect(serializeParams(params)).toBe(JSON.stringify(params));
    expect(serializeParams(params)).toBe(JSON.stringify(params));
  });

  test('a list that the filters of several calls share is read and serialized once', () => {
    let reads = 0;
    const topics = Object.defineProperty(['0x1', '0x2'], 0, {
      get: () => {
        reads += 1;
        return '0x1';
      },
    });
    const textOf = (height: string) =>
      serializeParams([toRpcLogFilter({ fromBlock: height, toBlock: '0xff' }, { topics: [topics] })]);
    expect(textOf('0x1')).toBe('[{"fromBlock":"0x1","toBlock":"0xff","topics":[["0x1","0x2"]]}]');
    const readsOfFirst = reads;
    expect(textOf('0x2')).toBe('[{"fromBlock":"0x2","toBlock":"0xff","topics":[["0x1","0x2"]]}]');
    expect([readsOfFirst, reads]).toEqual([1, 1]);
  });
});
