import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Those of jest. A simulation runs outside of jest, and stops what it starts itself. */
const {
  beforeAll = () => {},
  afterAll = () => {},
  afterEach = () => {},
} = globalThis as Partial<Record<'beforeAll' | 'afterAll' | 'afterEach', Hook>>;
type Hook = (run: () => Promise<void> | void) => void;

/** Functions that run after the current test, the last one first. */
export const cleanups: (() => unknown)[] = [];

let running: Set<() => Promise<unknown>>;

/** Begins a file of tests: what is started from now on, and by its tests, stops after them. */
export function separateResources(): void {
  const own = new Set<() => Promise<unknown>>();
  running = own;
  beforeAll(() => {
    running = own;
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  // Also after a failed test, so that jest can exit.
  afterAll(async () => {
    const errors: unknown[] = [];
    for (const stop of [...own].reverse()) await stop().catch((error) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'something did not stop');
  });
}
separateResources();

/** Returns `stop` as a function that runs it once: when a test calls it, or after the tests of the file, what started last first. */
export function stopAfterTests<T>(stop: () => Promise<T>): () => Promise<T> {
  let stopped: Promise<T> | undefined;
  const file = running;
  const stopOnce = () => {
    file.delete(stopOnce);
    stopped ??= stop();
    return stopped;
  };
  file.add(stopOnce);
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
