import { expect, test } from '@jest/globals';
import { addHead, type HeadBlock, type HeadRow, MAX_HEADS, withoutRemoved } from '../../../explorer/data/heads.ts';
import { mergeRemovedRows } from '../../../explorer/data/undoable-rows.ts';

const block = (number: number, branch = 'a'): HeadBlock => ({
  number,
  hash: `${number}${branch}`,
  timestamp: '0x0',
  gasUsed: 0,
  gasLimit: 1,
  baseFeePerGas: null,
  transactionCount: 0,
});
const labels = (rows: readonly HeadRow[]) => rows.map(({ block, isRemoved }) => `${block.hash}${isRemoved ? ' removed' : ''}`);
const add = (...blocks: HeadBlock[]) => blocks.reduce<readonly HeadRow[]>(addHead, []);

test('heads of a longer branch mark the blocks that they replace as removed', () => {
  const rows = add(block(1), block(2), block(3), block(2, 'b'), block(3, 'b'), block(4, 'b'));
  expect(labels(rows)).toEqual(['4b', '3b', '2b', '3a removed', '2a removed', '1a']);
  expect(labels(withoutRemoved(rows))).toEqual(['4b', '3b', '2b', '1a']);
});

test('head of a shorter branch marks all blocks above it as removed', () => {
  expect(labels(add(block(1), block(2), block(3), block(2, 'b')))).toEqual(['2b', '3a removed', '2a removed', '1a']);
});

test('block that becomes canonical again is no longer removed', () => {
  expect(labels(add(block(1), block(2), block(2, 'b'), block(2), block(3)))).toEqual(['3a', '2a', '2b removed', '1a']);
});

test('list of heads has a maximum length', () => {
  expect(add(...Array.from({ length: MAX_HEADS + 5 }, (_, number) => block(number)))).toHaveLength(MAX_HEADS);
});

test('rows of removed blocks stay until the block is no longer listed as removed, beside the same row in its new block', () => {
  const [mined, moved, other] = [
    { hash: 'x', block: '2a' },
    { hash: 'x', block: '3b' },
    { hash: 'y', block: '1a' },
  ];
  const merge = (removed: readonly string[]) =>
    mergeRemovedRows(
      [moved!, other!],
      [mined!, other!],
      new Set(removed),
      ({ hash }) => hash,
      ({ block }) => block,
    ).map(({ key, isRemoved }) => `${key}${isRemoved ? ' removed' : ''}`);
  expect(merge(['2a'])).toEqual(['x 2a removed', 'x 3b', 'y 1a']);
  expect(merge([])).toEqual(['x 3b', 'y 1a']);
});
