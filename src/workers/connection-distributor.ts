import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { acceptConnections, type Listener } from '../server/listen.ts';

/** Maximum number of connections that wait while no worker listens. */
const MAX_WAITING = 1_000;

/** A message with a connection for the listener of a worker. */
export interface SentConnection {
  readonly connection: number;
  readonly listener: string;
}

/** A message that a worker has received a connection. The worker sends it before it reads from the connection. */
export interface AcceptedConnection {
  readonly accepted: number;
}

interface SharedListener {
  readonly key: string;
  readonly listening: Promise<Listener>;
  /** The workers that listen; the first one gets the next connection. */
  workers: number[];
  readonly waiting: Socket[];
}

/**
 * Accepts the connections of all workers and passes them to the workers in turn. The distribution of node:cluster loses
 * the connections that a worker has not received when it is killed: their clients would wait forever.
 */
export class ConnectionDistributor {
  readonly #listeners = new Map<string, SharedListener>();
  readonly #workers: (id: number) => Worker | undefined;
  readonly #log: Logger;
  /** Connections that a worker has not received yet, by their number. This process keeps them open until then. */
  readonly #sent = new Map<number, { readonly worker: number; readonly listener: SharedListener; readonly socket: Socket }>();
  #lastNumber = 0;
  #isStopping = false;

  /** `workers` returns a running worker. */
  constructor(workers: (id: number) => Worker | undefined, log: Logger) {
    this.#workers = workers;
    this.#log = log;
  }

  /** Listens for a worker, with one listener for all workers that use this key. Returns its URL. */
  async listen(worker: number, key: string, host: string, port: number, advice: string): Promise<string> {
    const listener = this.#listeners.get(key) ?? this.#open(key, host, port, advice);
    const { url } = await listener.listening;
    listener.workers.unshift(worker);
    for (const socket of listener.waiting.splice(0)) this.#pass(listener, socket);
    return url;
  }

  /** Passes no further connections to a worker. While the server stops, the last worker closes the listener. */
  unlisten(worker: number, key: string): void {
    const listener = this.#listeners.get(key);
    if (!listener) return;
    listener.workers = listener.workers.filter((other) => other !== worker);
    if (this.#isStopping && listener.workers.length === 0) this.#close(listener);
  }

  /** Closes the copy of a connection that a worker has received. */
  accept(number: number): void {
    this.#sent.get(number)?.socket.destroy();
    this.#sent.delete(number);
  }

  /** Passes the connections that a worker has not received before its end to the others. */
  remove(worker: number): void {
    for (const key of this.#listeners.keys()) this.unlisten(worker, key);
    for (const [number, { worker: owner, listener, socket }] of [...this.#sent]) {
      if (owner !== worker) continue;
      this.#sent.delete(number);
      this.#pass(listener, socket);
    }
  }

  /** Stops accepting connections when no worker listens any more. */
  stop(): void {
    this.#isStopping = true;
    for (const listener of this.#listeners.values()) if (listener.workers.length === 0) this.#close(listener);
  }

  #close({ listening, waiting }: SharedListener): void {
    listening.then((listener) => listener.close()).catch(() => {});
    for (const socket of waiting.splice(0)) socket.destroy();
  }

  #open(key: string, host: string, port: number, advice: string): SharedListener {
    const listening = acceptConnections(host, port, advice, (socket) => {
      socket.on('error', () => socket.destroy());
      this.#pass(listener, socket);
    });
    const listener: SharedListener = { key, listening, workers: [], waiting: [] };
    this.#listeners.set(key, listener);
    listening.then(({ url }) => this.#log.info(`Server listening at ${url}`)).catch(() => this.#listeners.delete(key));
    return listener;
  }

  #pass(listener: SharedListener, socket: Socket): void {
    const worker = listener.workers.shift();
    if (worker === undefined) {
      if (listener.waiting.length < MAX_WAITING) listener.waiting.push(socket);
      else socket.destroy();
      return;
    }
    const target = this.#workers(worker);
    // The worker has ended while it waited for the listener.
    if (!target) return void this.#pass(listener, socket);
    listener.workers.push(worker);
    const connection = ++this.#lastNumber;
    this.#sent.set(connection, { worker, listener, socket });
    const message: SentConnection = { connection, listener: listener.key };
    // A process that has ended is noticed by its `exit` event.
    target.process.send!(message, socket, { keepOpen: true }, () => {});
  }
}
