import { expect, test } from '@jest/globals';
import { blockContradiction } from '../../../src/ethereum/header-checks.ts';
import type { RpcBlock } from '../../../src/ethereum/rpc-types.ts';
import { headerHash } from '../../../src/sync/chain/rpc-header.ts';
import { buildBlock } from '../../support/ethereum/built-block.ts';

/** A header of Hardhat that differs from Ethereum headers. */
const { block } = await buildBlock();

const withHash = (changes: object): RpcBlock => {
  const header = { ...block, ...changes };
  return { ...header, hash: headerHash(header)! } as unknown as RpcBlock;
};

const KECCAK_OF_NOTHING = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';

test('the first block of Hardhat, whose transactions root is the hash of nothing, has no transactions', () => {
  const root = { transactionsRoot: KECCAK_OF_NOTHING };
  expect(blockContradiction(withHash({ ...root, transactions: [] }), '0x0')).toBeUndefined();
  expect(blockContradiction(withHash(root), '0x0')?.check).toBe('transactionsRoot');
});
