import { describe, expect, test } from '@jest/globals';
import {
  applyObservation,
  DROPPED_AFTER,
  isSameUpdate,
  isTerminal,
  type ObservedTransaction,
  revertToPending,
  statusUpdateOf,
  type TransactionObservation,
  UNKNOWN_TRANSACTION,
} from '../../../../../src/domains/chain/subscriptions/transaction-status/status.ts';
import type { RpcTransaction } from '../../../../../src/ethereum/rpc-types.ts';
import { type Head, readHead } from '../../../../../src/sync/chain/rpc-header.ts';
import { block, hashOf, transactionFixture } from '../../../../support/graph/stubbed-graph.ts';
import { random, readSeed } from '../../../../support/random-tests.ts';

const HASH = hashOf(0x71);
const OTHER = hashOf(0x72);

const headAt = (height: number): Head => readHead(block({ number: `0x${height.toString(16)}`, hash: hashOf(0xb00 + height) }))!;
const NOT_MINED = { blockHash: null, blockNumber: null, transactionIndex: null };
const inPool = transactionFixture(NOT_MINED) as unknown as RpcTransaction;
const inBlock = (height: number, hash = hashOf(0xb00 + height)) =>
  transactionFixture({ blockHash: hash, blockNumber: `0x${height.toString(16)}` }) as unknown as RpcTransaction;

const mined = (height: number): TransactionObservation => ({ kind: 'mined', transaction: inBlock(height) });
const pending: TransactionObservation = { kind: 'pending', transaction: inPool };
const missing = (head: number, now: number): TransactionObservation => ({ kind: 'missing', head: hashOf(head), now });
const replacement: TransactionObservation = { kind: 'replaced', by: OTHER };

const stateAfter = (...evidence: TransactionObservation[]): ObservedTransaction =>
  evidence.reduce(applyObservation, UNKNOWN_TRANSACTION);
const emittedUpdates = (fate: ObservedTransaction, height = 16, wanted = 3) => {
  const { status, confirmations, replacedBy, transaction: whole } = statusUpdateOf(HASH, fate, headAt(height), wanted);
  return [status, confirmations, replacedBy, whole?.blockHash ?? null];
};

const { ms } = DROPPED_AFTER;

describe('a transaction', () => {
  test.each<[string, TransactionObservation[], unknown[]]>([
    ['that nobody has ever shown is unknown', [], ['UNKNOWN', null, null, null]],
    [
      'that is still not there is unknown, however long',
      [1, 2, 3, 4, 5].map((i) => missing(i, i * ms)),
      ['UNKNOWN', null, null, null],
    ],
    ['in the pool is pending', [pending], ['PENDING', null, null, null]],
    ['in the head has one confirmation', [pending, mined(16)], ['MINED', '0x1', null, hashOf(0xb10)]],
    ['one below has two', [mined(15)], ['MINED', '0x2', null, hashOf(0xb0f)]],
    ['as deep as was asked is confirmed', [mined(14)], ['CONFIRMED', '0x3', null, hashOf(0xb0e)]],
    ['much deeper is confirmed', [mined(1)], ['CONFIRMED', '0x10', null, hashOf(0xb01)]],
    ['in the pool again is pending again', [mined(16), pending], ['PENDING', null, null, null]],
    ['whose nonce another has is replaced', [pending, replacement], ['REPLACED', null, OTHER, null]],
    [
      'whose nonce is used by something that was not found is replaced by nobody knows what',
      [pending, { kind: 'replaced', by: null }],
      ['REPLACED', null, null, null],
    ],
    ['that is gone just now is still pending', [pending, missing(1, 0)], ['PENDING', null, null, null]],
    [
      'that is gone for three heads in no time is still pending',
      [pending, missing(1, 0), missing(2, 1), missing(3, 2)],
      ['PENDING', null, null, null],
    ],
    [
      'that is gone for long, over two heads, is still pending',
      [pending, missing(1, 0), missing(1, ms), missing(2, 2 * ms)],
      ['PENDING', null, null, null],
    ],
    [
      'that is gone for three heads and long enough is dropped',
      [pending, missing(1, 0), missing(2, 1), missing(3, ms)],
      ['DROPPED', null, null, null],
    ],
    [
      'that was gone and came back begins anew',
      [pending, missing(1, 0), missing(2, 1), pending, missing(3, ms)],
      ['PENDING', null, null, null],
    ],
    [
      'that was mined, and is gone, is dropped in the end',
      [mined(16), missing(1, 0), missing(2, 1), missing(3, ms)],
      ['DROPPED', null, null, null],
    ],
    ['that is over stays so', [pending, replacement, mined(16), pending, missing(1, 0)], ['REPLACED', null, OTHER, null]],
  ])('%s', (_case, evidence, expected) => {
    expect(emittedUpdates(stateAfter(...evidence))).toEqual(expected);
  });

  test('whose block is taken away is pending, and as it was but for its place', () => {
    const update = statusUpdateOf(HASH, revertToPending(stateAfter(mined(16))), headAt(16), 1);
    expect(update).toMatchObject({ status: 'PENDING', confirmations: null });
    expect(update.transaction).toEqual(inPool);
    expect(revertToPending(stateAfter(pending))).toEqual(stateAfter(pending));
  });

  test('is told of again in another block of the same height', () => {
    const at = (fate: ObservedTransaction) => statusUpdateOf(HASH, fate, headAt(16), 3);
    const moved = applyObservation(UNKNOWN_TRANSACTION, { kind: 'mined', transaction: inBlock(16, hashOf(0xbad)) });
    expect(isSameUpdate(at(stateAfter(mined(16))), at(stateAfter(pending, mined(16))))).toBe(true);
    expect(isSameUpdate(at(stateAfter(mined(16))), at(moved))).toBe(false);
    expect(isSameUpdate(at(stateAfter(mined(16))), at(stateAfter(mined(15))))).toBe(false);
    expect(isSameUpdate(at(stateAfter(pending)), at(stateAfter(pending, missing(1, 0))))).toBe(true);
    expect(isSameUpdate(at(stateAfter(pending)), at(UNKNOWN_TRANSACTION))).toBe(false);
  });
});

