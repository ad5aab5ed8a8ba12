/** Runs shared tasks concurrently, and an exclusive task alone. */
export interface ReadWriteLock {
  shared<Result>(task: () => Promise<Result>): Promise<Result>;
  /**
   * Waits for the running shared tasks; new shared tasks wait for this one. The caller must not start another exclusive
   * task before this task ends.
   */
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createReadWriteLock(): ReadWriteLock {
  let running = 0;
  let exclusiveRun: Promise<void> | undefined;
  let onIdle = () => {};

  return {
    async shared(task) {
      while (exclusiveRun) await exclusiveRun;
      running += 1;
      try {
        return await task();
      } finally {
        running -= 1;
        if (running === 0) onIdle();
      }
    },
    async exclusive(task) {
      let endExclusiveRun = () => {};
      exclusiveRun = new Promise((resolve) => {
        endExclusiveRun = resolve;
      });
      try {
        if (running > 0) {
          await new Promise<void>((resolve) => {
            onIdle = resolve;
          });
        }
        return await task();
      } finally {
        exclusiveRun = undefined;
        endExclusiveRun();
      }
    },
  };
}
