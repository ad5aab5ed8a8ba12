import type { Channel } from './channel.ts';
import type { WorkerHandlers } from './protocol.ts';

/** The channels of the running workers, by the id of the worker. */
type WorkerChannels = ReadonlyMap<number, Pick<Channel<WorkerHandlers>, 'send'>>;

/** The counts that the workers limit together. Each worker knows the sum of the others. */
export class SharedSums {
  /** The counts of each worker, by name. */
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #workers: WorkerChannels;

  /** `workers`: the channels of the running workers. */
  constructor(workers: WorkerChannels) {
    this.#workers = workers;
  }

  /** Sends the counts of the other workers to a new worker. */
  add(worker: number): void {
    for (const [name, counts] of this.#counts) this.#send(name, counts, worker);
  }

  /** Sets a count of a worker and sends the new sums to the other workers. */
  set(worker: number, name: string, count: number): void {
    const counts = this.#counts.get(name) ?? new Map<number, number>();
    if (count > 0) counts.set(worker, count);
    else counts.delete(worker);
    if (counts.size > 0) this.#counts.set(name, counts);
    else this.#counts.delete(name);
    for (const other of this.#workers.keys()) if (other !== worker) this.#send(name, counts, other);
  }

  /** Removes the counts of a worker that has ended. */
  remove(worker: number): void {
    for (const [name, counts] of [...this.#counts]) if (counts.has(worker)) this.set(worker, name, 0);
  }

  #send(name: string, counts: ReadonlyMap<number, number>, worker: number): void {
    let sum = 0;
    for (const [other, count] of counts) if (other !== worker) sum += count;
    this.#workers.get(worker)?.send('setOthers', name, sum);
  }
}
