import { expect, test } from '@jest/globals';
import { countDataWords, toRpcCallObject } from '../../../src/ethereum/call-object.ts';

test('toRpcCallObject omits null fields and writes the others in a fixed order', () => {
  const call = { data: '0x01', value: '0x2', to: `0x${'22'.repeat(20)}`, from: null, gas: undefined };
  expect(JSON.stringify(toRpcCallObject(call))).toBe(`{"to":"0x${'22'.repeat(20)}","value":"0x2","data":"0x01"}`);
});

test.each<[unknown, number]>([
  [undefined, 0],
  [null, 0],
  ['0x', 0],
  ['0x01', 1],
  [`0x${'01'.repeat(32)}`, 1],
  [`0x${'01'.repeat(33)}`, 2],
])('countDataWords of %s returns %i', (data, words) => {
  expect(countDataWords(data)).toBe(words);
});
