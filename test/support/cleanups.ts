import { afterEach } from '@jest/globals';

/** Returns a list for functions that run after each test of the file, the last one first. */
export function createCleanups(): (() => unknown)[] {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  return cleanups;
}
