import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { chooseFork } from '../../../../src/sync/chain/fork-choice.ts';
import {
  type ForkChoiceResult,
  INITIAL_FORK_CHOICE_STATE,
  MAX_FAILED_STARTS,
} from '../../../../src/sync/chain/fork-choice-steps.ts';
import { createFollowerView } from '../../../../src/sync/head/follower-view.ts';
import { HeadState } from '../../../../src/sync/head/head-state.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { log } from '../../../support/silent-log.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { createForkChoiceDriver } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 1, blocks: 3 });
const first = createForkChoiceDriver(chain).run(
  chooseFork(INITIAL_FORK_CHOICE_STATE, { kind: 'latest', reporter: 'poll', isOverdue: false }),
);
const resultOf = (outcome: Exclude<ForkChoiceResult['outcome'], 'moved'>): ForkChoiceResult => ({ outcome, state: first.state });
const source = { send: async () => [] };
const other = { send: async () => [] };
/** Before any timeout of the follower. */
const LONG_AGO = -1e9;

let headState: HeadState;

beforeEach(() => {
  jest.useFakeTimers();
  // `performance.now()` is not 0 at the start of a test.
  advance(1_000);
  headState = new HeadState(log, { ...FOLLOWER_TIMING, staleAfterMs: 20 });
});

afterEach(() => void jest.useRealTimers());

const advance = (ms: number) => jest.advanceTimersByTime(ms);

describe('freshness of the head', () => {
  test('head is fresh for the given time after a result', () => {
    headState.applyResult(first, source, 20);
    expect(headState.isFresh).toBe(true);
    expect(headState.lastHead?.height).toBe(3);
    advance(40);
    expect(headState.isFresh).toBe(false);
  });

  test('head expires staleAfterMs after the first call of expireHeadSoon', () => {
    headState.applyResult(first, source, Number.POSITIVE_INFINITY);
    headState.expireHeadSoon(undefined);
    advance(15);
    headState.expireHeadSoon(undefined);
    expect(headState.isFresh).toBe(true);
    advance(15);
    expect(headState.isFresh).toBe(false);
  });

  test.each([['unverified'], ['competing'], ['doubtful']] as const)('head expires after the outcome %s', (outcome) => {
    headState.applyResult(first, source, Number.POSITIVE_INFINITY);
    headState.applyResult(resultOf(outcome), source, Number.POSITIVE_INFINITY);
    advance(40);
    expect(headState.isFresh).toBe(false);
  });

  test.each([['confirmed'], ['behind']] as const)('expired head is fresh again after the outcome %s', (outcome) => {
    headState.applyResult(first, source, 0);
    headState.expireHeadSoon(new GraphError('UPSTREAM_TIMEOUT', 'slow'));
    advance(40);
    expect(headState.lastError).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    headState.applyResult(resultOf(outcome), source, 1_000);
    expect(headState.isFresh).toBe(true);
    expect(headState.lastError).toBeUndefined();
  });

  test.each(['stale', 'deferred'] as const)('freshness of the head does not change after the outcome %s', (outcome) => {
    headState.applyResult(first, source, 20);
    headState.applyResult(resultOf(outcome), source, 1_000);
    advance(15);
    expect(headState.isFresh).toBe(true);
    advance(15);
    expect(headState.isFresh).toBe(false);
  });

  test('head is never fresh after a fatal error', () => {
    headState.applyResult(first, source, 1_000);
    headState.fatal = new GraphError('UPSTREAM_AUTH', 'no');
    expect(headState.isFresh).toBe(false);
  });
});

test('listeners of a fresh head are called for each observation after which the head is fresh, changed or not', () => {
  const heights: unknown[] = [];
  headState.freshHeads.subscribe({ next: () => heights.push(headState.lastHead?.height) });
  headState.applyResult(first, source, 20);
  headState.applyResult(resultOf('confirmed'), source, 20);
  expect(heights).toEqual([3, 3]);
  advance(40);
  headState.applyResult(resultOf('stale'), source, 20);
  expect(heights).toEqual([3, 3]);
  headState.applyResult(resultOf('behind'), other, 20);
  expect(heights).toEqual([3, 3, 3]);
});

test('head source is the source that last reported the head, until it is removed', () => {
  headState.applyResult(first, source, 1_000);
  headState.applyResult(resultOf('behind'), other, 1_000);
  expect(headState.source).toBe(source);
  headState.applyResult(resultOf('confirmed'), other, 1_000);
  headState.removeSource(source);
  expect(headState.source).toBe(other);
  headState.removeSource(other);
  expect(headState.source).toBeUndefined();
});

test('head is overdue when it was confirmed long ago and the source has existed for three silence timeouts', () => {
  headState.applyResult(first, source, 1_000);
  expect(headState.isOverdue(LONG_AGO)).toBe(false);
  headState.confirmedAt = LONG_AGO;
  expect(headState.isOverdue(performance.now())).toBe(false);
  expect(headState.isOverdue(LONG_AGO)).toBe(true);
  expect(headState.isOverdue(performance.now() - 3 * headState.silenceTimeoutMs + 5_000)).toBe(false);
  expect(headState.isOverdue(performance.now() - 3 * headState.silenceTimeoutMs - 5_000)).toBe(true);
});

test('unknownMs counts from the start or from the expiry of the last head', () => {
  advance(500);
  expect(headState.unknownMs).toBe(500);
  headState.applyResult(first, source, 1_000);
  advance(900);
  expect(headState.unknownMs).toBeUndefined();
  advance(700);
  expect(headState.unknownMs).toBe(600);
  headState.applyResult(resultOf('confirmed'), source, 1_000);
  expect(headState.unknownMs).toBeUndefined();
});

test.each([
  ['confirmed', { behind: 0, unconfirmed: 0 }],
  ['stale', { behind: 0, unconfirmed: 0 }],
  ['behind', { behind: 2, unconfirmed: 0 }],
  ['doubtful', { behind: 2, unconfirmed: 0 }],
  ['competing', { behind: 2, unconfirmed: 0 }],
  ['unverified', { behind: 0, unconfirmed: 0 }],
  ['deferred', { behind: 0, unconfirmed: 2 }],
] as const)('head state counts the outcome %s each time', (outcome, counts) => {
  for (let i = 0; i < 2; i++) headState.applyResult(resultOf(outcome), source, 1_000);
  expect(headState.counts).toMatchObject(counts);
});

test('head state counts a head that no source confirms', () => {
  headState.applyResult({ outcome: 'unverified', state: first.state, isUnconfirmed: true }, source, 1_000);
  expect(headState.counts).toMatchObject({ behind: 0, unconfirmed: 1 });
});

test('a height counts as final below the window, and 32 blocks below the head if the window lacks the blocks before the start', () => {
  const long = new SimChain({ seed: 1, blocks: 100 });
  const driver = createForkChoiceDriver(long, long.main, ({ height }) => height < 100);
  const view = createFollowerView(headState, () => 'polling');
  expect([view.settledBelow, view.oldest]).toEqual([0, undefined]);
  const observe = () => {
    const steps = chooseFork(headState.forkChoiceState, { kind: 'latest', reporter: 'poll', isOverdue: false });
    headState.applyResult(driver.run(steps), source, 1_000);
  };
  for (let i = 0; i <= MAX_FAILED_STARTS; i++) observe();
  expect([view.oldest?.height, view.settledBelow]).toEqual([100, 68]);
  for (let i = 0; i < 40; i++) {
    long.mine();
    observe();
  }
  expect([view.oldest?.height, view.settledBelow]).toEqual([100, 100]);
});
