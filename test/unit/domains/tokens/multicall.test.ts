import { expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { decodeAggregate3, encodeAggregate3 } from '../../../../src/domains/tokens/loaders/contracts.ts';

const contract = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
]);
const TARGET = `0x${'0a'.repeat(20)}`;
const encodeResults = (results: [boolean, string][]) => contract.encodeFunctionResult('aggregate3', [results]);

test('encodeAggregate3 encodes each read with its target and allowFailure', () => {
  const input = encodeAggregate3([
    { to: TARGET, input: '0x01' },
    { to: TARGET, input: '0x0203' },
  ]);
  // Selector of aggregate3.
  expect(input.slice(0, 10)).toBe('0x82ad56cb');
  const [calls] = contract.decodeFunctionData('aggregate3', input);
  expect(calls.map((call: unknown[]) => [...call].map((part) => String(part).toLowerCase()))).toEqual([
    [TARGET, 'true', '0x01'],
    [TARGET, 'true', '0x0203'],
  ]);
});

test('decodeAggregate3 returns null for a failed read, whatever its data', () => {
  const data = encodeResults([
    [true, '0x01'],
    [false, '0x'],
    [false, '0x08c379a0'],
    [true, '0x'],
  ]);
  expect(decodeAggregate3(data, 4)).toEqual(['0x01', null, null, '0x']);
});

test.each([
  ['empty data, as from an account without code', '0x', 1],
  ['another number of results', encodeResults([[true, '0x01']]), 2],
  ['an offset out of bounds', `0x${'ff'.repeat(32)}`, 1],
  ['a result that starts out of bounds', `${encodeResults([[true, '0x01']]).slice(0, 130)}${'7f'.padStart(64, '0')}`, 1],
  ['bytes that end out of bounds', encodeResults([[true, `0x${'01'.repeat(32)}`]]).slice(0, -2), 1],
  ['a length out of bounds', `0x${'20'.padStart(64, '0')}${'ff'.repeat(32)}`, 1],
])('decodeAggregate3 returns undefined for %s', (_case, data, count) => {
  expect(decodeAggregate3(data, count)).toBeUndefined();
});
