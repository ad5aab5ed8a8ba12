import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import type { ForkChoiceResult, HeadObservation } from '../../../../src/sync/chain/fork-choice.ts';
import {
  initialLiveness,
  type LivenessState,
  MAX_FAILED_CHECKS,
  nextLivenessCheck,
  type ObservationOutcome,
} from '../../../../src/sync/head/liveness.ts';
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
  vigil: LivenessState,
  observation: HeadObservation,
  outcome: Outcome,
  more: Partial<ObservationOutcome> = {},
) =>
  nextLivenessCheck(
    vigil,
    { observation, outcome, failure: undefined, hasAnnounced: false, ...more },
    NOW,
    SILENCE,
    FOLLOWER_TIMING,
  );

test('at first the node is asked at once, and not because it is silent', () => {
  expect(initialLiveness(NOW)).toEqual({ nextCheckAt: NOW, isSilenceCheck: false, failedChecks: 0 });
});

describe('it may be silent again for long', () => {
  const anew = { nextCheckAt: NOW + SILENCE, isSilenceCheck: true, failedChecks: 0 };

  test.each<[Outcome]>([['confirmed'], ['moved'], ['behind'], ['doubtful']])('after a first look: %s', (outcome) => {
    expect(checkLiveness({ ...initialLiveness(NOW), failedChecks: 3 }, observation(), outcome)).toEqual(anew);
  });

  test.each<[Outcome]>([['confirmed'], ['moved']])('after an announcement of our head or a new one: %s', (outcome) => {
    expect(checkLiveness({ nextCheckAt: NOW + 5, isSilenceCheck: false, failedChecks: 3 }, announcement, outcome)).toEqual(anew);
  });

  test.each<[Outcome]>([['confirmed'], ['behind'], ['doubtful']])(
    'after a look for silence that shows nothing new: %s',
    (outcome) => {
      expect(checkLiveness(silent, observation(), outcome)).toEqual(anew);
    },
  );

  test('after a look for silence that shows a new head, when that was announced meanwhile', () => {
    expect(checkLiveness(silent, observation(), 'moved', { hasAnnounced: true })).toEqual(anew);
  });
});

test.each<[Outcome]>([['stale'], ['behind'], ['doubtful']])(
  'an announcement of less than we have changes nothing: %s',
  (outcome) => {
    const vigil = { nextCheckAt: NOW + 77, isSilenceCheck: true, failedChecks: 2 };
    expect(checkLiveness(vigil, announcement, outcome)).toBe(vigil);
  },
);

describe.each<[Outcome]>([['unproven'], ['rival']])('what is not clear is looked at again soon: %s', (outcome) => {
  test('and later each time', () => {
    let vigil: LivenessState = silent;
    const waits: number[] = [];
    for (let i = 0; i < MAX_FAILED_CHECKS; i++) {
      const next = checkLiveness(vigil, observation(), outcome) as LivenessState;
      expect(next).toMatchObject({ isSilenceCheck: false, failedChecks: i + 1 });
      waits.push(next.nextCheckAt - NOW);
      vigil = next;
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000, 4_000, 4_000]);
    expect(checkLiveness(vigil, observation(), outcome)).toMatchObject({
      message: 'The node lags behind the head that it has reported.',
    });
    const failure = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(checkLiveness(vigil, observation(), outcome, { failure })).toBe(failure);
  });

  test('though it is announced again and again', () => {
    expect(checkLiveness({ nextCheckAt: NOW + SILENCE, isSilenceCheck: true, failedChecks: 0 }, announcement, outcome)).toEqual({
      nextCheckAt: NOW + 100,
      isSilenceCheck: false,
      failedChecks: 0,
    });
    const due = { nextCheckAt: NOW + 5, isSilenceCheck: false, failedChecks: 4 };
    expect(checkLiveness(due, announcement, outcome)).toEqual(due);
  });
});

test('an announcement that came to nothing before has the node asked once in four seconds, however often it comes', () => {
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

describe('the connection is given up', () => {
  const failure = new GraphError('UPSTREAM_TIMEOUT', 'slow');

  test('when a look has no answer in time, and not for another failure or an announcement', () => {
    expect(checkLiveness(silent, observation(), 'unproven', { failure })).toBe(failure);
    expect(checkLiveness(silent, announcement, 'unproven', { failure })).not.toBeInstanceOf(GraphError);
    const other = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(checkLiveness(silent, observation(), 'unproven', { failure: other })).not.toBeInstanceOf(GraphError);
  });

  test('when a look for silence shows what was not announced, and not when it was another look', () => {
    const mute = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node has new heads and does not announce them.' };
    expect(checkLiveness(silent, observation(), 'moved')).toMatchObject(mute);
    expect(checkLiveness({ ...silent, isSilenceCheck: false }, observation(), 'moved')).not.toBeInstanceOf(GraphError);
    expect(checkLiveness(silent, announcement, 'moved')).not.toBeInstanceOf(GraphError);
  });

  test('when it is behind for very long', () => {
    const laggard = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node lags behind the head that it has reported.' };
    expect(checkLiveness(silent, observation(true), 'behind')).toMatchObject(laggard);
    expect(checkLiveness(silent, observation(true), 'confirmed')).not.toBeInstanceOf(GraphError);
    expect(checkLiveness(silent, observation(false), 'behind')).not.toBeInstanceOf(GraphError);
  });
});
