import { describe, expect, test } from '@jest/globals';
import { type EtherUnit, formatWei } from '../../../src/ethereum/hex.ts';

describe('formatWei', () => {
  test.each<[string, EtherUnit, string]>([
    ['0x0', 'ETHER', '0'],
    ['0x0', 'WEI', '0'],
    ['0x1', 'ETHER', '0.000000000000000001'],
    ['0x1', 'GWEI', '0.000000001'],
    ['0x1', 'WEI', '1'],
    ['0xde0b6b3a7640000', 'ETHER', '1'],
    ['0x14d1120d7b160000', 'ETHER', '1.5'],
    ['0x3b9aca01', 'GWEI', '1.000000001'],
    [`0x${'f'.repeat(64)}`, 'ETHER', '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
    [`0x${'f'.repeat(64)}`, 'WEI', '115792089237316195423570985008687907853269984665640564039457584007913129639935'],
  ])('%s wei in %s is %s', (wei, unit, text) => {
    expect(formatWei(wei, unit)).toBe(text);
  });

  test.each(['0x', '12', null, undefined])('%p is rejected as a malformed value of the node', (value) => {
    expect(() => formatWei(value as string, 'ETHER')).toThrow('expected a number');
  });
});
