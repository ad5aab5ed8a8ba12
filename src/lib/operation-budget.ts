import { GraphError } from './errors.ts';
import type { TraceContext } from './trace-context.ts';

/** Continuations that wait for a turn, by their operation, in the order in which the operations continue. */
const waiting = new Map<object, (() => void)[]>();

/**
 * Resolves in a later turn of the event loop. Each turn continues one piece of work, and the operations take turns: an
 * operation with a hundred pieces of work delays other operations no more than an operation with a single piece.
 */
export const nextTurn = (owner: object): Promise<void> =>
  new Promise((resolve) => {
    const continuations = waiting.get(owner);
    if (continuations) continuations.push(resolve);
    else waiting.set(owner, [resolve]);
    if (waiting.size === 1 && !continuations) setImmediate(continueOne);
  });

function continueOne(): void {
  // It is scheduled only while a continuation waits.
  const [owner, continuations] = waiting.entries().next().value!;
  waiting.delete(owner);
  const resume = continuations.shift()!;
  if (continuations.length > 0) waiting.set(owner, continuations);
  if (waiting.size > 0) setImmediate(continueOne);
  resume();
}

/** Items between two checks of the time: at most some hundred microseconds of work. */
const ITEMS_PER_CHECK = 256;

/**
 * Calls `step` for each item of a list of any length, and yields to the event loop when the operation has used up its
 * turn. Short lists are processed synchronously, before the promise is returned. Rejects with RESULT_TOO_LARGE when the
 * budget is exhausted.
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

/** Time after which a computation lets other work run, and steps between two checks of the time. */
const MAX_COMPUTATION_MS = 5;
const STEPS_PER_CHECK = 32;

/**
 * Runs a generator to its end and returns its result. Yields to the event loop when the operation has used up its turn,
 * even after few items, because a step, such as hashing, takes as long as many items of the other loops. Rejects with
 * RESULT_TOO_LARGE when the budget is exhausted.
 */
export async function finishYielding<T>(steps: Generator<void, T>, budget: OperationBudget | undefined): Promise<T> {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return step.value;
    if (count % STEPS_PER_CHECK === 0 && budget?.shouldYield(MAX_COMPUTATION_MS)) await budget.yieldTurn();
  }
}

/** Limits of one operation while it runs; each property is the setting of that name. */
export type BudgetLimits = Readonly<
  Record<'MAX_COST' | 'MAX_UPSTREAM_BYTES' | 'MAX_RESPONSE_BYTES' | 'MAX_EVENT_LOOP_MS', number>
>;

/** Limits that no operation reaches, for reads that belong to no operation. */
export const NO_BUDGET_LIMITS: BudgetLimits = {
  MAX_COST: Number.POSITIVE_INFINITY,
  MAX_UPSTREAM_BYTES: Number.POSITIVE_INFINITY,
  MAX_RESPONSE_BYTES: Number.POSITIVE_INFINITY,
  MAX_EVENT_LOOP_MS: Number.POSITIVE_INFINITY,
};

/** The start and the end of the error of each limit. */
const ERROR_TEXTS: Readonly<Record<keyof BudgetLimits, readonly [subject: string, advice: string]>> = {
  MAX_COST: ['The upstream calls of the operation cost', 'Request fewer blocks or a smaller page, or fewer fields of each.'],
  MAX_UPSTREAM_BYTES: [
    'The bytes that the operation exchanges with upstreams are',
    'Request fewer blocks or a smaller page, or shorter filters.',
  ],
  MAX_RESPONSE_BYTES: ['The bytes of the response are at least', 'Request fewer fields, or a smaller page.'],
  MAX_EVENT_LOOP_MS: [
    'The milliseconds for which the operation occupies the server are',
    'Request fewer items, or fewer fields of each.',
  ],
};

/** Time after which long work yields to the event loop: a turn stays below 50 ms on a machine that is several times slower. */
const MAX_TURN_MS = 10;

/**
 * Items that an operation processes before its loops check the time. Below this number loops never yield, even on a
 * machine that stalls, so that the calls for their results are in one batch.
 */
const MIN_ITEMS_BEFORE_YIELD = 2_000;

/**
 * The resources that one operation has used, and their limits. Exceeding one ends the operation: `error` is set, `onExhausted` runs once, and
 * no further call is sent.
 */
