import { expect, test } from '@jest/globals';
import { HASH_OF_NOTHING } from '../../../src/ethereum/header-checks.ts';
import { accountDiffs, readPrestateDiff } from '../../../src/ethereum/state-diff.ts';
import { finishYielding } from '../../../src/lib/operation-budget.ts';

const AUTHORITY = `0x${'a1'.repeat(20)}`;
const DELEGATION = `0xef0100${'22'.repeat(20)}`;

// A node that omits the code of an account after the transaction if it is empty.
test('a state diff has the code that an EIP-7702 authorisation cleared', async () => {
  const pre = { [AUTHORITY]: { balance: '0x64', nonce: 1, code: DELEGATION, codeHash: `0x${'cd'.repeat(32)}` } };
  const post = { [AUTHORITY]: { nonce: 2, codeHash: HASH_OF_NOTHING } };
  const transaction = { hash: `0x${'1'.repeat(64)}`, blockHash: `0x${'2'.repeat(64)}`, blockNumber: '0x1' };
  const diffs = await finishYielding(accountDiffs(readPrestateDiff({ pre, post }, transaction)), undefined);
  expect(diffs).toMatchObject([{ nonceBefore: '0x1', nonceAfter: '0x2', codeBefore: DELEGATION, codeAfter: '0x' }]);
});
