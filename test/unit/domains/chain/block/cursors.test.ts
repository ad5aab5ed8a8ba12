import { expect, test } from '@jest/globals';
import {
  BLOCK_END,
  decodeBlockCursor,
  decodeTransactionCursor,
  encodeCursor,
} from '../../../../../src/domains/chain/block/cursors.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';

const BLOCK = { number: '0x1312d00', hash: hashOf(0xab).toUpperCase().replace('0X', '0x') };
const POSITION = { height: 20_000_000, hash: hashOf(0xab) };

test('the cursor of a block contains its height and its hash in lower case', () => {
  expect(decodeBlockCursor(encodeCursor(BLOCK))).toEqual(POSITION);
});

test.each([0, 1_234, BLOCK_END])('the cursor of a transaction contains its index %i', (index) => {
  expect(decodeTransactionCursor(encodeCursor(BLOCK, index))).toEqual({ ...POSITION, index });
});

test('no cursor is no position', () => {
  expect([decodeBlockCursor(undefined), decodeTransactionCursor(undefined)]).toEqual([undefined, undefined]);
});

test.each([
  ['empty text', ''],
  ['a cursor of a transaction', encodeCursor(BLOCK, 1)],
  ['a cursor with padding bits', `${encodeCursor(BLOCK).slice(0, -1)}_`],
  ['a cursor with other characters', ` ${encodeCursor(BLOCK)}`],
  ['a height above 2^53', Buffer.alloc(40, 0xff).toString('base64url')],
])('%s is not a cursor of a block', (_case, text) => {
  expect(() => decodeBlockCursor(text)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT' }));
});

test.each([
  ['hash', { number: '0x1', hash: '0x12' }],
  ['height', { number: '1', hash: hashOf(1) }],
])('an invalid %s of the node fails with UPSTREAM_BAD_RESPONSE', (_case, block) => {
  expect(() => encodeCursor(block)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});
