import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Server, Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The connections of this process to itself: TCP with delays and faults, without sockets of the operating system. */
export interface VirtualNetwork {
  /** Returns the delay of the next segment in milliseconds. */
  delayMs: () => number;
  /** Called with each segment that arrives. */
  onArrival: (port: number, bytes: Buffer) => void;
  /** Resets all connections of a server. */
  cut(port: number): void;
  /** Delivers no segment of the connections of a server for some time: they arrive afterwards, in order. */
  stall(port: number, milliseconds: number): void;
  /** Refuses new connections of a server until the function that it returns is called. */
  refuse(port: number): () => void;
  /** Resets all connections, and refuses new ones until the function that it returns is called. */
  isolate(): () => void;
  readonly openConnections: number;
  /** Forgets all connections and servers. */
  reset(): void;
}

const errorOf = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`connection: ${code}`), { code, errno: -1, syscall: 'connect' });

/** One end of a connection. It has the members of `net.Socket` that Node, undici, ws and Fastify use. */
class VirtualSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  connecting: boolean;
  pending = false;
  timeout = 0;
  bytesRead = 0;
  bytesWritten = 0;
  peer: VirtualSocket | undefined;
  /** Whether the other end sends no more. */
  hasEnded = false;
  readonly #network: NetworkState;
  port: number;
  remotePort: number;
  /** Time at which the last segment of this direction arrives: a later one does not overtake it. */
  #arrivesAt = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #resume: (() => void) | undefined;

  constructor(network: NetworkState, port: number, isServer: boolean) {
    super({ allowHalfOpen: isServer, autoDestroy: true });
    this.#network = network;
    this.port = port;
    this.remotePort = isServer ? 50_000 + network.count : port;
    this.connecting = !isServer;
  }

  /** Calls a function when a segment that is sent now arrives. */
  transmit(arrive: () => void): void {
    const now = performance.now();
    const { stalledUntil, delayMs } = this.#network;
    this.#arrivesAt = Math.max(this.#arrivesAt, now + delayMs(), stalledUntil.get(this.port) ?? 0);
    setTimeout(() => {
      // A stall that began meanwhile holds the segment.
      const until = this.#network.stalledUntil.get(this.port) ?? 0;
      if (until > performance.now()) setTimeout(arrive, until - performance.now());
      else arrive();
    }, this.#arrivesAt - now);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  #send(bytes: Buffer, done: (error?: Error) => void): void {
    if (this.connecting) return void this.once('connect', () => this.#send(bytes, done));
    this.bytesWritten += bytes.length;
    this.transmit(() => {
      const { peer } = this;
      if (!peer || peer.destroyed) return done(this.destroyed ? undefined : errorOf('EPIPE'));
      this.#network.onArrival(this.port, bytes);
      peer.#receive(bytes, done);
    });
  }

  #receive(bytes: Buffer, done: () => void): void {
    this.bytesRead += bytes.length;
    this.#touch();
    if (this.readableEnded || this.push(bytes)) done();
    else this.#resume = done;
  }

  endOfInput(): void {
    this.hasEnded = true;
    this.push(null);
  }

  /** Returns another handle of this connection, which receives what this one has not read. */
  move(): VirtualSocket {
    const moved = new VirtualSocket(this.#network, this.port, true);
    this.#network.sockets.add(moved);
    this.#network.sockets.delete(this);
    const client = this.peer!;
    [moved.peer, client.peer] = [client, moved];
    for (let bytes = this.read(); bytes !== null; bytes = this.read()) moved.push(bytes);
    if (this.hasEnded) moved.endOfInput();
    return moved;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _final(done: () => void): void {
    this.transmit(() => {
      const { peer } = this;
      if (peer && !peer.destroyed) peer.endOfInput();
    });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idleTimer);
    this.#network.sockets.delete(this);
    const { peer, writableFinished } = this;
    // Another handle of this connection may have replaced this one.
    if (peer?.peer === this && !peer.destroyed)
      this.transmit(() => {
        if (peer.destroyed) return;
        if (writableFinished) peer.endOfInput();
        else peer.destroy(errorOf('ECONNRESET'));
      });
    this.#resume?.();
    done(error);
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  setTimeout(milliseconds: number, callback?: () => void): this {
    this.timeout = milliseconds;
    if (callback) this.once('timeout', callback);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    this.#touch();
    return this;
  }

  #touch(): void {
    if (this.timeout === 0 || this.destroyed) return;
    if (this.#idleTimer) this.#idleTimer.refresh();
    else this.#idleTimer = setTimeout(() => this.emit('timeout'), this.timeout);
  }

  get readyState(): string {
    return this.connecting ? 'opening' : this.destroyed ? 'closed' : 'open';
  }

  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
  address = () => ({ address: '127.0.0.1', family: 'IPv4', port: this.port });
}

/** A network with what its sockets need. */
interface NetworkState extends VirtualNetwork {
  readonly stalledUntil: Map<number, number>;
  readonly sockets: Set<VirtualSocket>;
  count: number;
}

/** Returns another handle of an accepted connection; undefined if the client has closed it. */
export const moveConnection = (connection: Socket): Socket | undefined =>
  connection.destroyed || (connection as unknown as VirtualSocket).peer?.destroyed !== false
    ? undefined
    : ((connection as unknown as VirtualSocket).move() as unknown as Socket);

interface Listening extends Server {
  virtualPort?: number | undefined;
}

/** Replaces connections and servers of `net`, and so of http, undici and ws. Import the code that uses them afterwards. */
export function installVirtualNetwork(): VirtualNetwork {
  const servers = new Map<number, Listening>();
  const refused = new Set<number>();
  let isIsolated = false;
  let lastPort = 20_000;
  const network: NetworkState = {
    delayMs: () => 1,
    onArrival: () => {},
    stalledUntil: new Map(),
    sockets: new Set(),
    count: 0,
    cut(port) {
      for (const socket of [...network.sockets]) if (socket.port === port) socket.destroy(errorOf('ECONNRESET'));
    },
    stall(port, milliseconds) {
      network.stalledUntil.set(port, performance.now() + milliseconds);
    },
    refuse(port) {
      refused.add(port);
      return () => refused.delete(port);
    },
    isolate() {
      isIsolated = true;
      for (const socket of [...network.sockets]) socket.destroy(errorOf('ECONNRESET'));
      return () => {
        isIsolated = false;
      };
    },
    get openConnections() {
      return network.sockets.size;
    },
    reset() {
      servers.clear();
      refused.clear();
      network.stalledUntil.clear();
      network.sockets.clear();
      network.count = 0;
      isIsolated = false;
      lastPort = 20_000;
    },
  };

  const connectSocket = (socket: VirtualSocket, args: readonly unknown[]): VirtualSocket => {
    const [options] = args;
    const port = Number(typeof options === 'object' && options !== null ? (options as { port: number }).port : options);
    const listener = args.find((value) => typeof value === 'function') as (() => void) | undefined;
    socket.port = port;
    socket.remotePort = port;
    network.sockets.add(socket);
    if (listener) socket.once('connect', listener);
    socket.transmit(() => {
      if (socket.destroyed) return;
      const server = servers.get(port);
      socket.connecting = false;
      if (!server || isIsolated || refused.has(port)) return void socket.destroy(errorOf('ECONNREFUSED'));
      network.count += 1;
      const accepted = new VirtualSocket(network, port, true);
      network.sockets.add(accepted);
      [socket.peer, accepted.peer] = [accepted, socket];
      server.emit('connection', accepted);
      socket.emit('connect');
      socket.emit('ready');
    });
    return socket;
  };
  const connect = (...args: unknown[]) => connectSocket(new VirtualSocket(network, 0, false), args);
  /** A socket that its user connects. */
  class Socket extends VirtualSocket {
    constructor() {
      super(network, 0, false);
    }

    connect(...args: unknown[]): this {
      connectSocket(this, args);
      return this;
    }
  }

  const net = createRequire(import.meta.url)('node:net') as typeof import('node:net');
  Object.assign(net, { connect, createConnection: connect, Socket });
  // Its header `date` has the time of the machine.
  const { OutgoingMessage } = createRequire(import.meta.url)('node:http') as typeof import('node:http');
  Object.defineProperty(OutgoingMessage.prototype, 'sendDate', { get: () => false, set: () => {} });
  const prototype = net.Server.prototype as Listening;
  Object.assign(prototype, {
    listen(this: Listening, ...args: unknown[]) {
      const [first] = args;
      const requested = typeof first === 'object' && first !== null ? (first as { port?: number }).port : first;
      const callback = args.find((value) => typeof value === 'function') as (() => void) | undefined;
      if (callback) this.once('listening', callback);
      const port = Number(requested) || ++lastPort;
      this.virtualPort = port;
      servers.set(port, this);
      process.nextTick(() => this.emit('listening'));
      return this;
    },
    address(this: Listening) {
      return this.virtualPort === undefined ? null : { address: '127.0.0.1', family: 'IPv4', port: this.virtualPort };
    },
    close(this: Listening, callback?: () => void) {
      // A server that was started again may listen on the port.
      if (this.virtualPort !== undefined && servers.get(this.virtualPort) === this) servers.delete(this.virtualPort);
      this.virtualPort = undefined;
      if (callback) this.once('close', callback);
      process.nextTick(() => this.emit('close'));
      return this;
    },
    ref(this: Listening) {
      return this;
    },
    unref(this: Listening) {
      return this;
    },
  });
  Object.defineProperty(prototype, 'listening', {
    get(this: Listening) {
      return this.virtualPort !== undefined;
    },
  });
  syncBuiltinESMExports();
  return network;
}