/** A world with one sender, one nonce and two transactions that want it. Height by height which of them lies there, and what the pool has. */
interface SimulatedChain {
  readonly line: ('own' | 'other' | undefined)[];
  branch: number;
  pool: boolean;
}

/** What a node tells that sees all of the world. */
function observe({ line, branch, pool }: SimulatedChain, fate: ObservedTransaction, now: number): TransactionObservation {
  const at = line.indexOf('own');
  const head = hashOf(0x1000 * branch + line.length);
  if (at >= 0) return { kind: 'mined', transaction: inBlock(at, hashOf(0x1000 * branch + at)) };
  if (pool) return pending;
  return line.includes('other') && fate.transaction ? replacement : { kind: 'missing', head, now };
}

const SEED = readSeed();
const HISTORIES = 3_000;

test(`in ${HISTORIES} histories what is told is what a look back at all of them says (SEED=${SEED})`, () => {
  const draw = random(SEED);
  const upTo = (n: number) => 1 + Math.floor(draw() * n);
  const met = new Map<string, number>();
  const wrong: unknown[] = [];
  for (let history = 0; history < HISTORIES; history++) {
    const wanted = upTo(4);
    const world: SimulatedChain = { line: [undefined], branch: 0, pool: draw() < 0.5 };
    let now = 0;
    let fate: ObservedTransaction = UNKNOWN_TRANSACTION;
    let seen = false;
    /** The heads in a row without it, and when the first of them was. */
    let gone: { heads: number; since: number } | undefined;
    for (let step = upTo(14); step > 0; step--) {
      now += draw() < 0.3 ? ms : 10;
      if (draw() < 0.25) {
        const lost = world.line.splice(Math.max(1, world.line.length - upTo(3)));
        world.branch += 1;
        // What is thrown out goes back to the pool, or is forgotten.
        if (lost.includes('own')) world.pool = draw() < 0.6;
      } else if (!world.pool && draw() < 0.2) world.pool = !world.line.includes('own') && !world.line.includes('other');
      else if (world.pool && draw() < 0.15) world.pool = false;
      const isFree = !world.line.includes('own') && !world.line.includes('other');
      const next = isFree && draw() < 0.3 ? (world.pool && draw() < 0.7 ? 'own' : 'other') : undefined;
      world.line.push(next);
      if (next) world.pool = false;

      fate = applyObservation(revertToPending(fate), observe(world, fate, now));
      const at = world.line.indexOf('own');
      seen ||= at >= 0 || world.pool;
      gone = at >= 0 || world.pool || !seen ? undefined : { heads: (gone?.heads ?? 0) + 1, since: gone?.since ?? now };
      const depth = world.line.length - at;
      const expected =
        at >= 0
          ? [depth >= wanted ? 'CONFIRMED' : 'MINED', `0x${depth.toString(16)}`]
          : [
              world.pool
                ? 'PENDING'
                : !seen
                  ? 'UNKNOWN'
                  : world.line.includes('other')
                    ? 'REPLACED'
                    : gone!.heads >= 3 && now - gone!.since >= ms
                      ? 'DROPPED'
                      : 'PENDING',
              null,
            ];
      const update = statusUpdateOf(HASH, fate, headAt(world.line.length - 1), wanted);
      met.set(update.status, (met.get(update.status) ?? 0) + 1);
      if (update.status !== expected[0] || update.confirmations !== expected[1]) {
        wrong.push({ history, step, expected, update: [update.status, update.confirmations] });
      }
      if (isTerminal(update)) break;
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect([...met.keys()].sort()).toEqual(['CONFIRMED', 'DROPPED', 'MINED', 'PENDING', 'REPLACED', 'UNKNOWN']);
  expect(Math.min(...met.values())).toBeGreaterThan(HISTORIES / 200);
});
