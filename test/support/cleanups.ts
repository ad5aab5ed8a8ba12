import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Those of jest. A simulation runs outside of jest, and stops what it starts itself. */
const { afterAll = () => {}, afterEach = () => {} } = globalThis as { afterAll?: Hook; afterEach?: Hook };
type Hook = (run: () => Promise<void>) => void;

/** Returns a list for functions that run after each test of the file, the last one first. */
export function createCleanups(): (() => unknown)[] {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  return cleanups;
}

const running = new Set<() => Promise<unknown>>();

// Also after a failed test, so that jest can exit.
afterAll(async () => {
  const errors: unknown[] = [];
  for (const stop of [...running].reverse()) await stop().catch((error) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'something did not stop');
});

/** Returns `stop` as a function that runs it once: when a test calls it, or after the tests of the file, what started last first. */
export function stopAfterTests<T>(stop: () => Promise<T>): () => Promise<T> {
  let stopped: Promise<T> | undefined;
  const stopOnce = () => {
    running.delete(stopOnce);
    stopped ??= stop();
    return stopped;
  };
  running.add(stopOnce);
  return stopOnce;
}

/** Returns a resource, which stops or closes after the tests of the file. */
export function untilTestsEnd<T extends { stop(): Promise<unknown> } | { close(): Promise<unknown> }>(resource: T): T {
  stopAfterTests(() => ('stop' in resource ? resource.stop() : resource.close()));
  return resource;
}

/** Creates a folder that is removed after the tests of the file. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grimoire-test-'));
  stopAfterTests(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
