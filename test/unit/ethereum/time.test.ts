import { expect, test } from '@jest/globals';
import { toIsoTimestamp } from '../../../src/ethereum/time.ts';

test.each([
  ['the epoch', '0x0', '1970-01-01T00:00:00.000Z'],
  ['the first block of mainnet after genesis', '0x55ba4224', '2015-07-30T15:26:28.000Z'],
  ['a second beyond 32 bits', '0x100000000', '2106-02-07T06:28:16.000Z'],
  ['the last second of a Date', `0x${8_640_000_000_000n.toString(16)}`, '+275760-09-13T00:00:00.000Z'],
])('toIsoTimestamp formats %s', (_case, timestamp, iso) => {
  expect(toIsoTimestamp(timestamp)).toBe(iso);
});

test.each([
  ['a second beyond the range of a Date', `0x${8_640_000_000_001n.toString(16)}`],
  ['the largest quantity', `0x${'f'.repeat(64)}`],
  ['a text that is not a number', 'noon'],
])('toIsoTimestamp throws UPSTREAM_BAD_RESPONSE for %s', (_case, timestamp) => {
  expect(() => toIsoTimestamp(timestamp)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});
