import { expect, test } from '@jest/globals';
import { accountLoader } from '../../../../src/domains/chain/account/load.ts';
import { accountId, hashId, logId } from '../../../../src/domains/chain/model.ts';
import type { RpcLog } from '../../../../src/ethereum/rpc-types.ts';
import { ResponseDependencies } from '../../../../src/operation/response-dependencies.ts';

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

test('an invalid log index of the node is UPSTREAM_BAD_RESPONSE', () => {
  expect(() => logId(log({ blockHash: HASH, logIndex: 'x' }))).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE' }),
  );
});

/** The reader of an operation whose head is read with a request; heights have the hash `HASH` after that. */
function readerWithUnknownHead(isUnresolved: boolean) {
  let heads = 0;
  const dependencies = new ResponseDependencies();
  const head = { hash: HEAD, number: '0x9', height: 9 };
  const pin = {
    isUnresolved,
    knownHead: undefined,
    recordHeadRead: () => dependencies.addHead(),
    resolveRef: (ref: string) => (heads > 0 ? HASH : ref),
    head: async () => {
      heads += 1;
      return head;
    },
  };
  const { idOf } = accountLoader({ pin, operation: { dependencies } } as never);
  return { read: (at: string) => idOf({ address: ADDRESS, at }), dependencies, heads: () => heads };
}

test('the id of an account at a hash or a height needs no head', async () => {
  const { read, heads, dependencies } = readerWithUnknownHead(false);
  expect(read(HASH)).toBe(`${ADDRESS}-${HASH}`);
  expect(read('0x5')).toBe(`${ADDRESS}-0x5`);
  expect(read('earliest')).toBe(`${ADDRESS}-0x0`);
  expect(heads()).toBe(0);
  expect(dependencies.isHeadRead).toBe(false);
});

test('the id of an account at an unknown head reads the head, on which the response depends', async () => {
  const { read, dependencies } = readerWithUnknownHead(false);
  expect(await read('latest')).toBe(`${ADDRESS}-${HEAD}`);
  expect(await read('pending')).toBe(`${ADDRESS}-pending-${HEAD}`);
  expect(dependencies.isHeadRead).toBe(true);
});

test('the id of an account at a height depends on the block that the request names', async () => {
  const { read, dependencies } = readerWithUnknownHead(true);
  expect(await read('0x5')).toBe(`${ADDRESS}-${HASH}`);
  expect(dependencies.hasBlock(HASH)).toBe(true);
});
