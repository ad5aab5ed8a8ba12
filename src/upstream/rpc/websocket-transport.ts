import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { GraphError } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { fromAnswer } from './rpc-errors.ts';
import { reasonOf } from './websocket-requests.ts';

/** A WebSocket that is open, as a way for JSON. */
export interface JsonSocket {
  /** Throws for what cannot be written as JSON, and for nothing else. */
  write(payload: unknown): void;
  /** Ends it at once, for this reason; the first reason counts. */
  end(reason: GraphError): void;
}

/** Who takes what comes over a socket. */
export interface Receiver {
  take(frame: unknown, bytes: number): void;
  /** Called once, when the socket has ended. Nothing comes after that. */
  lost(reason: GraphError): void;
}

export interface SocketOptions {
  readonly timeoutMs: number;
  readonly pingMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Largest message, decompressed: geth's own limit. */
export const LARGEST_MESSAGE = 32 * 1024 * 1024;

/** How long a node that has said goodbye may take to hang up. */
const GOODBYE_MS = 1_000;

/**
 * Opens a WebSocket; `receive` is called for it before anything is read. Rejects with the signal's reason, or UPSTREAM_TIMEOUT,
 * UPSTREAM_UNAVAILABLE, or what the HTTP status of a refusal stands for.
 */
export function openSocket<R extends Receiver>(
  { origin, path, headers, compressed }: Endpoint,
  { timeoutMs, pingMs, signal }: SocketOptions,
  receive: (socket: JsonSocket) => R,
): Promise<R> {
  if (signal?.aborted) return Promise.reject(reasonOf(signal));
  return new Promise((resolve, reject) => {
    // Its types do not know of `closeTimeout` yet.
    const options: ClientOptions & { closeTimeout: number } = {
      headers,
      perMessageDeflate: compressed,
      maxPayload: LARGEST_MESSAGE,
      closeTimeout: GOODBYE_MS,
    };
    const socket = new WebSocket(origin + path, options);
    let wire: Socket;
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      socket.removeAllListeners();
    };
    const fail = (error: GraphError) => {
      settle();
      drop(socket);
      reject(error);
    };
    const giveUp = () => fail(reasonOf(signal!));
    const timer = setTimeout(
      () => fail(new GraphError('UPSTREAM_TIMEOUT', 'The node took too long to open a WebSocket.')),
      timeoutMs,
    );
    signal?.addEventListener('abort', giveUp);
    socket.on('unexpected-response', (_request, response) => fail(refusal(response)));
    socket.on('error', (error) =>
      fail(new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached over a WebSocket.', { cause: nameOf(error) })),
    );
    socket.on('upgrade', (response) => {
      wire = response.socket;
    });
    socket.on('open', () => {
      settle();
      resolve(attach(socket, wire, pingMs, receive));
    });
  });
}

function attach<R extends Receiver>(socket: WebSocket, wire: Socket, pingMs: number, receive: (socket: JsonSocket) => R): R {
  let over = false;
  let timer: NodeJS.Timeout;
  const end = (reason: GraphError) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    drop(socket);
    receiver.lost(reason);
  };

  /** Asks for a sign of life. Any byte is one: a pong can be queued behind an answer that takes long to come through. */
  const rest = () => {
    timer = setTimeout(() => {
      const before = wire.bytesRead;
      socket.ping();
      timer = setTimeout(() => {
        // After a long turn of our own, what has come meanwhile is read only after the timers.
        setImmediate(() => {
          if (over) return;
          if (wire.bytesRead > before) rest();
          else end(new GraphError('UPSTREAM_TIMEOUT', 'The node gave no sign of life on its WebSocket.'));
        });
      }, pingMs / 2).unref();
    }, pingMs).unref();
  };

  const receiver = receive({ write: (payload) => socket.send(JSON.stringify(payload)), end });
  socket.on('message', (data) => {
    let frame: unknown;
    try {
      frame = JSON.parse(String(data));
    } catch {
      return end(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent something that is not JSON.'));
    }
    receiver.take(frame, (data as Buffer).length);
  });
  // The network's own failures come as a close; these are messages too large, and bytes that are no WebSocket's.
  socket.on('error', (error) =>
    end(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent a message that cannot be read.', { cause: nameOf(error) })),
  );
  socket.on('close', (code, text) => end(farewell(code, String(text))));
  rest();
  return receiver;
}

/** Ends a socket now, whatever state it is in; an open one says goodbye without waiting for an answer. */
function drop(socket: WebSocket): void {
  socket.removeAllListeners();
  // Breaking off a handshake is an error to the library.
  socket.on('error', () => {});
  if (socket.readyState === WebSocket.OPEN) socket.close(1000);
  socket.terminate();
}

/** Why an upgrade was refused: what its status means elsewhere too, but for no call in particular. */
function refusal({ statusCode: status = 0, headers }: IncomingMessage): GraphError {
  if (status < 400) {
    return new GraphError('UPSTREAM_UNAVAILABLE', `The node answered with HTTP status ${status} and opened no WebSocket.`);
  }
  const { code, message, extensions } = fromAnswer('', { status, retryAfter: headers['retry-after'], body: undefined });
  const wait = extensions.retryAfterMs;
  return new GraphError(code, message, typeof wait === 'number' ? { retryAfterMs: wait } : {});
}

/** What nodes say when they hang up on a key that they do not know. A key that is used too often is another matter. */
const UNKNOWN_KEY = /auth|credential|forbidden|denied|(?:invalid|unknown|missing|expired|revoked)\b.{0,20}\b(?:key|token)/i;

/** Why a node hung up. Its own text is never passed on, as it may hold the key. */
function farewell(code: number, text: string): GraphError {
  return code === 4401 || code === 4403 || (code === 1008 && UNKNOWN_KEY.test(text))
    ? new GraphError('UPSTREAM_AUTH', 'The node does not accept the credentials of this server.')
    : new GraphError('UPSTREAM_UNAVAILABLE', `The node broke off its WebSocket (code ${code}).`);
}

/** What is safe of a library's error: its text can hold the address with the key, its code says what went wrong. */
const nameOf = (error: Error): Error | undefined =>
  'code' in error && /^[A-Z][A-Z0-9_]*$/.test(String(error.code)) ? new Error(String(error.code)) : undefined;
