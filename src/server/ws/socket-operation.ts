import type { GraphQLFormattedError } from 'graphql';
import type { EncodedEvent } from '../../graphql/subscriptions/event-execution.ts';
import type { OperationRun, TransportSink } from '../../operation/operation-runner.ts';
import type { ClientConnection, ConnectionOperation } from './client-connection.ts';

/** Ends the iteration of an operation with the errors that its client receives. */
export class OperationEndedError extends Error {
  readonly errors: readonly GraphQLFormattedError[];

  constructor(errors: readonly GraphQLFormattedError[]) {
    super('The operation has ended.');
    this.errors = errors;
  }
}

/**
 * One operation on a WebSocket. graphql-ws iterates over it to detect the end of the operation. The iteration yields no results: they are written
 * to the socket directly, as bytes that subscribers share.
 */
export class SocketOperation implements TransportSink, ConnectionOperation, AsyncIterableIterator<never, undefined> {
  readonly #connection: ClientConnection;
  /** The text of a `next` message before its payload, and its length in UTF-8. */
  readonly #prefix: string;
  readonly #prefixBytes: number;
  /** Starts the operation. Retains the request, so it is cleared afterwards. */
  #start: ((operation: SocketOperation) => OperationRun) | undefined;
  #run: OperationRun | undefined;
  #settle: ((errors?: readonly GraphQLFormattedError[]) => void) | undefined;

  constructor(connection: ClientConnection, id: string, start: (operation: SocketOperation) => OperationRun) {
    this.#connection = connection;
    this.#prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#prefixBytes = Buffer.byteLength(this.#prefix);
    this.#start = start;
  }

  get isSubscribed(): boolean {
    return this.#run?.isSubscribed ?? false;
  }

  isFull(): boolean {
    return this.#connection.isFull();
  }

  /** Bytes that wait in the queue of a subscription. */
  get queuedBytes(): number {
    return this.#run?.queuedBytes ?? 0;
  }

  send(event: EncodedEvent): void {
    this.#connection.sendShared(this.#prefix, this.#prefixBytes, event);
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
      this.#run = this.#start?.(this);
      this.#start = undefined;
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
