/** Interval between two checks: short at first, then a twentieth of the time waited, since a check may be a request. */
const intervalMs = (waitedMs: number): number => Math.min(25, Math.max(5, waitedMs / 20));

/** Polls until the condition is true; rejects, naming the expectation, after `ms`. The default limit is for hangs, not for a busy machine. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, expectation: string, ms = 60_000): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - start;
    if (waitedMs > ms) throw new Error(`timed out waiting until ${expectation}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs(waitedMs)));
  }
}
