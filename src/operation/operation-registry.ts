import { CancellationToken } from '../lib/abort.ts';
import { GraphError, withNodeAsCause } from '../lib/errors.ts';
import { type BudgetLimits, OperationBudget } from '../lib/operation-budget.ts';
import type { Operation, OperationOrigin } from './operation.ts';
import { ResponseDependencies } from './response-dependencies.ts';

export const SHUTTING_DOWN_MESSAGE = 'The server is shutting down. Try again in a moment.';

/** Bytes from upstreams above which an operation is long: about 30 full blocks with receipts. */
const LONG_OPERATION_BYTES = 16 * 1024 * 1024;
/** Bytes of long operations after which V8 is to collect their buffers. */
const MAX_UNCOLLECTED_BYTES = 60 * 1024 * 1024;
/** V8 starts a collection when buffers have grown by this number of bytes. */
const COLLECTION_BYTES = 64 * 1024 * 1024;

/** A running operation and its deadline. `end` or `cancel` must be called; `end` does nothing after `cancel`. */
export type RunningOperation = ReturnType<OperationRegistry['begin']>;

/** The running operations of a server. Each has one deadline and one budget. */
export class OperationRegistry {
  /** The deadlines of the running operations, the first one first. */
  readonly #running = new Set<Readonly<{ time: number; signal: CancellationToken; budget: OperationBudget }>>();
  readonly #timeoutMs: number;
  readonly #limits: BudgetLimits;
  /** Bytes of long operations that have ended since the last collection. */
  #uncollectedBytes = 0;
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
    const end = (): void => {
      if (this.#running.delete(deadline) && budget.upstreamBytes > LONG_OPERATION_BYTES) this.#collect(budget.upstreamBytes);
    };
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

  /**
   * Makes V8 collect the buffers of long operations early: 50 full blocks, requested again and again, take 71 MiB, not 116. A buffer that is
   * never touched takes no memory, but V8 counts it (docs/decisions/0069).
   */
  #collect(upstreamBytes: number): void {
    this.#uncollectedBytes += upstreamBytes;
    if (this.#uncollectedBytes < MAX_UNCOLLECTED_BYTES) return;
    this.#uncollectedBytes = 0;
    Buffer.allocUnsafeSlow(COLLECTION_BYTES);
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
