/** Runs shared tasks concurrently, and an exclusive task alone. */
export interface ReadWriteLock {
  shared<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Waits for the running shared tasks; new shared tasks wait for this one. Only one exclusive task at a time. */
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createReadWriteLock(): ReadWriteLock {
  let running = 0;
  let closed: Promise<void> | undefined;
  let isIdle = () => {};

  return {
    async shared(task) {
      while (closed) await closed;
      running += 1;
      try {
        return await task();
      } finally {
        running -= 1;
        if (running === 0) isIdle();
      }
    },
    async exclusive(task) {
      let open = () => {};
      closed = new Promise((resolve) => {
        open = resolve;
      });
      try {
        if (running > 0) {
          await new Promise<void>((resolve) => {
            isIdle = resolve;
          });
        }
        return await task();
      } finally {
        closed = undefined;
        open();
      }
    },
  };
}
