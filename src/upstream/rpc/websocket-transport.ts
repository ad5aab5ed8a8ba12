import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { GraphError } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { errorFromResponse } from './rpc-errors.ts';
import { toAbortError } from './websocket-requests.ts';

/** A WebSocket that is open, as a way for JSON. */
export interface JsonSocket {
  /** Throws for what cannot be written as JSON, and for nothing else. */
  write(payload: unknown): void;
  /** Ends it at once, for this reason; the first reason counts. */
  close(reason: GraphError): void;
}

/** Who takes what comes over a socket. */
export interface SocketReceiver {
  onFrame(frame: unknown, bytes: number): void;
  /** Called once, when the socket has ended. Nothing comes after that. */
  onClose(reason: GraphError): void;
}

export interface UpstreamSocketOptions {
  readonly timeoutMs: number;
  readonly pingIntervalMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Largest message, decompressed: geth's own limit. */
export const MAX_RPC_MESSAGE_BYTES = 32 * 1024 * 1024;

/** How long a node that has said goodbye may take to hang up. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Opens a WebSocket; `receive` is called for it before anything is read. Rejects with the signal's reason, or UPSTREAM_TIMEOUT,
 * UPSTREAM_UNAVAILABLE, or what the HTTP status of a refusal stands for.
 */
export function openSocket<R extends SocketReceiver>(
  { origin, path, headers, compressed }: Endpoint,
  { timeoutMs, pingIntervalMs, signal }: UpstreamSocketOptions,
  receive: (socket: JsonSocket) => R,
): Promise<R> {
  if (signal?.aborted) return Promise.reject(toAbortError(signal));
  return new Promise((resolve, reject) => {
    // Its types do not know of `closeTimeout` yet.
    const options: ClientOptions & { closeTimeout: number } = {
      headers,
      perMessageDeflate: compressed,
      maxPayload: MAX_RPC_MESSAGE_BYTES,
      closeTimeout: CLOSE_TIMEOUT_MS,
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
      terminateSocket(socket);
      reject(error);
    };
    const giveUp = () => fail(toAbortError(signal!));
    const timer = setTimeout(
      () => fail(new GraphError('UPSTREAM_TIMEOUT', 'The node took too long to open a WebSocket.')),
      timeoutMs,
    );
    signal?.addEventListener('abort', giveUp);
    socket.on('unexpected-response', (_request, response) => fail(upgradeError(response)));
    socket.on('error', (error) =>
      fail(
        new GraphError('UPSTREAM_UNAVAILABLE', 'The node could not be reached over a WebSocket.', { cause: safeCause(error) }),
      ),
    );
    socket.on('upgrade', (response) => {
      wire = response.socket;
    });
    socket.on('open', () => {
      settle();
      resolve(attach(socket, wire, pingIntervalMs, receive));
    });
  });
}

function attach<R extends SocketReceiver>(
  socket: WebSocket,
  wire: Socket,
  pingMs: number,
  receive: (socket: JsonSocket) => R,
): R {
  let over = false;
  let timer: NodeJS.Timeout;
  const close = (reason: GraphError) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    terminateSocket(socket);
    receiver.onClose(reason);
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
          else close(new GraphError('UPSTREAM_TIMEOUT', 'The node gave no sign of life on its WebSocket.'));
        });
      }, pingMs / 2).unref();
    }, pingMs).unref();
  };

  const receiver = receive({ write: (payload) => socket.send(JSON.stringify(payload)), close });
  socket.on('message', (data) => {
    let frame: unknown;
    try {
      frame = JSON.parse(String(data));
    } catch {
      return close(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent something that is not JSON.'));
    }
    receiver.onFrame(frame, (data as Buffer).length);
  });
  // The network's own failures come as a close; these are messages too large, and bytes that are no WebSocket's.
  socket.on('error', (error) =>
    close(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent a message that cannot be read.', { cause: safeCause(error) })),
  );
  socket.on('close', (code, text) => close(closeError(code, String(text))));
  rest();
  return receiver;
}

/** Ends a socket now, whatever state it is in; an open one says goodbye without waiting for an answer. */
function terminateSocket(socket: WebSocket): void {
  socket.removeAllListeners();
  // Breaking off a handshake is an error to the library.
  socket.on('error', () => {});
  if (socket.readyState === WebSocket.OPEN) socket.close(1000);
  socket.terminate();
}

/** Why an upgrade was refused: what its status means elsewhere too, but for no call in particular. */
function upgradeError({ statusCode: status = 0, headers }: IncomingMessage): GraphError {
  if (status < 400) {
    return new GraphError('UPSTREAM_UNAVAILABLE', `The node answered with HTTP status ${status} and opened no WebSocket.`);
  }
  const { code, message, extensions } = errorFromResponse('', { status, retryAfter: headers['retry-after'], body: undefined });
  const wait = extensions.retryAfterMs;
  return new GraphError(code, message, typeof wait === 'number' ? { retryAfterMs: wait } : {});
}

/** What nodes say when they hang up on a key that they do not know. A key that is used too often is another matter. */
const AUTH_CLOSE_REASON = /auth|credential|forbidden|denied|(?:invalid|unknown|missing|expired|revoked)\b.{0,20}\b(?:key|token)/i;

/** Why a node hung up. Its own text is never passed on, as it may hold the key. */
function closeError(code: number, text: string): GraphError {
  return code === 4401 || code === 4403 || (code === 1008 && AUTH_CLOSE_REASON.test(text))
    ? new GraphError('UPSTREAM_AUTH', 'The node does not accept the credentials of this server.')
    : new GraphError('UPSTREAM_UNAVAILABLE', `The node broke off its WebSocket (code ${code}).`);
}

/** What is safe of a library's error: its text can hold the address with the key, its code says what went wrong. */
const safeCause = (error: Error): Error | undefined =>
  'code' in error && /^[A-Z][A-Z0-9_]*$/.test(String(error.code)) ? new Error(String(error.code)) : undefined;
