import type { GraphQLFormattedError } from 'graphql';
import type { EncodedEvent } from '../../graphql/subscriptions/event-execution.ts';
import type { Caller } from '../../operation/operation.ts';
import type { OperationRun, TransportSink } from '../../operation/operation-runner.ts';
import { identityExpiredErrors, onExpiry } from '../callers/caller-reader.ts';
import { MAX_COPIED_BYTES } from '../clients/client-stream.ts';
import type { ClientConnection } from './client-connection.ts';
import type { OperationSender } from './sender.ts';

/** Ends the iteration of an operation with the errors that its client receives. */
export class OperationEndedError extends Error {
  readonly errors: readonly GraphQLFormattedError[];

  constructor(errors: readonly GraphQLFormattedError[]) {
    super('The operation has ended.');
    this.errors = errors;
  }
}

/** First byte of an unfragmented text message. */
const FINAL_TEXT_FRAME = 0x81;
const CLOSING_BRACE = Buffer.from('}');

/** Writes the header of a text frame of this length (RFC 6455, 5.2). */
function writeFrameHeader(head: Buffer, headerBytes: number, length: number): void {
  head[0] = FINAL_TEXT_FRAME;
  if (headerBytes === 2) head[1] = length;
  else if (headerBytes === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeUInt16BE(0, 2);
    head.writeUIntBE(length, 4, 6);
  }
}

/**
 * One operation on a WebSocket. graphql-ws iterates over it to detect the end of the operation. The iteration yields no
 * results, because results are written to the socket directly, as bytes that subscribers share.
 */
export class SocketOperation implements TransportSink, AsyncIterableIterator<never, undefined> {
  /** The sender with which the operation counts, once it starts. */
  sender!: OperationSender;
  readonly #connection: ClientConnection;
  /** The text of a `next` message before its payload, and its length in UTF-8. */
  readonly #prefix: string;
  readonly #prefixBytes: number;
  /** Starts the operation. Retains the request, so it is cleared afterwards. */
  #start: ((sink: SocketOperation) => OperationRun) | undefined;
  run: OperationRun | undefined;
  readonly #client: string | undefined;
  /** Ends the iteration; undefined before it. */
  #settle: ((errors?: readonly GraphQLFormattedError[]) => void) | undefined;
  #cancelExpiry: (() => void) | undefined;

  /** `client`: key of the client for which a router sends the operation. */
  constructor(
    connection: ClientConnection,
    id: string,
    client: string | undefined,
    start: (sink: SocketOperation) => OperationRun,
  ) {
    this.#connection = connection;
    this.#client = client;
    this.#prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#prefixBytes = Buffer.byteLength(this.#prefix);
    this.#start = start;
  }

  isFull(): boolean {
    return this.#connection.isFull();
  }

  /**
   * Writes a text message that consists of the prefix of this operation, the shared body and a closing brace. Encoding
   * the concatenated text with ws costs more CPU per client than the rest of a delivery. Only for connections without
   * compression, where ws writes whole messages.
   */
  send(event: EncodedEvent): void {
    if (!this.#connection.isOpen) return;
    const { body } = event;
    const length = this.#prefixBytes + body.length + 1;
    const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const isCopied = body.length <= MAX_COPIED_BYTES;
    const head = Buffer.allocUnsafe(headerBytes + (isCopied ? length : this.#prefixBytes));
    writeFrameHeader(head, headerBytes, length);
    head.write(this.#prefix, headerBytes);
    if (!isCopied) {
      this.#connection.writeShared(head, event, CLOSING_BRACE);
      return;
    }
    let at = headerBytes + this.#prefixBytes;
    for (const chunk of body.chunks) {
      head.set(chunk, at);
      at += chunk.length;
    }
    head[head.length - 1] = CLOSING_BRACE[0]!;
    this.#connection.stream.write(head);
  }

  /** Ends the operation when the identity of its caller expires, which is another one than that of the connection. */
  endOnExpiry(caller: Caller | undefined, requestId: string): void {
    this.#cancelExpiry = onExpiry(caller, () => {
      this.run?.stop();
      this.end(identityExpiredErrors(requestId));
    });
  }

  end(errors?: readonly GraphQLFormattedError[]): void {
    this.#cancelExpiry?.();
    this.#settle?.(errors);
    this.#connection.removeOperation(this);
  }

  /** Starts the operation; resolves or rejects when it ends. */
  next(): Promise<IteratorResult<never, undefined>> {
    return new Promise((resolve, reject) => {
      this.#settle = (errors) => (errors ? reject(new OperationEndedError(errors)) : resolve({ done: true, value: undefined }));
      // In one step with the start, which checks their number, so that operations of one burst count together.
      this.sender = this.#connection.senderOf(this.#client);
      this.#connection.addOperation(this);
      this.run = this.#start?.(this);
      this.#start = undefined;
    });
  }

  /** Stops an operation that the client has completed, or whose connection has closed. */
  async return(): Promise<IteratorResult<never, undefined>> {
    this.run?.stop();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
