import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { abortableSleep, withTimeout } from '../../../src/lib/abort.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

const untilAborted = (signal: AbortSignal) => abortableSleep(60_000, signal).then(() => signal.throwIfAborted());
const withStop = <T>(run: (signal: AbortSignal) => Promise<T>, stopped: AbortSignal) =>
  withTimeout(60_000, run, undefined, stopped);

test('a task ends with the reason of the signal that stops it, before and after its start', async () => {
  const controller = new AbortController();
  const running = withStop(untilAborted, controller.signal);
  controller.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
  await expect(withStop(untilAborted, controller.signal)).rejects.toThrow('stopped');
});

test('tasks that have ended leave no signal behind while the signal that would stop them is in use', async () => {
  const { signal } = new AbortController();
  const references: WeakRef<AbortSignal>[] = [];
  const listen = async (own: AbortSignal) => {
    own.addEventListener('abort', () => {});
    references.push(new WeakRef(own));
  };
  for (let task = 0; task < 200; task++) await withStop(listen, signal);
  // A new reference keeps its object alive until the next turn.
  await nextTurn();
  collectGarbage();
  expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(20);
  expect(signal.aborted).toBe(false);
});
