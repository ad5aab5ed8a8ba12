import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ConnectedClient } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import { writeMessage } from './frame.ts';
import type { SocketOperation } from './socket-operation.ts';

/** What is written and not yet taken by the network: beyond this, texts wait outside, where they are shared. */
const MAX_BUFFERED_BYTES = 64 * 1024;
/** Messages that a client may send at once, and how many more each second. */
const MAX_MESSAGE_BURST = 200;
const MAX_MESSAGES_PER_SECOND = 50;

/** Our words for the ends of a connection, by the codes of graphql-transport-ws; a reason has at most 123 bytes. */
const CLOSE_REASONS: Readonly<Record<number, string>> = {
  1001: 'The server is shutting down.',
  4400: 'The message is not one of graphql-transport-ws.',
  4401: 'Begin with connection_init.',
  4406: 'Only graphql-transport-ws is spoken here.',
  4408: 'connection_init did not come in time.',
  4409: 'An operation of that id is still running.',
  4429: `Too many messages: at most one connection_init, and ${MAX_MESSAGES_PER_SECOND} messages a second.`,
  4500: 'Something went wrong in this server.',
};

/** One WebSocket: what may be written to it, how often it may speak, and how it ends. */
export class ClientConnection implements ConnectedClient {
  readonly kind = 'socket';
  readonly operations = new Set<SocketOperation>();
  /** Whether the responses on it are to have the costs of their operations. */
  readonly showsCost: boolean;
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #timing: ConnectionTiming;
  #allowance = MAX_MESSAGE_BURST;
  #allowedAt = performance.now();
  #isAlive = true;
  #isDraining = false;
  /** Runs from the moment in which something had to wait to that in which everything has been taken. */
  #stallTimer: NodeJS.Timeout | undefined;

  /** `stream` is what lies under the socket: it tells when it has been emptied, and takes frames that are made already. */
  constructor(socket: WebSocket, stream: Duplex, timing: ConnectionTiming, showsCost: boolean) {
    this.showsCost = showsCost;
    this.#socket = socket;
    this.#stream = stream;
    this.#timing = timing;
    stream.on('drain', () => this.#flush());
    socket.on('ping', () => this.acceptMessage());
    socket.on('pong', () => this.acceptMessage());
    // The close that follows says all.
    socket.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether what is to be written has to wait. Whoever does not read for long after that is let go. */
  isFull(): boolean {
    if (this.#stream.writableLength < MAX_BUFFERED_BYTES) return false;
    this.#stallTimer ??= setTimeout(() => this.terminate(), this.#timing.stallTimeoutMs);
    return true;
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text);
  }

  /** Sends a message whose body is shared. */
  sendShared(lead: string, leadBytes: number, body: Buffer): void {
    if (this.isOpen) writeMessage(this.#stream, lead, leadBytes, body);
  }

  /** Takes note of a message; false when it is not to be looked at. */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    this.#isAlive = true;
    // Refusals and pongs are written whether there is room or not: whoever asks for them and does not read is let go as well.
    this.isFull();
    const now = performance.now();
    this.#allowance =
      Math.min(MAX_MESSAGE_BURST, this.#allowance + ((now - this.#allowedAt) / 1000) * MAX_MESSAGES_PER_SECOND) - 1;
    this.#allowedAt = now;
    if (this.#allowance >= 0) return true;
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

  /** An operation has ended: once there are only those left that do not end by themselves, whoever is to go can. */
  closeIfDrained(): void {
    if (!this.#isDraining) return;
    for (const operation of this.operations) if (!operation.isSubscribed) return;
    this.close(1001);
  }

  /** Nobody hears its operations any more. */
  stopOperations(): void {
    clearTimeout(this.#stallTimer);
    for (const operation of this.operations) void operation.return();
  }

  #flush(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
    for (const operation of [...this.operations]) {
      if (this.isFull()) return;
      operation.flush();
      // The next time others come first.
      if (this.operations.delete(operation)) this.operations.add(operation);
    }
  }
}
