import { expect, test } from '@jest/globals';
import { accountId, hashId, logId } from '../../../../src/domains/chain/model.ts';
import type { RpcLog } from '../../../../src/ethereum/rpc-types.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const HEAD = `0x${'cd'.repeat(32)}`;
const ADDRESS = `0x${'0e'.repeat(20)}`;
const log = (fields: Partial<RpcLog>) => ({ transactionHash: HEAD, logIndex: '0x2', ...fields }) as RpcLog;

test('ids are in lower case and without leading zeros whatever the node sends', () => {
  expect(hashId(`0x${'AB'.repeat(32)}`)).toBe(HASH);
  expect(logId(log({ blockHash: `0x${'AB'.repeat(32)}`, logIndex: '0x02' }))).toBe(`${HASH}-0x2`);
  expect(accountId(`0x${'0E'.repeat(20)}`, HASH)).toBe(`${ADDRESS}-${HASH}`);
});

test('a pending log is identified by its transaction', () => {
  expect(logId(log({ blockHash: null }))).toBe(`pending-${HEAD}-0x2`);
});

test.each([undefined, null, 7, '0x', HASH.slice(0, -2)])('a hash %j of the node is UPSTREAM_BAD_RESPONSE', (hash) => {
  expect(() => hashId(hash)).toThrow(expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }));
});

test('an invalid log index of the node fails with UPSTREAM_BAD_RESPONSE', () => {
  expect(() => logId(log({ blockHash: HASH, logIndex: 'x' }))).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
  );
});
