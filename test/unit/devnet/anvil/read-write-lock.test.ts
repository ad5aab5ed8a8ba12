import { expect, test } from '@jest/globals';
import { createReadWriteLock } from '../../../../src/devnet/anvil/read-write-lock.ts';

/** A task that ends when the test says so. */
function startTask() {
  let end = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = () => {
    begin();
    return ended;
  };
  return { run, begun, end };
}

test('an exclusive task waits for the shared tasks before it, and the shared tasks after it wait for it', async () => {
  const access = createReadWriteLock();
  const events: string[] = [];
  const [first, second, alone] = [startTask(), startTask(), startTask()];
  const shared = [access.shared(first.run), access.shared(second.run)];
  const exclusive = access.exclusive(() => {
    events.push('exclusive begins');
    return alone.run();
  });
  const after = access.shared(async () => void events.push('shared begins'));
  first.end();
  await shared[0];
  expect(events).toEqual([]);
  second.end();
  await alone.begun;
  expect(events).toEqual(['exclusive begins']);
  alone.end();
  await Promise.all([...shared, exclusive, after]);
  expect(events).toEqual(['exclusive begins', 'shared begins']);
});

test('a task that fails, shared or exclusive, opens the access for the next ones', async () => {
  const access = createReadWriteLock();
  const fail = async () => {
    throw new Error('failed');
  };
  const failing = access.shared(fail);
  const exclusive = access.exclusive(fail);
  const after = access.shared(async () => 'shared');
  await expect(failing).rejects.toThrow('failed');
  await expect(exclusive).rejects.toThrow('failed');
  expect(await after).toBe('shared');
  expect(await access.exclusive(async () => 'exclusive')).toBe('exclusive');
});