export class OperationBudget {
  readonly limits: BudgetLimits;
  /** Cost of the calls that the operation has queued, in the unit of MAX_COST. */
  spent = 0;
  /** Number of POSTs and GETs that were sent, retries included. */
  requests = 0;
  /** Number of calls in the sent POSTs, plus the number of GETs. */
  calls = 0;
  /** Number of calls to the node whose outcome the operation does not have yet. */
  pendingNodeCalls = 0;
  /** Compute units of the JSON-RPC calls in the sent POSTs, as hosted nodes bill them. */
  computeUnits = 0;
  /** Bytes of the bodies that were sent to upstreams and received from them, decompressed, and of the rows of a database. */
  upstreamBytes = 0;
  /** Bytes of the response that are written so far, approximately until it is complete. */
  responseBytes = 0;
  /** Time during which the operation has occupied the event loop, excluding the current turn. */
  eventLoopMs = 0;
  /** RESULT_TOO_LARGE for the first exceeded limit, or the reason of `end`; undefined while the operation may continue. */
  error: GraphError | undefined;
  /** The trace that the upstream requests of the operation continue. */
  trace: TraceContext | undefined;
  readonly #onExhausted: ((error: GraphError) => void) | undefined;
  /** Start of the current turn; zero between turns. */
  #turnStart = 0;
  /** Items that the loops of the operation have processed. */
  #items = 0;
  readonly #endTurn = (): void => {
    this.eventLoopMs += performance.now() - this.#turnStart;
    this.#turnStart = 0;
    this.#check('MAX_EVENT_LOOP_MS', this.eventLoopMs);
  };

  /** Without limits, it only counts. */
  constructor(limits: BudgetLimits = NO_BUDGET_LIMITS, onExhausted?: (error: GraphError) => void) {
    this.limits = limits;
    this.#onExhausted = onExhausted;
  }

  throwIfExhausted(): void {
    if (this.error) throw this.error;
  }

  /** Ends the operation, as an exceeded limit does. Does nothing if it has ended. */
  end(reason: GraphError): void {
    if (this.error) return;
    this.error = reason;
    this.#onExhausted?.(reason);
  }

  /** Adds the cost of a call that the operation queues, or of a statement of a database. */
  addCost(cost: number): void {
    this.spent += cost;
    this.#check('MAX_COST', this.spent);
  }

  /** Counts one request with this number of calls and their compute units. */
  recordRequest(calls: number, computeUnits = 0): void {
    this.requests += 1;
    this.calls += calls;
    this.computeUnits += computeUnits;
  }

  /** Adds the size of a body that was sent or received. */
  addUpstreamBytes(bytes: number): void {
    this.upstreamBytes += bytes;
    this.#check('MAX_UPSTREAM_BYTES', this.upstreamBytes);
  }

  /** Adds a written part of the response. Call it for each chunk, not for each value. */
  addResponseBytes(bytes: number): void {
    this.setResponseBytes(this.responseBytes + bytes);
  }

  /** Sets the size of the complete response. */
  setResponseBytes(bytes: number): void {
    this.responseBytes = bytes;
    this.#check('MAX_RESPONSE_BYTES', this.responseBytes);
  }

  /** Starts to measure the current turn of the event loop. It ends when its microtasks have run. */
  beginTurn(): void {
    if (this.#turnStart !== 0) return;
    this.#turnStart = performance.now();
    // A tick that is queued by a microtask runs after all microtasks of the turn. `queueMicrotask` would create an asynchronous resource.
    void Promise.resolve().then(() => process.nextTick(this.#endTurn));
  }

  /**
   * Whether long work should await `yieldTurn` now. Call it about every hundred items. Throws RESULT_TOO_LARGE when the
   * budget is exhausted.
   */
  shouldYield(maxTurnMs = MAX_TURN_MS): boolean {
    this.throwIfExhausted();
    this.beginTurn();
    const elapsed = performance.now() - this.#turnStart;
    if (elapsed < maxTurnMs) return false;
    this.#check('MAX_EVENT_LOOP_MS', this.eventLoopMs + elapsed);
    this.throwIfExhausted();
    return true;
  }

  /**
   * Variant of `shouldYield` for a loop that has processed `items` more items. False until the operation has processed
   * 2,000 items.
   */
  shouldYieldAfter(items: number): boolean {
    this.#items += items;
    return this.#items >= MIN_ITEMS_BEFORE_YIELD && this.shouldYield();
  }

  /** Lets other work of the server run. Rejects with RESULT_TOO_LARGE when the budget is exhausted. */
  async yieldTurn(): Promise<void> {
    await nextTurn(this);
    this.throwIfExhausted();
    this.beginTurn();
  }

  /** Ends the operation if a value exceeds its limit. */
  #check(setting: keyof BudgetLimits, value: number): void {
    const limit = this.limits[setting];
    if (value <= limit || this.error) return;
    const [subject, advice] = ERROR_TEXTS[setting];
    const actual = setting === 'MAX_EVENT_LOOP_MS' ? Math.round(value) : value;
    const message = `${subject} ${actual}; the limit is ${limit} (${setting}). ${advice}`;
    this.end(new GraphError('RESULT_TOO_LARGE', message, { limit, actual, setting }));
  }
}
