import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { QueuedEvents } from '../../graphql/subscriptions/event-execution.ts';
import type { Caller } from '../../operation/operation.ts';
import type { OperationRun } from '../../operation/operation-runner.ts';
import { onExpiry } from '../callers/caller-reader.ts';
import { subscribingClient } from '../callers/rate-limits.ts';
import type { ConnectedClient } from '../clients/client-registry.ts';
import { type ClientBuffers, ClientStream } from '../clients/client-stream.ts';
import type { OperationSender } from './sender.ts';

/** Rate limit of a client's messages (token bucket): capacity, and tokens added per second. */
const MAX_MESSAGE_BURST = 200;
const MAX_MESSAGES_PER_SECOND = 50;

const PONG = '{"type":"pong"}';

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

interface ConnectionOperation {
  readonly sender: OperationSender;
  /** Undefined until the operation starts. */
  readonly run: OperationRun | undefined;
}

/** One WebSocket: its writes, backpressure, message rate and shutdown. */
export class ClientConnection extends ClientStream implements ConnectedClient, ClientBuffers, OperationSender {
  readonly kind = 'socket';
  readonly operations = new Set<ConnectionOperation>();
  /** The sender; set when `connection_init` is accepted. */
  caller: Caller | undefined;
  readonly #socket: WebSocket;
  /** Undefined if it is unknown. */
  readonly clientAddress: string | undefined;
  /** Whether the client is a router, whose messages are those of many clients. */
  readonly isRouter: boolean;
  operationCount = 0;
  /** The clients of a router with running operations, by their keys; undefined before the first. */
  #senders: Map<string, OperationSender> | undefined;
  /** The operations whose caller and rate are being checked, by id; undefined before the first. */
  #checks: Map<string, object> | undefined;
  #tokens = MAX_MESSAGE_BURST;
  #tokensUpdatedAt = performance.now();
  #isAlive = true;
  #isDraining = false;
  /** Whether a ping of the client waits for its pong until the client reads. */
  #owesPong = false;

  /** `stream` is the network stream under the socket. */
  constructor(
    socket: WebSocket,
    stream: Duplex,
    sharedEvents: QueuedEvents,
    clientAddress: string | undefined,
    isRouter: boolean,
  ) {
    super(stream, sharedEvents);
    this.#socket = socket;
    this.clientAddress = clientAddress;
    this.isRouter = isRouter;
    stream.on('drain', () => this.#flush());
    socket.on('ping', () => this.acceptMessage());
    socket.on('pong', () => this.acceptMessage());
    // `close` follows every error and cleans up.
    socket.on('error', () => {});
  }

  get client(): string | undefined {
    return subscribingClient(this.caller, this.clientAddress);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get queuedBytes(): number {
    let bytes = 0;
    for (const { run } of this.operations) bytes += run?.queuedBytes ?? 0;
    return bytes;
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text);
  }

  /** Responds to a ping: at once, or once the client reads. Without a pong it would close the connection. */
  sendPong(): void {
    this.#owesPong = this.isFull();
    if (!this.#owesPong) this.send(PONG);
  }

  /** The sender with which operations of a client count; without a key, they count with those of this connection. */
  senderOf(client: string | undefined): OperationSender {
    if (client === undefined || client === this.client) return this;
    return this.#senders?.get(client) ?? { client, operationCount: 0 };
  }

  /** Begins the checks of an operation. Returns a function that ends them, and returns whether the operation may start: its client has not completed it. */
  beginChecks(id: string): () => boolean {
    const check = {};
    this.#checks ??= new Map();
    this.#checks.set(id, check);
    return () => this.#checks!.get(id) === check && this.#checks!.delete(id);
  }

  /** Records that the client has completed an operation. */
  cancelChecks(id: string): void {
    this.#checks?.delete(id);
  }

  addOperation(operation: ConnectionOperation): void {
    this.operations.add(operation);
    const { sender } = operation;
    sender.operationCount++;
    if (sender === this) return;
    this.#senders ??= new Map();
    this.#senders.set(sender.client!, sender);
  }

  /** Removes an operation that has ended or that the client has completed. */
  removeOperation(operation: ConnectionOperation): void {
    const { sender } = operation;
    if (this.operations.delete(operation) && --sender.operationCount === 0 && sender !== this)
      this.#senders!.delete(sender.client!);
    this.#closeIfDrained();
  }

  /** Closes the connection when the identity of its caller expires. */
  closeOnExpiry(): void {
    // The client may have disconnected while the keys that verify tokens were read.
    if (!this.isOpen) return;
    const cancel = onExpiry(this.caller, () => this.close(4403));
    if (cancel) this.#socket.on('close', cancel);
  }

  /** Counts a message; false if it must be ignored. Closes the connection at too many messages. */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    this.#isAlive = true;
    if (this.isRouter) return true;
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
    // A ping would wait behind these bytes; `StalledClients` checks whether the client reads them.
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
    // graphql-ws sends the last message of an operation some microtasks after its end.
    setImmediate(() => {
      for (const { run } of this.operations) if (!run?.isSubscribed) return;
      this.close(1001);
    });
  }

  stopOperations(): void {
    for (const { run } of this.operations) run?.stop();
    this.operations.clear();
  }

  #flush(): void {
    if (this.#owesPong) this.sendPong();
    for (const operation of [...this.operations]) {
      if (this.isFull()) return;
      operation.run?.flush();
      // Move the operation to the end, so that the next flush starts with the other operations.
      if (this.operations.delete(operation)) this.operations.add(operation);
    }
  }
}
