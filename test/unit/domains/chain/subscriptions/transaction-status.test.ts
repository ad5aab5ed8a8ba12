import { describe, expect, test } from '@jest/globals';
import {
  applyObservation,
  DROPPED_AFTER,
  isSameUpdate,
  type ObservedTransaction,
  revertToPending,
  statusUpdateOf,
  type TransactionObservation,
  UNKNOWN_TRANSACTION,
} from '../../../../../src/domains/chain/subscriptions/transaction-status/status.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { type Head, readHead } from '../../../../../src/sync/chain/rpc-header.ts';
import { block, hashOf, transactionFixture } from '../../../../support/upstream/rpc-fixtures.ts';

const HASH = hashOf(0x71);
const OTHER = hashOf(0x72);

const headAt = (height: number): Head => readHead(block({ number: `0x${height.toString(16)}`, hash: hashOf(0xb00 + height) }))!;
const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null };
const inPool = transactionFixture({ ...NOT_MINED, gasPrice: '0xc8' }) as unknown as RpcTransaction;
const inBlock = (height: number, hash = hashOf(0xb00 + height)) =>
  transactionFixture({ blockHash: hash, blockNumber: `0x${height.toString(16)}` }) as unknown as RpcTransaction;

const mined = (height: number): TransactionObservation => ({ kind: 'mined', transaction: inBlock(height) });
const pending: TransactionObservation = { kind: 'pending', transaction: inPool };
const missing = (head: number, now: number): TransactionObservation => ({ kind: 'missing', head: hashOf(head), now });
const replacement: TransactionObservation = { kind: 'replaced', by: OTHER };

const stateAfter = (...observations: TransactionObservation[]): ObservedTransaction =>
  observations.reduce(applyObservation, UNKNOWN_TRANSACTION);
const emittedUpdates = (observed: ObservedTransaction, height = 16, confirmationsWanted = 3) => {
  const {
    status,
    confirmations,
    replacedBy,
    transaction: whole,
  } = statusUpdateOf(HASH, observed, headAt(height), confirmationsWanted);
  return [status, confirmations, replacedBy, whole?.blockHash ?? null];
};

const { ms } = DROPPED_AFTER;

describe('transaction status', () => {
  test.each<[string, TransactionObservation[], unknown[]]>([
    ['is UNKNOWN without any observation', [], ['UNKNOWN', null, null, null]],
    [
      'stays UNKNOWN while the node has never returned the transaction',
      [1, 2, 3, 4, 5].map((i) => missing(i, i * ms)),
      ['UNKNOWN', null, null, null],
    ],
    ['is PENDING in the pool', [pending], ['PENDING', null, null, null]],
    ['is MINED with one confirmation in the head', [pending, mined(16)], ['MINED', '0x1', null, hashOf(0xb10)]],
    ['is MINED with two confirmations one block below the head', [mined(15)], ['MINED', '0x2', null, hashOf(0xb0f)]],
    ['is CONFIRMED with the requested confirmations', [mined(14)], ['CONFIRMED', '0x3', null, hashOf(0xb0e)]],
    ['is CONFIRMED with more confirmations than requested', [mined(1)], ['CONFIRMED', '0x10', null, hashOf(0xb01)]],
    ['is PENDING again after a return to the pool', [mined(16), pending], ['PENDING', null, null, null]],
    ['is REPLACED when another transaction used its nonce', [pending, replacement], ['REPLACED', null, OTHER, null]],
    [
      'is REPLACED by null when the other transaction was not found',
      [pending, { kind: 'replaced', by: null }],
      ['REPLACED', null, null, null],
    ],
    ['stays PENDING when it is missing at one head', [pending, missing(1, 0)], ['PENDING', null, null, null]],
    [
      'stays PENDING when it is missing for three heads but not long enough',
      [pending, missing(1, ms), missing(2, ms), missing(3, 2 * ms - 1)],
      ['PENDING', null, null, null],
    ],
    [
      'stays PENDING when it is missing for long but only two heads',
      [pending, missing(1, 0), missing(1, ms), missing(2, 2 * ms)],
      ['PENDING', null, null, null],
    ],
    [
      'is DROPPED when it is missing for three heads and long enough',
      [pending, missing(1, 0), missing(2, 1), missing(3, ms)],
      ['DROPPED', null, null, null],
    ],
    [
      'resets the missing heads when the transaction is found again',
      [pending, missing(1, 0), missing(2, 1), pending, missing(3, ms)],
      ['PENDING', null, null, null],
    ],
    [
      'is DROPPED when a mined transaction is missing for three heads and long enough',
      [mined(16), missing(1, 0), missing(2, 1), missing(3, ms)],
      ['DROPPED', null, null, null],
    ],
    [
      'does not change once it is final',
      [pending, replacement, mined(16), pending, missing(1, 0)],
      ['REPLACED', null, OTHER, null],
    ],
  ])('transaction status %s', (_case, observations, expected) => {
    expect(emittedUpdates(stateAfter(...observations))).toEqual(expected);
  });

  test('transaction status is PENDING without a block after a reorg removes the block', () => {
    const update = statusUpdateOf(HASH, revertToPending(stateAfter(mined(16))), headAt(16), 1);
    expect(update).toMatchObject({ status: 'PENDING', confirmations: null });
    expect(update.transaction).toEqual(inPool);
    expect(revertToPending(stateAfter(pending))).toEqual(stateAfter(pending));
  });

  test('transaction status differs when only the block of the transaction differs', () => {
    const at = (observed: ObservedTransaction) => statusUpdateOf(HASH, observed, headAt(16), 3);
    const moved = applyObservation(UNKNOWN_TRANSACTION, { kind: 'mined', transaction: inBlock(16, hashOf(0xbad)) });
    expect(isSameUpdate(at(stateAfter(mined(16))), at(stateAfter(pending, mined(16))))).toBe(true);
    expect(isSameUpdate(at(stateAfter(mined(16))), at(moved))).toBe(false);
    expect(isSameUpdate(at(stateAfter(mined(16))), at(stateAfter(mined(15))))).toBe(false);
    expect(isSameUpdate(at(stateAfter(pending)), at(stateAfter(pending, missing(1, 0))))).toBe(true);
    expect(isSameUpdate(at(stateAfter(pending)), at(UNKNOWN_TRANSACTION))).toBe(false);
    expect(isSameUpdate(at(stateAfter(replacement)), at(UNKNOWN_TRANSACTION))).toBe(false);
  });
});
