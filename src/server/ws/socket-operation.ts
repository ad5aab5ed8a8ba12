import type { GraphQLFormattedError } from 'graphql';
import type { OperationRun, OperationSink } from '../../graphql/pipeline/operation-runner.ts';
import type { EncodedEvent } from '../../graphql/subscriptions/operation-sink.ts';
import type { ClientConnection } from './client-connection.ts';

/** Ends the iteration of an operation: what its client is told. */
export class OperationEndedError extends Error {
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
export class SocketOperation implements OperationSink, AsyncIterableIterator<never, undefined> {
  readonly #connection: ClientConnection;
  /** Everything of a message that comes before the answer, and its length in UTF-8. */
  readonly #prefix: string;
  readonly #prefixBytes: number;
  /** Holds the request, which is not kept once it has begun. */
  #begin: ((operation: SocketOperation) => OperationRun) | undefined;
  #run: OperationRun | undefined;
  #settle: ((errors?: readonly GraphQLFormattedError[]) => void) | undefined;

  constructor(connection: ClientConnection, id: string, begin: (operation: SocketOperation) => OperationRun) {
    this.#connection = connection;
    this.#prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#prefixBytes = Buffer.byteLength(this.#prefix);
    this.#begin = begin;
  }

  get isSubscribed(): boolean {
    return this.#run?.isSubscribed ?? false;
  }

  isFull(): boolean {
    return this.#connection.isFull();
  }

  send({ body }: EncodedEvent): void {
    this.#connection.sendShared(this.#prefix, this.#prefixBytes, body);
  }

  flush(): void {
    this.#run?.flush();
  }

  end(errors?: readonly GraphQLFormattedError[]): void {
    this.#connection.operations.delete(this);
    this.#settle?.(errors);
    this.#connection.closeIfDrained();
  }

  next(): Promise<IteratorResult<never, undefined>> {
    return new Promise((resolve, reject) => {
      this.#settle = (errors) => (errors ? reject(new OperationEndedError(errors)) : resolve({ done: true, value: undefined }));
      this.#connection.operations.add(this);
      this.#run = this.#begin?.(this);
      this.#begin = undefined;
    });
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    this.#run?.stop();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
