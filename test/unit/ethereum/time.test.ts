import { expect, test } from '@jest/globals';
import { toIsoTimestamp } from '../../../src/ethereum/hex.ts';

test.each([
  ['the epoch', '0x0', '1970-01-01T00:00:00.000Z'],
  ['the first block of mainnet after genesis', '0x55ba4224', '2015-07-30T15:26:28.000Z'],
  ['a second beyond 32 bits', '0x100000000', '2106-02-07T06:28:16.000Z'],
  ['the last second of the year 9999', `0x${253_402_300_799n.toString(16)}`, '9999-12-31T23:59:59.000Z'],
  ['milliseconds', `0x${1_795_000_000_000n.toString(16)}`, '9999-12-31T23:59:59.000Z'],
  ['the largest quantity', `0x${'f'.repeat(64)}`, '9999-12-31T23:59:59.000Z'],
])('toIsoTimestamp formats %s', (_case, timestamp, iso) => {
  expect(toIsoTimestamp(timestamp)).toBe(iso);
});

test('toIsoTimestamp throws UPSTREAM_BAD_RESPONSE for a text that is not a number', () => {
  expect(() => toIsoTimestamp('noon')).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});
