import { expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { keccakOfDigits } from '../../../../src/ethereum/encoding/keccak.ts';
import { listRoot } from '../../../../src/ethereum/encoding/list-root.ts';
import { finished } from '../../../support/ethereum/finished.ts';
import { MAINNET_46147 } from '../../../support/ethereum/mainnet-46147.ts';
import { naiveRoot } from '../../../support/ethereum/naive-trie.ts';

test('the root of an empty list is the known constant', () => {
  expect(finished(listRoot([]))).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421');
});

test.each([1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 700])(
  'the root of %d items of any size is that of a trie built item by item',
  (length) => {
    const items = Array.from({ length }, (_, i) => Buffer.alloc(1 + ((i * 7) % 60), i + 1));
    expect(finished(listRoot(items.map((item) => item.toString('hex'))))).toBe(naiveRoot(items));
  },
);

test('the roots of mainnet block 46147 follow from its transaction and its receipt', () => {
  const { rawTransaction, rawReceipt, block } = MAINNET_46147;
  expect(finished(listRoot([rawTransaction.slice(2)]))).toBe(block.transactionsRoot);
  expect(finished(listRoot([rawReceipt.slice(2)]))).toBe(block.receiptsRoot);
});

test('the hash of bytes is that of ethers', () => {
  for (const digits of ['', '00', 'ab'.repeat(136), 'cd'.repeat(1000)]) {
    expect(keccakOfDigits(digits)).toBe(keccak256(`0x${digits}`));
  }
});
