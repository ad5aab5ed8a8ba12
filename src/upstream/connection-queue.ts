import { type Cancellation, onAbort } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';

export interface ConnectionLimits {
  /** Maximum number of requests in flight. */
  readonly connections: number;
  /** Maximum number of heavy requests among them. */
  readonly heavyConnections: number;
}

/**
 * Maximum number of waiting requests of a class. It permits reading the receipts of 100 blocks of 200 transactions one
 * by one, without batches.
 */
export const MAX_WAITING_REQUESTS = 20_000;
/**
 * Maximum size of the waiting requests of a class. It permits four operations with the longest filters that MAX_COST
 * permits.
 */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 1_000;
const OVERLOADED_MESSAGE = 'Too many requests wait for a connection to the upstream. Retry later.';

/**
 * Assigns the connections to one upstream. Light and heavy requests wait in separate queues, and heavy requests never
 * occupy all connections. Within a class the operations take turns, so that an operation with fifty requests delays a
 * single request of another operation by one turn.
 */
export class ConnectionQueue {
  readonly #limits: ConnectionLimits;
  readonly #light = new WaitingRequests();
  readonly #heavy = new WaitingRequests();
  #inFlight = 0;
  #heavyInFlight = 0;
  #isHeavyNext = false;
  #rejected = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * `waiting`: number of requests that wait for a connection. `waits`, `waitMs`: number of requests whose wait has
   * ended, and the sum of their waits in milliseconds. `rejected`: number of requests rejected by a full queue.
   */
  get status() {
    const [light, heavy] = [this.#light, this.#heavy];
    return {
      waiting: light.count + heavy.count,
      waits: light.waits + heavy.waits,
      waitMs: light.waitMs + heavy.waitMs,
      rejected: this.#rejected,
    };
  }

  /**
   * Takes a connection without waiting; returns false if no connection is free for the class. Free connections imply
   * that no request waits for them.
   */
  tryAcquire(isHeavy: boolean): boolean {
    if (!this.#hasConnectionFor(isHeavy)) return false;
    this.#occupy(isHeavy);
    return true;
  }

  /** Resolves when the request has a connection. Rejects with OVERLOADED when the queue is full, and with the signal's reason on abort. */
  wait(isHeavy: boolean, bytes: number, signal: Cancellation): Promise<void> {
    const queue = isHeavy ? this.#heavy : this.#light;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (queue.count >= MAX_WAITING_REQUESTS || queue.bytes + bytes > MAX_WAITING_BYTES) {
      this.#rejected += 1;
      return Promise.reject(new GraphError('OVERLOADED', OVERLOADED_MESSAGE, { retryAfterMs: RETRY_AFTER_MS }));
    }
    return new Promise((resolve, reject) => queue.add({ bytes, queuedAt: performance.now(), resolve, reject }, signal));
  }

  /** Returns a connection, which the next waiting request takes. */
  release(isHeavy: boolean): void {
    this.#inFlight -= 1;
    if (isHeavy) this.#heavyInFlight -= 1;
    while (this.#startNext());
  }

  #hasConnectionFor(isHeavy: boolean): boolean {
    const { connections, heavyConnections } = this.#limits;
    return this.#inFlight < connections && (!isHeavy || this.#heavyInFlight < heavyConnections);
  }

  #occupy(isHeavy: boolean): void {
    this.#inFlight += 1;
    if (isHeavy) this.#heavyInFlight += 1;
  }

  /** Starts one waiting request; the classes alternate while both wait. Returns false if no request can start. */
  #startNext(): boolean {
    const canStartLight = this.#light.count > 0 && this.#hasConnectionFor(false);
    const canStartHeavy = this.#heavy.count > 0 && this.#hasConnectionFor(true);
    if (!canStartLight && !canStartHeavy) return false;
    const isHeavy = canStartHeavy && (this.#isHeavyNext || !canStartLight);
    this.#isHeavyNext = !isHeavy;
    this.#occupy(isHeavy);
    (isHeavy ? this.#heavy : this.#light).next().resolve();
    return true;
  }
}

interface WaitingRequest {
  readonly bytes: number;
  readonly queuedAt: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The waiting requests of one class, by the signal of their operation, in the order of the operations' turns. */
class WaitingRequests {
  count = 0;
  bytes = 0;
  waits = 0;
  waitMs = 0;
  readonly #operations = new Map<Cancellation, { readonly requests: WaitingRequest[]; readonly unregister: () => void }>();

  add(request: WaitingRequest, signal: Cancellation): void {
    this.count += 1;
    this.bytes += request.bytes;
    const operation = this.#operations.get(signal);
    if (operation) operation.requests.push(request);
    else this.#operations.set(signal, { requests: [request], unregister: onAbort(signal, () => this.#abort(signal)) });
  }

  /** Removes the first request of the operation whose turn it is. Requires that a request is waiting. */
  next(): WaitingRequest {
    const [signal, operation] = this.#operations.entries().next().value!;
    const request = operation.requests.shift()!;
    this.#operations.delete(signal);
    if (operation.requests.length > 0) this.#operations.set(signal, operation);
    else operation.unregister();
    this.#recordRemoval(request);
    return request;
  }

  #abort(signal: Cancellation): void {
    const { requests } = this.#operations.get(signal)!;
    this.#operations.delete(signal);
    for (const request of requests) {
      this.#recordRemoval(request);
      request.reject(signal.reason);
    }
  }

  #recordRemoval({ bytes, queuedAt }: WaitingRequest): void {
    this.count -= 1;
    this.bytes -= bytes;
    this.waits += 1;
    this.waitMs += performance.now() - queuedAt;
  }
}

/** Adds the status of several queues. */
export function totalQueueStatus(queues: readonly ConnectionQueue['status'][]) {
  const total = (name: keyof ConnectionQueue['status']) => queues.reduce((sum, status) => sum + status[name], 0);
  return {
    queuedRequests: total('waiting'),
    queueWaits: total('waits'),
    queueWaitMs: total('waitMs'),
    overloads: total('rejected'),
  };
}
