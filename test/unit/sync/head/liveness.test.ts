import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { ForkChoiceResult, HeadObservation } from '../../../../src/sync/chain/fork-choice-steps.ts';
import {
  INITIAL_LIVENESS,
  type LivenessState,
  MAX_FAILED_CHECKS,
  nextLivenessCheck,
  type ObservationOutcome,
} from '../../../../src/sync/head/head-subscription.ts';
import { FOLLOWER_TIMING } from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { announcedHeaderOf } from '../../../support/simulator/fork-choice-driver.ts';

type Outcome = ForkChoiceResult['outcome'];

const NOW = 1_000_000;
const SILENCE = 30_000;
const observation = (isOverdue = false): HeadObservation => ({ kind: 'latest', reporter: 'headSource', isOverdue });
const announcement: HeadObservation = {
  kind: 'announced',
  head: announcedHeaderOf(new SimChain({ seed: 1 }).head),
  reporter: 'headSource',
};
const silent: LivenessState = { nextCheckAt: NOW, isSilenceCheck: true, failedChecks: 0 };

const checkLiveness = (
  liveness: LivenessState,
  observation: HeadObservation,
  outcome: Outcome,
  more: Partial<ObservationOutcome> = {},
) =>
  nextLivenessCheck(
    liveness,
    { observation, outcome, failure: undefined, hasAnnounced: false, ...more },
    NOW,
    SILENCE,
    FOLLOWER_TIMING,
  );

const fullTimeout = { nextCheckAt: NOW + SILENCE, isSilenceCheck: true, failedChecks: 0 };

test.each<[string, LivenessState, HeadObservation, readonly Outcome[]]>([
  ['an initial check', { ...INITIAL_LIVENESS, failedChecks: 3 }, observation(), ['confirmed', 'moved', 'behind', 'doubtful']],
  ['an announcement', { ...silent, isSilenceCheck: false, failedChecks: 3 }, announcement, ['confirmed', 'moved']],
  ['a silence check', silent, observation(), ['confirmed', 'behind', 'doubtful']],
])('liveness waits the full silence timeout after %s that does not fail', (_case, liveness, observed, outcomes) => {
  for (const outcome of outcomes) expect(checkLiveness(liveness, observed, outcome)).toEqual(fullTimeout);
});

test('liveness waits the full silence timeout when the new head of a silence check was announced meanwhile', () => {
  expect(checkLiveness(silent, observation(), 'moved', { hasAnnounced: true })).toEqual(fullTimeout);
});

test.each<[Outcome]>([['stale'], ['behind'], ['doubtful']])(
  'liveness does not change after an announcement with outcome %s',
  (outcome) => {
    const liveness = { nextCheckAt: NOW + 77, isSilenceCheck: true, failedChecks: 2 };
    expect(checkLiveness(liveness, announcement, outcome)).toBe(liveness);
  },
);

describe.each<[Outcome]>([['unverified'], ['competing']])('recheck after %s', (outcome) => {
  test(`liveness doubles the delay of each check with outcome ${outcome}`, () => {
    let liveness: LivenessState = silent;
    const waits: number[] = [];
    for (let i = 0; i < MAX_FAILED_CHECKS; i++) {
      const next = checkLiveness(liveness, observation(), outcome) as LivenessState;
      // A silence check that is repeated still closes a connection that announced nothing.
      expect(next).toMatchObject({ isSilenceCheck: true, failedChecks: i + 1 });
      waits.push(next.nextCheckAt - NOW);
      liveness = next;
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000, 4_000, 4_000]);
    expect(checkLiveness(liveness, observation(), outcome)).toMatchObject({
      message: 'The node lags behind the head that it has reported.',
    });
    const failure = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(checkLiveness(liveness, observation(), outcome, { failure })).toBe(failure);
  });

  test(`liveness does not delay a scheduled check for an announcement with outcome ${outcome}`, () => {
    expect(checkLiveness({ nextCheckAt: NOW + SILENCE, isSilenceCheck: true, failedChecks: 0 }, announcement, outcome)).toEqual({
      nextCheckAt: NOW + 100,
      isSilenceCheck: false,
      failedChecks: 0,
    });
    const due = { nextCheckAt: NOW + 5, isSilenceCheck: false, failedChecks: 4 };
    expect(checkLiveness(due, announcement, outcome)).toEqual(due);
  });
});

test('liveness checks once in four seconds for repeated unverified announcements', () => {
  const due = checkLiveness(silent, announcement, 'deferred') as LivenessState;
  expect(due).toEqual({ nextCheckAt: Math.min(silent.nextCheckAt, NOW + 4_000), isSilenceCheck: false, failedChecks: 0 });
  const far = checkLiveness({ ...silent, nextCheckAt: NOW + SILENCE }, announcement, 'deferred') as LivenessState;
  expect(far).toEqual({ nextCheckAt: NOW + 4_000, isSilenceCheck: false, failedChecks: 0 });
  expect(
    nextLivenessCheck(
      far,
      { observation: announcement, outcome: 'deferred', failure: undefined, hasAnnounced: true },
      NOW + 3_000,
      SILENCE,
      FOLLOWER_TIMING,
    ),
  ).toEqual(far);
});

describe('closing a connection', () => {
  const failure = new GraphError('UPSTREAM_TIMEOUT', 'slow');

  test('liveness closes the connection when a check times out, and not after another failure', () => {
    expect(checkLiveness(silent, observation(), 'unverified', { failure })).toBe(failure);
    expect(checkLiveness(silent, announcement, 'unverified', { failure })).not.toBeInstanceOf(GraphError);
    const other = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(checkLiveness(silent, observation(), 'unverified', { failure: other })).not.toBeInstanceOf(GraphError);
  });

  test('liveness closes the connection when a silence check finds a head that was not announced', () => {
    const silentNode = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node has new heads and does not announce them.' };
    expect(checkLiveness(silent, observation(), 'moved')).toMatchObject(silentNode);
    expect(checkLiveness({ ...silent, isSilenceCheck: false }, observation(), 'moved')).not.toBeInstanceOf(GraphError);
    expect(checkLiveness(silent, announcement, 'moved')).not.toBeInstanceOf(GraphError);
  });

  test('liveness closes the connection when the node lags while the head is overdue', () => {
    const lagging = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node lags behind the head that it has reported.' };
    expect(checkLiveness(silent, observation(true), 'behind')).toMatchObject(lagging);
    expect(checkLiveness(silent, observation(true), 'confirmed')).not.toBeInstanceOf(GraphError);
    expect(checkLiveness(silent, observation(false), 'behind')).not.toBeInstanceOf(GraphError);
  });
});
