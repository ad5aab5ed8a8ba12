/** Runs tasks one after another, in the order of the calls. */
export interface TaskQueue {
  /** Resolves or rejects with the result of the task. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

export function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(task) {
      const done = last.then(task);
      last = done.catch(() => {});
      return done;
    },
  };
}
