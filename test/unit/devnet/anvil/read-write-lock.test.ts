import { expect, test } from '@jest/globals';
import { createReadWriteLock } from '../../../../devnet/src/anvil/read-write-lock.ts';
import { createGate } from '../../../support/gate.ts';

/** Creates a task that the test ends. */
function startTask() {
  let end = () => {};
  const { opened: begun, open: begin } = createGate();
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = () => {
    begin();
    return ended;
  };
  return { run, begun, end };
}

test('read-write lock runs an exclusive task after earlier shared tasks and before later ones', async () => {
  const lock = createReadWriteLock();
  const events: string[] = [];
  const [first, second, writer] = [startTask(), startTask(), startTask()];
  const shared = [lock.shared(first.run), lock.shared(second.run)];
  const exclusive = lock.exclusive(() => {
    events.push('exclusive begins');
    return writer.run();
  });
  const after = lock.shared(async () => void events.push('shared begins'));
  first.end();
  await shared[0];
  expect(events).toEqual([]);
  second.end();
  await writer.begun;
  expect(events).toEqual(['exclusive begins']);
  writer.end();
  await Promise.all([...shared, exclusive, after]);
  expect(events).toEqual(['exclusive begins', 'shared begins']);
});

test('read-write lock is released when a shared or exclusive task fails', async () => {
  const lock = createReadWriteLock();
  const fail = async () => {
    throw new Error('failed');
  };
  const failing = lock.shared(fail);
  const exclusive = lock.exclusive(fail);
  const after = lock.shared(async () => 'shared');
  await expect(failing).rejects.toThrow('failed');
  await expect(exclusive).rejects.toThrow('failed');
  expect(await after).toBe('shared');
  expect(await lock.exclusive(async () => 'exclusive')).toBe('exclusive');
});
