/** Runs a part of a test with a clock, `performance.now`, that `moveTo` sets this many milliseconds after the real one. */
export async function withMovedClock(run: (moveTo: (ms: number) => void) => Promise<void>): Promise<void> {
  const { now } = performance;
  let offsetMs = 0;
  performance.now = () => now.call(performance) + offsetMs;
  try {
    await run((ms) => {
      offsetMs = ms;
    });
  } finally {
    performance.now = now;
  }
}
