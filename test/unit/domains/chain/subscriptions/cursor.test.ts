import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decodeLogCursor, encodeLogCursor, logCursorOf } from '../../../../../src/domains/chain/log/cursor.ts';
import type { RpcLog } from '../../../../../src/ethereum/rpc-types.ts';
import { random, readSeed, runSize } from '../../../../support/random-tests.ts';
import { hashOf, logFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const draw = random(readSeed());

const anyPosition = () => ({
  height: Math.floor(draw() * 2 ** Math.floor(draw() * 54)),
  hash: `0x${Array.from({ length: 64 }, () => Math.floor(draw() * 16).toString(16)).join('')}`,
  index: Math.floor(draw() * 2 ** 32),
  removed: draw() < 0.5,
});

const POSITIONS = runSize(200, 2_000);

test(`log cursor: ${POSITIONS} positions round-trip and have distinct cursors`, () => {
  const texts = new Set<string>();
  for (let i = 0; i < POSITIONS; i++) {
    const position = anyPosition();
    const text = encodeLogCursor(position);
    texts.add(text);
    expect(text).toMatch(/^[\w-]{60}$/);
    expect(decodeLogCursor(text)).toEqual(position);
  }
  expect(texts.size).toBe(POSITIONS);
});

const codeOf = (text: string): unknown => {
  try {
    decodeLogCursor(text);
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
};

const TEXTS = runSize(2_000, 20_000);

test(`log cursor: each of ${TEXTS} random or damaged texts is rejected or encodes to itself`, () => {
  const wrong: { readonly text: string; readonly code: unknown }[] = [];
  let decoded = 0;
  for (let i = 0; i < TEXTS; i++) {
    const cursor = encodeLogCursor(anyPosition());
    const at = Math.floor(draw() * cursor.length);
    const text = [
      () => randomBytes(45).toString('base64url'),
      () => randomBytes(Math.floor(draw() * 100)).toString('base64url'),
      () => randomBytes(45).toString('base64'),
      () => randomBytes(Math.floor(draw() * 80)).toString('latin1'),
      () => cursor.slice(0, at),
      () => cursor + cursor.slice(0, at),
      () => cursor.slice(0, at) + String.fromCharCode(Math.floor(draw() * 256)) + cursor.slice(at + 1),
      () => `${cursor}=`,
    ][i % 8]!();
    const code = codeOf(text);
    if (code === undefined) decoded += 1;
    const isRejected = code === 'BAD_USER_INPUT';
    const isItself = code === undefined && encodeLogCursor(decodeLogCursor(text)) === text;
    if (!isRejected && !isItself) wrong.push({ text, code });
  }
  expect(wrong).toEqual([]);
  // A cursor with a damaged hash or index is another valid cursor.
  expect(decoded).toBeGreaterThan(TEXTS / 100);
});

test.each([
  ['an empty text', ''],
  ['a flag that is neither added nor removed', `Ag${encodeLogCursor(anyPosition()).slice(2)}`],
  ['a height above the safe integers', Buffer.from(`00${'ff'.repeat(44)}`, 'hex').toString('base64url')],
])('decodeLogCursor rejects %s', (_case, text) => {
  expect(codeOf(text)).toBe('BAD_USER_INPUT');
});

const cursor = (changes: Record<string, unknown>) => () => logCursorOf(logFixture(changes) as unknown as RpcLog);

test('logCursorOf encodes the position of a log and whether it is removed', () => {
  const position = { height: 16, hash: hashOf(0xb10), index: 3 };
  expect(decodeLogCursor(cursor({ logIndex: '0x3' })()!)).toEqual({ ...position, removed: false });
  expect(decodeLogCursor(cursor({ logIndex: '0x3', removed: true })()!)).toEqual({ ...position, removed: true });
  expect(decodeLogCursor(cursor({ blockHash: `0x${'AB'.repeat(32)}` })()!).hash).toBe(`0x${'ab'.repeat(32)}`);
});

test('logCursorOf returns null for a pending log', () => {
  expect(cursor({ blockHash: null, blockNumber: null })()).toBeNull();
});

test.each([
  ['an index that is not a number', { logIndex: 'three' }],
  ['an index beyond any block', { logIndex: '0x100000000' }],
  ['no index', { logIndex: undefined }],
  ['a height beyond any chain', { blockNumber: '0xffffffffffffffff' }],
  ['a hash that is too short', { blockHash: '0xab' }],
])('logCursorOf throws UPSTREAM_BAD_RESPONSE for %s', (_case, changes) => {
  expect(cursor(changes)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});
