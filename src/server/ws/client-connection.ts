import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EncodedBody } from '../../graphql/subscriptions/operation-sink.ts';
import type { SubscribingConnection } from '../../graphql/subscriptions/subscription-costs.ts';
import type { ConnectedClient } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import { StallDetector } from '../clients/stall-detector.ts';
import { writeMessage } from './frame.ts';

/** Rate limit of a client's messages (token bucket): capacity, and tokens added per second. */
const MAX_MESSAGE_BURST = 200;
const MAX_MESSAGES_PER_SECOND = 50;

/** Close reasons by the codes of graphql-transport-ws; a reason has at most 123 bytes. */
const CLOSE_REASONS: Readonly<Record<number, string>> = {
  1001: 'The server is shutting down.',
  4400: 'Invalid message. Send messages of graphql-transport-ws.',
  4401: 'Not initialised. Send connection_init first.',
  4406: 'Unsupported subprotocol. Use graphql-transport-ws.',
  4408: 'connection_init did not arrive in time.',
  4409: 'An operation with this id is still running.',
  4429: `Too many messages. Send one connection_init, and at most ${MAX_MESSAGES_PER_SECOND} messages a second.`,
  4500: 'Something went wrong in this server.',
};

/** The part of an operation that its connection uses. */
export interface ConnectionOperation {
  /** Whether it is an active subscription, which does not end by itself. */
  readonly isSubscribed: boolean;
  flush(): void;
  return(): Promise<unknown>;
}

/** One WebSocket: its writes, backpressure, message rate and shutdown. */
export class ClientConnection implements ConnectedClient, SubscribingConnection {
  readonly kind = 'socket';
  readonly operations = new Set<ConnectionOperation>();
  /** Whether responses report the costs of their operations. */
  readonly showsCost: boolean;
  readonly clientAddress: string | undefined;
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #stall: StallDetector;
  #tokens = MAX_MESSAGE_BURST;
  #tokensUpdatedAt = performance.now();
  #isAlive = true;
  #isDraining = false;

  /** `stream` is the network stream under the socket; encoded frames are written to it directly. */
  constructor(
    socket: WebSocket,
    stream: Duplex,
    timing: ConnectionTiming,
    { showsCost, clientAddress }: Pick<ClientConnection, 'showsCost' | 'clientAddress'>,
  ) {
    this.showsCost = showsCost;
    this.clientAddress = clientAddress;
    this.#socket = socket;
    this.#stream = stream;
    this.#stall = new StallDetector(stream, {
      stallTimeoutMs: timing.stallTimeoutMs,
      disconnect: () => this.terminate(),
      resume: () => this.#flush(),
    });
    socket.on('ping', () => this.acceptMessage());
    socket.on('pong', () => this.acceptMessage());
    // `close` follows every error and cleans up.
    socket.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  isFull(): boolean {
    return this.#stall.isFull();
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text);
  }

  /** Sends a message whose body is shared with other clients. */
  sendShared(prefix: string, prefixBytes: number, body: EncodedBody): void {
    if (this.isOpen) writeMessage(this.#stream, prefix, prefixBytes, body);
  }

  /** Counts a message; false if it must be ignored. Closes the connection at too many messages. */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    this.#isAlive = true;
    // Errors and pongs ignore backpressure, so a client that sends and does not read must be detected here.
    this.isFull();
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
    if (!this.#isAlive) this.terminate();
    this.#isAlive = false;
    if (this.isOpen) this.#socket.ping();
  }

  drain(): void {
    this.#isDraining = true;
    this.closeIfDrained();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Closes a draining connection once only subscriptions are running. */
  closeIfDrained(): void {
    if (!this.#isDraining) return;
    for (const operation of this.operations) if (!operation.isSubscribed) return;
    this.close(1001);
  }

  stopOperations(): void {
    this.#stall.stop();
    for (const operation of this.operations) void operation.return();
  }

  #flush(): void {
    for (const operation of [...this.operations]) {
      if (this.isFull()) return;
      operation.flush();
      // Moves it to the end, so that the other operations are flushed first the next time.
      if (this.operations.delete(operation)) this.operations.add(operation);
    }
  }
}
