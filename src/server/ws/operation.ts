import type { GraphQLFormattedError } from 'graphql';
import type { Told } from '../../graphql/subscriptions/subscription-sink.ts';
import type { Channel, Task } from '../operation-runner.ts';
import type { Connection } from './connection.ts';

/** Ends the iteration of an operation: what its client is told. */
export class Ended extends Error {
  readonly errors: readonly GraphQLFormattedError[];

  constructor(errors: readonly GraphQLFormattedError[]) {
    super('The operation has ended.');
    this.errors = errors;
  }
}

/**
 * One operation on a WebSocket. graphql-ws takes it for the results themselves, and knows by it when the operation is over; but nothing
 * is ever yielded: results go to the socket by a shorter way, as the bytes that they are.
 */
export class SocketOperation implements Channel, AsyncIterableIterator<never, undefined> {
  readonly #connection: Connection;
  /** Everything of a message that comes before the answer, and its length in UTF-8. */
  readonly #lead: string;
  readonly #leadBytes: number;
  /** Holds the request, which is not kept once it has begun. */
  #begin: ((operation: SocketOperation) => Task) | undefined;
  #task: Task | undefined;
  #settle: ((errors?: readonly GraphQLFormattedError[]) => void) | undefined;

  constructor(connection: Connection, id: string, begin: (operation: SocketOperation) => Task) {
    this.#connection = connection;
    this.#lead = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#leadBytes = Buffer.byteLength(this.#lead);
    this.#begin = begin;
  }

  get isListening(): boolean {
    return this.#task?.isListening ?? false;
  }

  isFull(): boolean {
    return this.#connection.isFull();
  }

  send({ body }: Told): void {
    this.#connection.sendShared(this.#lead, this.#leadBytes, body);
  }

  flush(): void {
    this.#task?.flush();
  }

  end(errors?: readonly GraphQLFormattedError[]): void {
    this.#connection.operations.delete(this);
    this.#settle?.(errors);
    this.#connection.look();
  }

  next(): Promise<IteratorResult<never, undefined>> {
    return new Promise((resolve, reject) => {
      this.#settle = (errors) => (errors ? reject(new Ended(errors)) : resolve({ done: true, value: undefined }));
      this.#connection.operations.add(this);
      this.#task = this.#begin?.(this);
      this.#begin = undefined;
    });
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    this.#task?.stop();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
