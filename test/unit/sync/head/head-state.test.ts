import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { GraphError } from '../../../../src/errors.ts';
import { chooseFork, type ForkChoiceResult, INITIAL_FORK_CHOICE_STATE } from '../../../../src/sync/chain/fork-choice.ts';
import { HeadState } from '../../../../src/sync/head/head-state.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { createForkChoiceDriver, headOf } from '../../../support/simulator/fork-choice-driver.ts';

const chain = new SimChain({ seed: 1 });
chain.mine(3);
const first = createForkChoiceDriver(chain).run(
  chooseFork(INITIAL_FORK_CHOICE_STATE, { kind: 'latest', reporter: 'poll', isOverdue: false }),
);
const shows = (outcome: Exclude<ForkChoiceResult['outcome'], 'moved'>): ForkChoiceResult => ({ outcome, state: first.state });
const source = { send: async () => [] };
const other = { send: async () => [] };
/** Longer ago than anything that is waited for. */
const LONG_AGO = -1e9;

let track: HeadState;

beforeEach(() => {
  jest.useFakeTimers();
  // As in any process, the clock has run for a while.
  pass(1_000);
  track = new HeadState(pino({ level: 'silent' }), { ...FOLLOWER_TIMING, staleAfterMs: 20 });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Time passes here only so. */
const pass = (ms: number) => jest.advanceTimersByTime(ms);

describe('a head is good', () => {
  test('not before there is one', () => {
    expect(track.isFresh).toBe(false);
    expect(track.lastHead).toBeUndefined();
  });

  test('once it has been shown, for as long as that is good', () => {
    track.applyResult(first, source, 20);
    expect(track.isFresh).toBe(true);
    expect(track.lastHead?.height).toBe(3);
    pass(40);
    expect(track.isFresh).toBe(false);
  });

  test('a little while longer after a doubt, and not longer for another', () => {
    track.applyResult(first, source, Number.POSITIVE_INFINITY);
    track.expireHeadSoon(undefined);
    pass(15);
    track.expireHeadSoon(undefined);
    expect(track.isFresh).toBe(true);
    pass(15);
    expect(track.isFresh).toBe(false);
  });

  test.each([['unproven'], ['rival'], ['doubtful']] as const)('no longer after what puts it in doubt: %s', (outcome) => {
    track.applyResult(first, source, Number.POSITIVE_INFINITY);
    track.applyResult(shows(outcome), source, Number.POSITIVE_INFINITY);
    pass(40);
    expect(track.isFresh).toBe(false);
  });

  test.each([['confirmed'], ['behind']] as const)('again after what says nothing against it: %s', (outcome) => {
    track.applyResult(first, source, 0);
    track.expireHeadSoon(new GraphError('UPSTREAM_TIMEOUT', 'slow'));
    pass(40);
    expect(track.lastError).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    track.applyResult(shows(outcome), source, 1_000);
    expect(track.isFresh).toBe(true);
    expect(track.lastError).toBeUndefined();
  });

  test('neither more nor less after an announcement of what we have', () => {
    track.applyResult(first, source, 20);
    track.applyResult(shows('stale'), source, 1_000);
    pass(40);
    expect(track.isFresh).toBe(false);
  });

  test('never after what is fatal', () => {
    track.applyResult(first, source, 1_000);
    track.fatal = new GraphError('UPSTREAM_AUTH', 'no');
    expect(track.isFresh).toBe(false);
  });
});

test('the way to the node is that which has shown the head last, until it is lost', () => {
  track.applyResult(first, source, 1_000);
  track.applyResult(shows('behind'), other, 1_000);
  expect(track.source).toBe(source);
  track.applyResult(shows('confirmed'), other, 1_000);
  track.removeSource(source);
  expect(track.source).toBe(other);
  track.removeSource(other);
  expect(track.source).toBeUndefined();
});

test('our head is overdue when it was shown long ago, and who is asked has been asked for long', () => {
  track.applyResult(first, source, 1_000);
  expect(track.isOverdue(LONG_AGO)).toBe(false);
  track.confirmedAt = LONG_AGO;
  expect(track.isOverdue(performance.now())).toBe(false);
  expect(track.isOverdue(LONG_AGO)).toBe(true);
  expect(track.isOverdue(performance.now() - 3 * track.silenceTimeoutMs + 5_000)).toBe(false);
  expect(track.isOverdue(performance.now() - 3 * track.silenceTimeoutMs - 5_000)).toBe(true);
});

test('answers that lag are counted, and nothing else is', () => {
  for (const outcome of ['behind', 'rival', 'doubtful', 'stale', 'confirmed', 'unproven'] as const) {
    track.applyResult(shows(outcome), source, 1_000);
  }
  expect(track.counts).toEqual({ reorgs: 0, gaps: 0, reconnects: 0, behind: 3, malformed: 0, unconfirmed: 0 });
});

test('for how long there has been no good head is counted from the start, and from when the last one stopped being good', () => {
  pass(500);
  expect(track.unknownMs).toBe(500);
  track.applyResult(first, source, 1_000);
  pass(900);
  expect(track.unknownMs).toBeUndefined();
  pass(700);
  expect(track.unknownMs).toBe(600);
  track.applyResult(shows('confirmed'), source, 1_000);
  expect(track.unknownMs).toBeUndefined();
});

test('each head that is not confirmed is counted, and the log has one line a minute about them', () => {
  const lines: string[] = [];
  track = new HeadState(pino({ level: 'warn' }, { write: (line) => void lines.push(line) }), FOLLOWER_TIMING);
  track.applyResult(first, source, 1_000);
  const refused: ForkChoiceResult = { outcome: 'unproven', state: first.state, unconfirmedHead: headOf(chain.head) };
  for (let i = 0; i < 500; i++) {
    track.applyResult(refused, source, 1_000);
    track.applyResult({ outcome: 'deferred', state: first.state }, source, 1_000);
  }
  expect(track.counts.unconfirmed).toBe(1_000);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, block: '0x3', hash: chain.head.hash, head: '0x3' });
  pass(60_001);
  track.applyResult(refused, source, 1_000);
  expect(lines).toHaveLength(2);
});

test('an announcement that is left to the next look says nothing for our head or against it', () => {
  track.applyResult(first, source, 20);
  track.applyResult({ outcome: 'deferred', state: first.state }, source, 1_000);
  pass(15);
  expect(track.isFresh).toBe(true);
  pass(15);
  expect(track.isFresh).toBe(false);
});

test('who waits for the first head learns of it, also when it is there already', async () => {
  const waiting = track.waitForFirstHead(new AbortController().signal);
  track.applyResult(first, source, 1_000);
  await waiting;
  await track.waitForFirstHead(new AbortController().signal);
});
