import { expect, test } from '@jest/globals';
import { encodeRlp, hexlify } from 'ethers';
import { encodeRlpList } from '../../../src/ethereum/rlp.ts';

const bytes = (count: number, byte = 'ab'): string => `0x${byte.repeat(count)}`;

test.each<[string, readonly string[]]>([
  ['no items', []],
  ['an empty item', ['0x']],
  ['single bytes around 0x80', ['0x00', '0x7f', '0x80', '0xff']],
  ['items around 56 bytes', [bytes(55), bytes(56)]],
  ['items around 256 bytes', [bytes(255), bytes(256)]],
  ['an item of 65,536 bytes', [bytes(65_536)]],
  ['a list of 55 bytes', [bytes(54)]],
  ['a list of 56 bytes', [bytes(27), bytes(27)]],
])('encodeRlpList encodes %s as ethers does', (_case, items) => {
  expect(hexlify(encodeRlpList(items))).toBe(encodeRlp([...items]));
});
