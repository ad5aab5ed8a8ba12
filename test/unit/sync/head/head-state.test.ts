import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { GraphError } from '../../../../src/errors.ts';
import { judge, NOTHING, type Verdict } from '../../../../src/sync/chain/fork-choice.ts';
import { Track } from '../../../../src/sync/head/head-state.ts';
import { TIMING } from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf, teller } from '../../../support/simulator/judge.ts';

const chain = new SimChain({ seed: 1 });
chain.mine(3);
const first = teller(chain).settle(judge(NOTHING, { kind: 'latest', by: 'poll', overdue: false }));
const shows = (outcome: Exclude<Verdict['outcome'], 'moved'>): Verdict => ({ outcome, known: first.known });
const source = { send: async () => [] };
const other = { send: async () => [] };
/** Longer ago than anything that is waited for. */
const LONG_AGO = -1e9;

let track: Track;

beforeEach(() => {
  jest.useFakeTimers();
  // As in any process, the clock has run for a while.
  pass(1_000);
  track = new Track(pino({ level: 'silent' }), { ...TIMING, staleAfter: 20 });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Time passes here only so. */
const pass = (ms: number) => jest.advanceTimersByTime(ms);

describe('a head is good', () => {
  test('not before there is one', () => {
    expect(track.isGood).toBe(false);
    expect(track.lastHead).toBeUndefined();
  });

  test('once it has been shown, for as long as that is good', () => {
    track.conclude(first, source, 20);
    expect(track.isGood).toBe(true);
    expect(track.lastHead?.height).toBe(3);
    pass(40);
    expect(track.isGood).toBe(false);
  });

  test('a little while longer after a doubt, and not longer for another', () => {
    track.conclude(first, source, Number.POSITIVE_INFINITY);
    track.doubt(undefined);
    pass(15);
    track.doubt(undefined);
    expect(track.isGood).toBe(true);
    pass(15);
    expect(track.isGood).toBe(false);
  });

  test.each([['unproven'], ['rival'], ['lost']] as const)('no longer after what puts it in doubt: %s', (outcome) => {
    track.conclude(first, source, Number.POSITIVE_INFINITY);
    track.conclude(shows(outcome), source, Number.POSITIVE_INFINITY);
    pass(40);
    expect(track.isGood).toBe(false);
  });

  test.each([['confirmed'], ['behind']] as const)('again after what says nothing against it: %s', (outcome) => {
    track.conclude(first, source, 0);
    track.doubt(new GraphError('UPSTREAM_TIMEOUT', 'slow'));
    pass(40);
    expect(track.trouble).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    track.conclude(shows(outcome), source, 1_000);
    expect(track.isGood).toBe(true);
    expect(track.trouble).toBeUndefined();
  });

  test('neither more nor less after an announcement of what we have', () => {
    track.conclude(first, source, 20);
    track.conclude(shows('stale'), source, 1_000);
    pass(40);
    expect(track.isGood).toBe(false);
  });

  test('never after what is fatal', () => {
    track.conclude(first, source, 1_000);
    track.fatal = new GraphError('UPSTREAM_AUTH', 'no');
    expect(track.isGood).toBe(false);
  });
});

test('the way to the node is that which has shown the head last, until it is lost', () => {
  track.conclude(first, source, 1_000);
  track.conclude(shows('behind'), other, 1_000);
  expect(track.source).toBe(source);
  track.conclude(shows('confirmed'), other, 1_000);
  track.lose(source);
  expect(track.source).toBe(other);
  track.lose(other);
  expect(track.source).toBeUndefined();
});

test('our head is overdue when it was shown long ago, and who is asked has been asked for long', () => {
  track.conclude(first, source, 1_000);
  expect(track.isOverdue(LONG_AGO)).toBe(false);
  track.confirmedAt = LONG_AGO;
  expect(track.isOverdue(performance.now())).toBe(false);
  expect(track.isOverdue(LONG_AGO)).toBe(true);
  expect(track.isOverdue(performance.now() - 3 * track.silence + 5_000)).toBe(false);
  expect(track.isOverdue(performance.now() - 3 * track.silence - 5_000)).toBe(true);
});

test('answers that lag are counted, and nothing else is', () => {
  for (const outcome of ['behind', 'rival', 'lost', 'stale', 'confirmed', 'unproven'] as const) {
    track.conclude(shows(outcome), source, 1_000);
  }
  expect(track.counts).toEqual({ reorgs: 0, gaps: 0, reconnects: 0, behind: 3, malformed: 0, unconfirmed: 0 });
});

test('for how long there has been no good head is counted from the start, and from when the last one stopped being good', () => {
  pass(500);
  expect(track.unknownMs).toBe(500);
  track.conclude(first, source, 1_000);
  pass(900);
  expect(track.unknownMs).toBeUndefined();
  pass(700);
  expect(track.unknownMs).toBe(600);
  track.conclude(shows('confirmed'), source, 1_000);
  expect(track.unknownMs).toBeUndefined();
});

test('each head that is not confirmed is counted, and the log has one line a minute about them', () => {
  const lines: string[] = [];
  track = new Track(pino({ level: 'warn' }, { write: (line) => void lines.push(line) }), TIMING);
  track.conclude(first, source, 1_000);
  const refused: Verdict = { outcome: 'unproven', known: first.known, refused: headOf(chain.head) };
  for (let i = 0; i < 500; i++) {
    track.conclude(refused, source, 1_000);
    track.conclude({ outcome: 'deferred', known: first.known }, source, 1_000);
  }
  expect(track.counts.unconfirmed).toBe(1_000);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, block: '0x3', hash: chain.head.hash, head: '0x3' });
  pass(60_001);
  track.conclude(refused, source, 1_000);
  expect(lines).toHaveLength(2);
});

test('an announcement that is left to the next look says nothing for our head or against it', () => {
  track.conclude(first, source, 20);
  track.conclude({ outcome: 'deferred', known: first.known }, source, 1_000);
  pass(15);
  expect(track.isGood).toBe(true);
  pass(15);
  expect(track.isGood).toBe(false);
});

test('who waits for the first head learns of it, also when it is there already', async () => {
  const waiting = track.begun(new AbortController().signal);
  track.conclude(first, source, 1_000);
  await waiting;
  await track.begun(new AbortController().signal);
});
