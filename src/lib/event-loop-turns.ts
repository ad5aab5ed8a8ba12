/** Continuations that wait for a turn, by the operation that they belong to, in the order in which the operations are served. */
const waiting = new Map<object, (() => void)[]>();

/**
 * Resolves in a later turn of the event loop. Each turn continues one piece of work, and the owners take turns: an operation with a hundred
 * pieces of work delays the others as little as one with a single piece.
 */
export const nextTurn = (owner: object): Promise<void> =>
  new Promise((resolve) => {
    const continuations = waiting.get(owner);
    if (continuations) continuations.push(resolve);
    else waiting.set(owner, [resolve]);
    if (waiting.size === 1 && !continuations) setImmediate(continueOne);
  });

function continueOne(): void {
  const [first] = waiting;
  if (!first) return;
  const [owner, continuations] = first;
  waiting.delete(owner);
  const resume = continuations.shift()!;
  if (continuations.length > 0) waiting.set(owner, continuations);
  if (waiting.size > 0) setImmediate(continueOne);
  resume();
}
