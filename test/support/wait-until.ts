/** Polls until the condition is true; rejects, naming the expectation, after `ms`. The default limit is for hangs, not for a busy machine. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, expectation: string, ms = 60_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${expectation}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
