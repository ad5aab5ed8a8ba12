import { CancellationToken } from '../lib/abort.ts';
import { GraphError, withNodeAsCause } from '../lib/errors.ts';
import { type BudgetLimits, OperationBudget } from '../lib/operation-budget.ts';
import type { Operation, OperationOrigin } from './operation.ts';
import { ResponseDependencies } from './response-dependencies.ts';

export const SHUTTING_DOWN_MESSAGE = 'The server is shutting down. Try again in a moment.';

/** A running operation and its deadline. `end` or `cancel` must be called; `end` does nothing after `cancel`. */
export type RunningOperation = ReturnType<OperationRegistry['begin']>;

/** The running operations of a server. Each has one deadline and one budget. */
export class OperationRegistry {
  /** The deadlines of the running operations, the first one first. */
  readonly #running = new Set<Readonly<{ time: number; signal: CancellationToken; budget: OperationBudget }>>();
  readonly #timeoutMs: number;
  readonly #limits: BudgetLimits;
  /** Runs at the first deadline. A timer for each operation would cost a fiftieth of a small operation. */
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, limits: BudgetLimits) {
    this.#timeoutMs = timeoutMs;
    this.#limits = limits;
  }

  /**
   * Starts the deadline of an operation that reads `block`, or the head if `block` is undefined. The upstream requests
   * of the operation continue the trace of `origin`.
   */
  begin(requestId: string, block?: string, origin?: OperationOrigin) {
    const signal = new CancellationToken();
    const budget = new OperationBudget(this.#limits, (error) => signal.abort(error));
    budget.trace = origin?.trace;
    const deadline = { time: performance.now() + this.#timeoutMs, signal, budget };
    this.#running.add(deadline);
    if (!this.#timer) this.#abortExpired();
    const operation: Operation = {
      requestId,
      signal,
      deadline: deadline.time,
      origin,
      block,
      extensions: {},
      dependencies: new ResponseDependencies(),
      budget,
    };
    /** Ends the deadline; called after the response is complete. */
    const end = (): void => void this.#running.delete(deadline);
    return {
      operation,
      end,
      /** Aborts the operation because its client has disconnected or has completed it. */
      cancel() {
        end();
        // The client does not receive the response, so long scans end, too, not only upstream requests.
        budget.end(new GraphError('TIMEOUT', 'The client has disconnected or cancelled the operation.'));
      },
    };
  }

  /** Aborts every running operation with SHUTTING_DOWN. */
  abortAll(): void {
    const reason = new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
    for (const { signal } of [...this.#running]) signal.abort(reason);
  }

  /** Aborts the operations whose deadline has passed. Runs again at the next deadline. */
  #abortExpired(): void {
    this.#timer = undefined;
    const limit = this.#timeoutMs;
    for (const { time, signal, budget } of [...this.#running]) {
      if (time > performance.now()) {
        this.#timer = setTimeout(() => this.#abortExpired(), time - performance.now()).unref();
        return;
      }
      const error = new GraphError('TIMEOUT', `The operation took longer than ${limit} ms.`, { limit });
      signal.abort(budget.pendingNodeCalls > 0 ? withNodeAsCause(error) : error);
    }
  }
}
