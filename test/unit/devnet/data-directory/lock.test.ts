import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { acquireLock, type FileLock } from '../../../../devnet/src/data-directory/lock.ts';
import { cleanups, createTemporaryFolder } from '../../../support/cleanups.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = createTemporaryFolder();
  path = join(directory, 'lock');
});

/** Acquires the lock; fails if another process holds it. */
const acquire = (): FileLock => {
  const lock = acquireLock(path);
  if (typeof lock === 'number') throw new Error(`process ${lock} holds the lock`);
  cleanups.push(() => lock.release());
  return lock;
};
const writeLock = (pid: number, host = hostname()) => writeFileSync(path, JSON.stringify({ pid, host, id: 'other' }));
const setAge = (seconds: number) => utimesSync(path, new Date(), new Date(Date.now() - seconds * 1000));
/** The pid of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('a lock is refused with the pid of its holder until it is released', () => {
  const lock = acquire();
  expect(lock.isHeld()).toBe(true);
  expect(acquireLock(path)).toBe(process.pid);
  lock.release();
  lock.release();
  expect([lock.isHeld(), existsSync(path)]).toEqual([false, false]);
  expect(acquire().isHeld()).toBe(true);
});

test('the heartbeat of a lock renews the time of its file', async () => {
  acquire();
  setAge(9);
  await waitUntil(() => Date.now() - statSync(path).mtimeMs < 5_000, 'the heartbeat');
});

test('the lock of a process that has ended is replaced', () => {
  writeLock(endedPid());
  const lock = acquire();
  expect(lock.isHeld()).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(readdirSync(directory)).toEqual(['lock']);
});

test('the lock of a running process is refused, and replaced ten seconds after its last heartbeat', () => {
  writeLock(process.ppid);
  setAge(9);
  expect(acquireLock(path)).toBe(process.ppid);
  setAge(11);
  expect(acquire().isHeld()).toBe(true);
});

test('a process that was suspended does not hold the lock that another process has taken, and does not remove it', () => {
  const lock = acquire();
  writeLock(process.ppid);
  expect(lock.isHeld()).toBe(false);
  lock.release();
  expect(existsSync(path)).toBe(true);
});
