import type { OperationBudget } from './operation-budget.ts';

/** Items between two checks of the time: at most some hundred microseconds of work. */
const ITEMS_PER_CHECK = 256;

/**
 * Calls `step` for each item of a list of any length, and yields to the event loop where the operation has used up its turn. Short lists are
 * processed synchronously, before the promise is returned. Rejects with RESULT_TOO_LARGE when the budget is exhausted.
 */
export async function forEachYielding<T>(
  items: readonly T[],
  budget: OperationBudget | undefined,
  step: (item: T, index: number) => void,
): Promise<void> {
  for (let from = 0; from < items.length; from += ITEMS_PER_CHECK) {
    const to = Math.min(from + ITEMS_PER_CHECK, items.length);
    for (let i = from; i < to; i++) step(items[i]!, i);
    if (budget?.shouldYieldAfter(to - from)) await budget.yieldTurn();
  }
}

/** Returns the items that match, like `Array.prototype.filter`, and yields as `forEachYielding` does. */
export async function filterYielding<T>(
  items: readonly T[],
  budget: OperationBudget | undefined,
  matches: (item: T) => boolean,
): Promise<readonly T[]> {
  const matching: T[] = [];
  await forEachYielding(items, budget, (item) => {
    if (matches(item)) matching.push(item);
  });
  return matching;
}

/** Steps between two checks of the time. */
const STEPS_PER_CHECK = 32;

/**
 * Runs a generator to its end and returns its result. Yields to the event loop where the operation has used up its turn, even if it has processed
 * few items: a step, such as hashing, takes as long as many items of the other loops. Rejects with RESULT_TOO_LARGE when the budget is exhausted.
 */
export async function finishYielding<T>(steps: Generator<void, T>, budget: OperationBudget | undefined): Promise<T> {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (count % STEPS_PER_CHECK === 0 && budget?.shouldYield()) await budget.yieldTurn();
  }
}
