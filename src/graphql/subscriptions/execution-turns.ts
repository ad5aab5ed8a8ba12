/**
 * Maximum number of groups that execute events at the same time: twice the connections to the node. More groups would
 * need memory without being faster, because all groups share one event loop.
 */
const MAX_EXECUTING_GROUPS = 8;
/** Maximum cost of the events that execute at the same time, as a multiple of MAX_COST, because their results are in memory together. */
const MAX_EXECUTING_COSTS = 2;

/** Limits the number of groups that execute events at the same time. Other groups wait for their turn, in order. */
export class ExecutionTurns {
  /** MAX_COST: maximum cost of the events that one group executes at the same time. */
  readonly maxWorkCost: number;
  readonly #maxGroups: number;
  /** A set, because the time to remove the first item of an array is proportional to its length. */
  readonly #waiting = new Set<{ readonly cost: number; readonly start: () => void }>();
  #runningCount = 0;
  #runningCost = 0;
  #isScheduled = false;
  readonly #maxStarts: number;

  /**
   * `maxGroups`: maximum number of groups that execute at the same time. `maxStarts`: maximum number that start in one turn of the event
   * loop; groups that execute without waiting for the node would otherwise all execute in one turn.
   */
  constructor(maxWorkCost: number, { maxGroups = MAX_EXECUTING_GROUPS, maxStarts = Number.POSITIVE_INFINITY } = {}) {
    this.maxWorkCost = maxWorkCost;
    this.#maxGroups = maxGroups;
    this.#maxStarts = maxStarts;
  }

  /** Runs `work` when its turn comes: without a limit of starts, at once if no other work is waiting. `work` must not reject. */
  async run<Result>(cost: number, work: () => Promise<Result>): Promise<Result> {
    const isLimited = this.#maxStarts < Number.POSITIVE_INFINITY;
    if (isLimited || this.#waiting.size > 0 || !this.#hasRoom(cost)) {
      const turn = new Promise<void>((start) => this.#waiting.add({ cost, start }));
      if (isLimited) this.#scheduleNext();
      await turn;
    } else this.#begin(cost);
    try {
      return await work();
    } finally {
      this.#runningCount--;
      this.#runningCost -= cost;
      this.#scheduleNext();
    }
  }

  #hasRoom(cost: number): boolean {
    if (this.#runningCount === 0) return true;
    return this.#runningCount < this.#maxGroups && this.#runningCost + cost <= MAX_EXECUTING_COSTS * this.maxWorkCost;
  }

  #begin(cost: number): void {
    this.#runningCount++;
    this.#runningCost += cost;
  }

  /** Starts waiting work in a later turn of the event loop: other requests run between, and work that starts together shares a POST. */
  #scheduleNext(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      let starts = 0;
      for (const work of this.#waiting) {
        if (!this.#hasRoom(work.cost)) return;
        if (++starts > this.#maxStarts) return this.#scheduleNext();
        this.#waiting.delete(work);
        this.#begin(work.cost);
        work.start();
      }
    });
  }
}
