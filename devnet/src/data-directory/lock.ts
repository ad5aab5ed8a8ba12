import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A lock file that this process holds. */
export interface FileLock {
  /** False after `release`, and when another process has taken the lock because this one was suspended. */
  isHeld(): boolean;
  /** Removes the file if the lock is held. May be called twice. */
  release(): void;
}

/** The process that holds a lock. */
interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Random for each lock. */
  readonly id: string;
}

const HEARTBEAT_MS = 2_000;
/** Age of the last heartbeat from which on a lock is stale. */
export const STALE_LOCK_MS = 10_000;
const MAX_ATTEMPTS = 5;

/**
 * Ids of the locks of this process. After the restart of a container, this process has the pid of an earlier process.
 */
const heldLocks = new Set<string>();

/**
 * Creates the lock file of a directory. Returns the pid of the holder instead if another process that is running, or this one, holds the
 * lock. The lock of a process that has ended is replaced. Throws if the file cannot be written.
 */
export function acquireLock(path: string): FileLock | number {
  const holder: LockHolder = { pid: process.pid, host: hostname(), id: randomUUID() };
  const content = JSON.stringify(holder);
  for (let attempt = 1; !create(path, content); attempt += 1) {
    const existing = readLock(path);
    if (existing && (isRunning(existing) || attempt === MAX_ATTEMPTS)) return existing.holder?.pid ?? 0;
    if (existing) removeStale(path, existing.content);
  }
  heldLocks.add(holder.id);
  let isReleased = false;
  const isHeld = () => !isReleased && ignoreFailure(() => readLock(path)?.content) === content;
  const touch = () => isHeld() && utimesSync(path, new Date(), new Date());
  const heartbeat = setInterval(() => ignoreFailure(touch), HEARTBEAT_MS).unref();
  return {
    isHeld,
    release() {
      clearInterval(heartbeat);
      heldLocks.delete(holder.id);
      if (isHeld()) ignoreFailure(() => rmSync(path, { force: true }));
      isReleased = true;
    },
  };
}

/** Returns false if the file exists. */
function create(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

interface ExistingLock {
  readonly content: string;
  /** Undefined if the file is incomplete or was written by another program. */
  readonly holder: LockHolder | undefined;
  readonly ageMs: number;
}

/** Returns undefined if there is no lock. */
function readLock(path: string): ExistingLock | undefined {
  try {
    const content = readFileSync(path, 'utf8');
    return { content, holder: parseHolder(content), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(content: string): LockHolder | undefined {
  try {
    return JSON.parse(content) as LockHolder;
  } catch {
    return undefined;
  }
}

/** Pids of other hosts, such as other containers, are not visible here: only the heartbeat counts. */
function isRunning({ holder, ageMs }: ExistingLock): boolean {
  if (ageMs > STALE_LOCK_MS) return false;
  if (holder?.host !== hostname()) return true;
  if (holder.pid === process.pid) return heldLocks.has(holder.id);
  try {
    return process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the lock with this content. Puts back the lock of a process that has replaced it in the meantime. */
function removeStale(path: string, content: string): void {
  const removed = `${path}.${randomUUID()}`;
  try {
    renameSync(path, removed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const other = readFileSync(removed, 'utf8');
  rmSync(removed);
  if (other !== content) create(path, other);
}

/** A disk that fails must not end the process: its lock becomes stale, and the next save reports the failure. */
function ignoreFailure<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}
