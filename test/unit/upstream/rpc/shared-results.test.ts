import { expect, jest, test } from '@jest/globals';
import { InFlightRequests, type InFlightWaiter } from '../../../../src/upstream/rpc/shared-results.ts';

test('a request in flight passes its result to each waiter once', () => {
  const inFlight = new InFlightRequests();
  const waiters = [jest.fn<InFlightWaiter>(), jest.fn<InFlightWaiter>()];
  inFlight.add('a');
  expect(waiters.map((waiter) => inFlight.join('a', waiter))).toEqual([true, true]);
  inFlight.settle('a', { value: 1 });
  inFlight.settle('a', { value: 2 });
  expect(waiters.map(({ mock }) => mock.calls)).toEqual([[[{ value: 1 }]], [[{ value: 1 }]]]);
  expect(inFlight.size).toBe(0);
});

test('a request that is not in flight cannot be joined', () => {
  const inFlight = new InFlightRequests();
  const waiter = jest.fn<InFlightWaiter>();
  inFlight.add('a');
  expect([inFlight.has('b'), inFlight.join('b', waiter)]).toEqual([false, false]);
  inFlight.settle('a', { value: 1 });
  expect([inFlight.has('a'), inFlight.join('a', waiter)]).toEqual([false, false]);
  expect(waiter).not.toHaveBeenCalled();
});

test('a waiter that gets no result may add the request again, and later waiters join that one', () => {
  const inFlight = new InFlightRequests();
  const later = jest.fn<InFlightWaiter>();
  inFlight.add('a');
  inFlight.join('a', (settled) => {
    expect(settled).toBeUndefined();
    inFlight.add('a');
  });
  inFlight.join('a', () => inFlight.join('a', later));
  inFlight.settle('a', undefined);
  expect(later).not.toHaveBeenCalled();
  inFlight.settle('a', { value: 1 });
  expect(later).toHaveBeenCalledWith({ value: 1 });
});

test('a request that is added twice retains its waiters', () => {
  const inFlight = new InFlightRequests();
  const waiter = jest.fn<InFlightWaiter>();
  inFlight.add('a');
  inFlight.join('a', waiter);
  inFlight.add('a');
  inFlight.settle('a', { error: 'failed' });
  expect(waiter).toHaveBeenCalledWith({ error: 'failed' });
});
