import { expect, test } from '@jest/globals';
import { maxWaitMs } from '../../../src/operation/head-wait.ts';
import {
  blocksOfChains,
  parseBlock,
  parseMinBlocks,
  parseValuesOfChains,
  requiredBlocks,
} from '../../../src/operation/request-checks.ts';
import { windowOf } from '../../support/graph/manual-head.ts';
import { hashOf } from '../../support/upstream/rpc-fixtures.ts';

test.each<[unknown, bigint]>([
  [0, 0n],
  [42, 42n],
  ['42', 42n],
  ['0x2a', 42n],
  ['18446744073709551615', 2n ** 64n - 1n],
  ['0xffffffffffffffff', 2n ** 64n - 1n],
])('minimum block %p is %p', (value, expected) => {
  expect(parseMinBlocks(value, 'value').get(undefined)).toBe(expected);
});

test.each<[string, bigint | undefined, unknown, bigint | undefined]>([
  ['neither', undefined, undefined, undefined],
  ['extensions without it', undefined, { persistedQuery: {} }, undefined],
  ['the header alone', 7n, undefined, 7n],
  ['the extension alone', undefined, { minBlock: 7 }, 7n],
  ['a higher header', 8n, { minBlock: '7' }, 8n],
  ['a higher extension', 7n, { minBlock: '0x8' }, 8n],
  ['0 in the extension', undefined, { minBlock: 0 }, 0n],
])('a request with %s requires the higher minimum block', (_case, minBlock, extensions, expected) => {
  expect(requiredBlocks({ minBlock }, extensions).minBlock).toBe(expected);
});

test.each([
  ['a number of the minimum', '0x7'],
  ['a number above the minimum', '0x100'],
  ['a hash', hashOf(1)],
])('x-graph-block with %s is accepted together with a minimum block', (_case, block) => {
  expect(requiredBlocks({ block, minBlock: 7n }, undefined).minBlock).toBe(7n);
});

test('a request names the blocks of several chains', () => {
  const blocks = parseValuesOfChains(`${hashOf(1)}, 10 = 42,0x5=${hashOf(2)}`, 'value', parseBlock);
  expect([...blocks]).toEqual([
    [undefined, hashOf(1)],
    ['0xa', '0x2a'],
    ['0x5', hashOf(2)],
  ]);
  expect([...blocksOfChains(blocks, parseMinBlocks('10=7,7=8', 'value'))!]).toEqual([
    ['0xa', { block: '0x2a', minBlock: 7n }],
    ['0x5', { block: hashOf(2), minBlock: undefined }],
    ['0x7', { block: undefined, minBlock: 8n }],
  ]);
});

test('the extension and the header require the higher minimum block of each chain', () => {
  const blocks = new Map([
    ['0x5', { minBlock: 7n }],
    ['0x7', { block: hashOf(1) }],
  ] as const);
  const required = requiredBlocks({ minBlock: 1n, blocks }, { minBlock: '3,5=6,0x7=8' });
  expect([required.minBlock, ...required.blocks!]).toEqual([
    3n,
    ['0x5', { minBlock: 7n }],
    ['0x7', { block: hashOf(1), minBlock: 8n }],
  ]);
});

test.each(['1,2', '5=1,5=2', 'x=1', '5=', '=1', '5=1=2', '5=1,'])('the blocks %p are invalid', (text) => {
  expect(() => parseValuesOfChains(text, 'header x', parseBlock)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(/^Invalid header x\. /) }),
  );
});

test.each([
  ['a long text', `${' '.repeat(200_000)}x`],
  ['an object without a text', { toString: 1 }],
  ['many chains', Array.from({ length: 65 }, (_none, i) => `${i + 1}=1`).join()],
])('%s is rejected at once', (_case, text) => {
  const startedAt = performance.now();
  expect(() => parseMinBlocks(text, 'value')).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test('a block of another chain below its minimum is invalid', () => {
  const blocks = new Map([['0x5', { block: '0x6', minBlock: 7n }]] as const);
  expect(() => requiredBlocks({ blocks }, undefined)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
});

test.each<[string, readonly number[] | undefined, number, number]>([
  ['two block times', [100, 103, 106, 109], 60_000, 6_000],
  ['two slots of Ethereum without a head', undefined, 60_000, 24_000],
  ['two slots of Ethereum when one block is known', [100], 60_000, 24_000],
  ['two seconds on a chain with several blocks in a second', [100, 100, 100, 101], 60_000, 2_000],
  ['at most 30 seconds', [100, 160, 220], 60_000, 30_000],
  ['at most 80 % of the operation timeout', [100, 112, 124], 10_000, 8_000],
])('the wait for a minimum block takes %s', (_case, timestamps, operationTimeoutMs, expected) => {
  expect(maxWaitMs(timestamps && windowOf(timestamps), operationTimeoutMs)).toBe(expected);
});
