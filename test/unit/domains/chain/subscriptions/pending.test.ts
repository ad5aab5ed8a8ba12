import { expect, test } from '@jest/globals';
import { matchesPendingFilter } from '../../../../../src/domains/chain/subscriptions/heads.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { addressOf, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const [A, B, C] = [addressOf(0xa), addressOf(0xb), addressOf(0xc)];

test.each<[string, object, Record<string, unknown>, boolean]>([
  ['no filter', {}, {}, true],
  ['empty lists', { from: [], to: [] }, {}, true],
  ['nulls', { from: null, to: null }, {}, true],
  ['its sender', { from: [A] }, {}, true],
  ['its sender among others', { from: [C, A] }, {}, true],
  ['another sender', { from: [B] }, {}, false],
  ['its recipient', { to: [B] }, {}, true],
  ['another recipient', { to: [A, C] }, {}, false],
  ['both', { from: [A], to: [B] }, {}, true],
  ['its sender, and another recipient', { from: [A], to: [C] }, {}, false],
  ['its recipient, and another sender', { from: [C], to: [B] }, {}, false],
  ['its sender in upper case from the node', { from: [A] }, { from: A.toUpperCase().replace('0X', '0x') }, true],
  ['a recipient of a contract creation', { to: [B] }, { to: null }, false],
  ['the sender of a contract creation', { from: [A], to: [] }, { to: null }, true],
])('matchesPendingFilter compares sender and recipient: %s', (_case, filter, changes, passes) => {
  expect(matchesPendingFilter(transactionFixture(changes) as unknown as RpcTransaction, filter)).toBe(passes);
});
