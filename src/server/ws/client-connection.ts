import type { Duplex } from 'node:stream';
import type { GraphQLFormattedError } from 'graphql';
import { MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { EncodedEvent, QueuedEvents } from '../../graphql/subscriptions/event-execution.ts';
import type { SubscribingConnection } from '../../graphql/subscriptions/subscription-costs.ts';
import type { Caller } from '../../operation/operation.ts';
import type { OperationRun, TransportSink } from '../../operation/operation-runner.ts';
import { subscribingClient } from '../callers/rate-limits.ts';
import type { ConnectedClient } from '../clients/client-registry.ts';
import { ClientStream, MAX_COPIED_BYTES } from '../clients/client-stream.ts';
import type { ClientBuffers } from '../clients/connections.ts';

/** Rate limit of a client's messages (token bucket): capacity, and tokens added per second. */
const MAX_MESSAGE_BURST = 200;
const MAX_MESSAGES_PER_SECOND = 50;

/** Close reasons by the codes of graphql-transport-ws; a reason has at most 123 bytes. */
const CLOSE_REASONS: Readonly<Record<number, string>> = {
  1001: 'The server is shutting down.',
  4400: 'Invalid message. Send messages of graphql-transport-ws.',
  4401: 'Not initialised. Send connection_init first.',
  4403: 'The API key or token is not accepted, or has expired.',
  4406: 'Unsupported subprotocol. Use graphql-transport-ws.',
  4408: 'connection_init did not arrive in time.',
  4409: 'An operation with this id is still running.',
  4429: `Too many messages. Send one connection_init, and at most ${MAX_MESSAGES_PER_SECOND} messages a second.`,
  4500: 'Something went wrong in this server.',
};

/** One WebSocket: its writes, backpressure, message rate and shutdown. */
export class ClientConnection extends ClientStream implements ConnectedClient, ClientBuffers, SubscribingConnection {
  readonly kind = 'socket';
  /** The running operations, by their ids. */
  readonly operations = new Map<string, OperationRun>();
  /** The sender; set when `connection_init` is accepted. */
  caller: Caller | undefined;
  readonly #socket: WebSocket;
  readonly #clientAddress: string | undefined;
  #tokens = MAX_MESSAGE_BURST;
  #tokensUpdatedAt = performance.now();
  #isAlive = true;
  #isDraining = false;

  /** `stream` is the network stream under the socket; `clientAddress` is undefined if it is unknown. */
  constructor(socket: WebSocket, stream: Duplex, sharedEvents: QueuedEvents, clientAddress: string | undefined) {
    super(stream, sharedEvents);
    this.#socket = socket;
    this.#clientAddress = clientAddress;
    stream.on('drain', () => this.#flush());
    socket.on('ping', () => this.acceptMessage());
    socket.on('pong', () => this.acceptMessage());
    // `close` follows every error and cleans up.
    socket.on('error', () => {});
  }

  get client(): string | undefined {
    return subscribingClient(this.caller, this.#clientAddress);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get queuedBytes(): number {
    let bytes = 0;
    for (const operation of this.operations.values()) bytes += operation.queuedBytes;
    return bytes;
  }

  send(message: object): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  sendPong(): void {
    if (!this.isFull()) this.send({ type: MessageType.Pong });
  }

  /** Writes bytes that are a frame of the protocol. */
  writeFrame(frame: Buffer): void {
    this.stream.write(frame);
  }

  /** Sends the last message of an operation: its errors, or its completion. */
  endOperation(id: string, errors: readonly GraphQLFormattedError[] | undefined): void {
    this.operations.delete(id);
    this.send(errors ? { id, type: MessageType.Error, payload: errors } : { id, type: MessageType.Complete });
    this.#closeIfDrained();
  }

  /** Stops an operation that the client has completed. */
  stopOperation(id: string): void {
    this.operations.get(id)?.stop();
    this.operations.delete(id);
    this.#closeIfDrained();
  }

  /** Counts a message; false if it must be ignored. Closes the connection at too many messages. */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    this.#isAlive = true;
    const now = performance.now();
    const refill = ((now - this.#tokensUpdatedAt) / 1000) * MAX_MESSAGES_PER_SECOND;
    this.#tokens = Math.min(MAX_MESSAGE_BURST, this.#tokens + refill) - 1;
    this.#tokensUpdatedAt = now;
    if (this.#tokens >= 0) return true;
    this.close(4429);
    return false;
  }

  close(code: number, reason = CLOSE_REASONS[code] ?? ''): void {
    if (!this.isOpen) return;
    this.#socket.close(code, reason);
    this.stopOperations();
  }

  heartbeat(): void {
    // A ping would wait behind these bytes; whether the client reads them is checked for all connections alike.
    if (this.stream.writableLength > 0) {
      this.#isAlive = true;
      return;
    }
    if (!this.#isAlive) this.terminate();
    this.#isAlive = false;
    if (this.isOpen) this.#socket.ping();
  }

  drain(): void {
    this.#isDraining = true;
    this.#closeIfDrained();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Closes a draining connection once only subscriptions are running. */
  #closeIfDrained(): void {
    if (!this.#isDraining) return;
    // In a later turn: the group of a subscription may be iterating over its subscribers.
    setImmediate(() => {
      for (const operation of this.operations.values()) if (!operation.isSubscribed) return;
      this.close(1001);
    });
  }

  stopOperations(): void {
    for (const operation of this.operations.values()) operation.stop();
    this.operations.clear();
  }

  #flush(): void {
    for (const [id, operation] of [...this.operations]) {
      if (this.isFull()) return;
      operation.flush();
      // Moves it to the end, so that the other operations are flushed first the next time.
      if (this.operations.delete(id)) this.operations.set(id, operation);
    }
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

/** One operation on a WebSocket. Its results are written to the socket as bytes that subscribers share. */
export class SocketOperation implements TransportSink {
  readonly #connection: ClientConnection;
  readonly #id: string;
  /** The text of a `next` message before its payload, and its length in UTF-8. */
  readonly #prefix: string;
  readonly #prefixBytes: number;
  hasEnded = false;

  constructor(connection: ClientConnection, id: string) {
    this.#connection = connection;
    this.#id = id;
    this.#prefix = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    this.#prefixBytes = Buffer.byteLength(this.#prefix);
  }

  isFull(): boolean {
    return this.#connection.isFull();
  }

  /**
   * Writes a text message of the own prefix, the shared body and a closing brace. Encoding the concatenated text with ws costs more CPU per client
   * than the rest of a delivery. Only for connections without compression, where ws writes whole messages.
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
    this.#connection.writeFrame(head);
  }

  end(errors?: readonly GraphQLFormattedError[]): void {
    this.hasEnded = true;
    this.#connection.endOperation(this.#id, errors);
  }
}
