import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import type { Evidence, Verdict } from '../../../../src/sync/chain/fork-choice.ts';
import { beginVigil, keepVigil, MOST_MISSES, type Shown, type Vigil } from '../../../../src/sync/head/liveness.ts';
import { TIMING } from '../../../../src/sync/head/timing.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { toldOf } from '../../../support/simulator/judge.ts';

type Outcome = Verdict['outcome'];

const NOW = 1_000_000;
const SILENCE = 30_000;
const look = (overdue = false): Evidence => ({ kind: 'latest', by: 'witness', overdue });
const announcement: Evidence = { kind: 'announced', told: toldOf(new SimChain({ seed: 1 }).head), by: 'witness' };
const silent: Vigil = { lookAt: NOW, isSilent: true, misses: 0 };

const keep = (vigil: Vigil, evidence: Evidence, outcome: Outcome, more: Partial<Shown> = {}) =>
  keepVigil(vigil, { evidence, outcome, failure: undefined, heard: false, ...more }, NOW, SILENCE, TIMING);

test('at first the node is asked at once, and not because it is silent', () => {
  expect(beginVigil(NOW)).toEqual({ lookAt: NOW, isSilent: false, misses: 0 });
});

describe('it may be silent again for long', () => {
  const anew = { lookAt: NOW + SILENCE, isSilent: true, misses: 0 };

  test.each<[Outcome]>([['confirmed'], ['moved'], ['behind'], ['lost']])('after a first look: %s', (outcome) => {
    expect(keep({ ...beginVigil(NOW), misses: 3 }, look(), outcome)).toEqual(anew);
  });

  test.each<[Outcome]>([['confirmed'], ['moved']])('after an announcement of our head or a new one: %s', (outcome) => {
    expect(keep({ lookAt: NOW + 5, isSilent: false, misses: 3 }, announcement, outcome)).toEqual(anew);
  });

  test.each<[Outcome]>([['confirmed'], ['behind'], ['lost']])(
    'after a look for silence that shows nothing new: %s',
    (outcome) => {
      expect(keep(silent, look(), outcome)).toEqual(anew);
    },
  );

  test('after a look for silence that shows a new head, when that was announced meanwhile', () => {
    expect(keep(silent, look(), 'moved', { heard: true })).toEqual(anew);
  });
});

test.each<[Outcome]>([['stale'], ['behind'], ['lost']])('an announcement of less than we have changes nothing: %s', (outcome) => {
  const vigil = { lookAt: NOW + 77, isSilent: true, misses: 2 };
  expect(keep(vigil, announcement, outcome)).toBe(vigil);
});

describe.each<[Outcome]>([['unproven'], ['rival']])('what is not clear is looked at again soon: %s', (outcome) => {
  test('and later each time', () => {
    let vigil: Vigil = silent;
    const waits: number[] = [];
    for (let i = 0; i < MOST_MISSES; i++) {
      const next = keep(vigil, look(), outcome) as Vigil;
      expect(next).toMatchObject({ isSilent: false, misses: i + 1 });
      waits.push(next.lookAt - NOW);
      vigil = next;
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 4_000, 4_000, 4_000, 4_000]);
    expect(keep(vigil, look(), outcome)).toMatchObject({ message: 'The node has not come as far as it was before.' });
    const failure = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(keep(vigil, look(), outcome, { failure })).toBe(failure);
  });

  test('though it is announced again and again', () => {
    expect(keep({ lookAt: NOW + SILENCE, isSilent: true, misses: 0 }, announcement, outcome)).toEqual({
      lookAt: NOW + 100,
      isSilent: false,
      misses: 0,
    });
    const due = { lookAt: NOW + 5, isSilent: false, misses: 4 };
    expect(keep(due, announcement, outcome)).toEqual(due);
  });
});

test('an announcement that came to nothing before has the node asked once in four seconds, however often it comes', () => {
  const due = keep(silent, announcement, 'deferred') as Vigil;
  expect(due).toEqual({ lookAt: Math.min(silent.lookAt, NOW + 4_000), isSilent: false, misses: 0 });
  const far = keep({ ...silent, lookAt: NOW + SILENCE }, announcement, 'deferred') as Vigil;
  expect(far).toEqual({ lookAt: NOW + 4_000, isSilent: false, misses: 0 });
  expect(
    keepVigil(
      far,
      { evidence: announcement, outcome: 'deferred', failure: undefined, heard: true },
      NOW + 3_000,
      SILENCE,
      TIMING,
    ),
  ).toEqual(far);
});

describe('the connection is given up', () => {
  const failure = new GraphError('UPSTREAM_TIMEOUT', 'slow');

  test('when a look has no answer in time, and not for another failure or an announcement', () => {
    expect(keep(silent, look(), 'unproven', { failure })).toBe(failure);
    expect(keep(silent, announcement, 'unproven', { failure })).not.toBeInstanceOf(GraphError);
    const other = new GraphError('UPSTREAM_INTERNAL', 'broken');
    expect(keep(silent, look(), 'unproven', { failure: other })).not.toBeInstanceOf(GraphError);
  });

  test('when a look for silence shows what was not announced, and not when it was another look', () => {
    const mute = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node has new heads and does not announce them.' };
    expect(keep(silent, look(), 'moved')).toMatchObject(mute);
    expect(keep({ ...silent, isSilent: false }, look(), 'moved')).not.toBeInstanceOf(GraphError);
    expect(keep(silent, announcement, 'moved')).not.toBeInstanceOf(GraphError);
  });

  test('when it is behind for very long', () => {
    const laggard = { code: 'UPSTREAM_UNAVAILABLE', message: 'The node has not come as far as it was before.' };
    expect(keep(silent, look(true), 'behind')).toMatchObject(laggard);
    expect(keep(silent, look(true), 'confirmed')).not.toBeInstanceOf(GraphError);
    expect(keep(silent, look(false), 'behind')).not.toBeInstanceOf(GraphError);
  });
});
