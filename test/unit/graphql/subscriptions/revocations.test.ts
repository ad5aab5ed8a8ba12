import { expect, jest, test } from '@jest/globals';
import { Revocations } from '../../../../src/graphql/subscriptions/revocations.ts';

const EVENTS = ['a', 'b', undefined].map((cursor) => ({ root: {}, cursor }));
const cursorsOf = (events: readonly { readonly cursor?: string | undefined }[]) => events.map(({ cursor }) => cursor);

test('an event that several queued batches revoke is dropped until the last of them is executed', () => {
  const revocations = new Revocations();
  revocations.add(['a']);
  revocations.add(['a']);
  expect(revocations.hasDropped).toBe(false);
  for (const _batch of [1, 2]) {
    expect(cursorsOf(revocations.dropRevoked(EVENTS, 5))).toEqual(['b', undefined]);
    revocations.begin(['a']);
  }
  expect(revocations.dropRevoked(EVENTS, 6)).toEqual(EVENTS);
  // A subscriber that joined after the dropped event knows the event, so it receives the removal.
  const isDeliverable = () => [4, 5].map((joinedAt) => revocations.isDeliverable({ revokes: 'a' }, joinedAt));
  expect([revocations.hasDropped, isDeliverable(), revocations.isDeliverable({}, 0)]).toEqual([true, [false, true], true]);
  revocations.complete(['a']);
  expect([revocations.hasDropped, isDeliverable()]).toEqual([false, [true, true]]);
});

test('a cleared queue revokes and drops nothing', () => {
  const revocations = new Revocations();
  revocations.add(['a', 'b']);
  revocations.dropRevoked(EVENTS, 1);
  revocations.clear();
  expect([revocations.hasDropped, revocations.dropRevoked(EVENTS, 2)]).toEqual([false, EVENTS]);
});

test('an event waits for the next revocation, and not once its reorg would have been detected', async () => {
  const revocations = new Revocations();
  const now = jest.spyOn(performance, 'now').mockReturnValue(20_000);
  expect(await revocations.waitForNext(9_999, 60_000)).toBe(false);
  for (const wake of [() => revocations.add([]), () => revocations.clear()]) {
    const waiting = revocations.waitForNext(10_000, 60_000);
    wake();
    expect(await waiting).toBe(true);
  }
  now.mockRestore();
});
