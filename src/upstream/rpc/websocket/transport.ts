import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { type Cancellation, onAbort } from '../../../lib/abort.ts';
import type { Endpoint } from '../../../lib/endpoint.ts';
import { connectionFailure, GraphError } from '../../../lib/errors.ts';
import { errorFromResponse, redirectMessage, toAbortError } from '../rpc-errors.ts';

/** An open WebSocket for JSON messages. */
export interface JsonSocket {
  /** Throws only for a payload that JSON cannot represent. */
  write(payload: unknown): void;
  /** Closes the socket at once. The reason of the first call is reported. */
  close(reason: GraphError): void;
}

/** Receives the frames and the end of a socket. */
export interface SocketReceiver {
  onFrame(frame: unknown): void;
  /** Called once, when the socket has closed; no frame follows. */
  onClose(reason: GraphError): void;
}

export interface UpstreamSocketOptions {
  readonly timeoutMs: number;
  readonly pingIntervalMs: number;
  readonly signal: Cancellation | undefined;
}

/** Maximum size of a message, decompressed: the limit of geth. */
const MAX_RPC_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Time that the node has to close the TCP connection after its close frame. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Opens a WebSocket. `receive` creates its receiver before the first frame is read. Rejects with the reason of the signal,
 * UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE, or the error of the HTTP status when the node rejects the upgrade.
 */
export function openSocket<R extends SocketReceiver>(
  { origin, path, headers, label, compressed }: Endpoint,
  { timeoutMs, pingIntervalMs, signal }: UpstreamSocketOptions,
  receive: (socket: JsonSocket) => R,
): Promise<R> {
  if (signal?.aborted) return Promise.reject(toAbortError(signal));
  return new Promise((resolve, reject) => {
    // The type of the library lacks `closeTimeout`.
    const options: ClientOptions & { closeTimeout: number } = {
      headers,
      perMessageDeflate: compressed,
      maxPayload: MAX_RPC_MESSAGE_BYTES,
      closeTimeout: CLOSE_TIMEOUT_MS,
    };
    const socket = new WebSocket(origin + path, options);
    let tcpSocket: Socket;
    const cleanUp = () => {
      clearTimeout(timer);
      unregister?.();
      socket.removeAllListeners();
    };
    const fail = (error: GraphError) => {
      error.endpoint ??= label;
      cleanUp();
      terminateSocket(socket);
      reject(error);
    };
    const failLate = () => fail(new GraphError('UPSTREAM_TIMEOUT', 'The node did not open a WebSocket in time.'));
    const timer = setTimeout(failLate, timeoutMs);
    const unregister = signal && onAbort(signal, () => fail(toAbortError(signal)));
    socket.on('unexpected-response', (_request, response) => fail(upgradeError(response)));
    socket.on('error', (error) => {
      const message = connectionFailure('The WebSocket of the node', error);
      fail(new GraphError('UPSTREAM_UNAVAILABLE', message, { cause: safeCause(error) }));
    });
    socket.on('upgrade', (response) => {
      tcpSocket = response.socket;
    });
    socket.on('open', () => {
      cleanUp();
      resolve(attachReceiver(socket, tcpSocket, pingIntervalMs, receive));
    });
  });
}

function attachReceiver<R extends SocketReceiver>(
  socket: WebSocket,
  tcpSocket: Socket,
  pingIntervalMs: number,
  receive: (socket: JsonSocket) => R,
): R {
  let isClosed = false;
  let timer: NodeJS.Timeout;
  const close = (reason: GraphError) => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    terminateSocket(socket);
    receiver.onClose(reason);
  };

  /** Pings the node. Any byte counts as a response, because a pong can be queued behind a large message. */
  const scheduleHeartbeat = () => {
    timer = setTimeout(() => {
      const bytesBefore = tcpSocket.bytesRead;
      socket.ping();
      timer = setTimeout(() => {
        // If this process was blocked, it reads pending bytes only after the timers.
        setImmediate(() => {
          if (isClosed) return;
          if (tcpSocket.bytesRead > bytesBefore) scheduleHeartbeat();
          else close(new GraphError('UPSTREAM_TIMEOUT', 'The node did not respond to a WebSocket ping in time.'));
        });
      }, pingIntervalMs / 2).unref();
    }, pingIntervalMs).unref();
  };

  const receiver = receive({ write: (payload) => socket.send(JSON.stringify(payload)), close });
  socket.on('message', (data) => {
    let frame: unknown;
    try {
      frame = JSON.parse(String(data));
    } catch {
      return close(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent a WebSocket message that is not JSON.'));
    }
    receiver.onFrame(frame);
  });
  // Network failures emit `close`; `error` reports messages above the size limit and violations of the protocol.
  socket.on('error', (error) => {
    const cause = safeCause(error);
    close(new GraphError('UPSTREAM_BAD_RESPONSE', 'The node sent an invalid WebSocket message.', { cause }));
  });
  socket.on('close', (code, text) => close(closeError(code, String(text))));
  scheduleHeartbeat();
  return receiver;
}

/** Terminates a socket in any state. An open socket sends a close frame and does not wait for the reply. */
function terminateSocket(socket: WebSocket): void {
  socket.removeAllListeners();
  // The library emits an error when a handshake is terminated.
  socket.on('error', () => {});
  if (socket.readyState === WebSocket.OPEN) socket.close(1000);
  socket.terminate();
}

/** The error of a rejected upgrade. It names no method, because it belongs to no call. */
function upgradeError({ statusCode: status = 0, headers }: IncomingMessage): GraphError {
  if (status < 400) {
    const message =
      status >= 300 ? redirectMessage(status) : `The node responded with HTTP status ${status} and did not open a WebSocket.`;
    return new GraphError('UPSTREAM_UNAVAILABLE', message);
  }
  const { code, message, extensions } = errorFromResponse('', { status, retryAfter: headers['retry-after'], body: undefined });
  const { retryAfterMs } = extensions;
  return new GraphError(code, message, typeof retryAfterMs === 'number' ? { retryAfterMs } : {});
}

/** Close reasons of nodes for an invalid key. A rate limit of a valid key does not match. */
const AUTH_CLOSE_REASON = /auth|credential|forbidden|denied|(?:invalid|unknown|missing|expired|revoked)\b.{0,20}\b(?:key|token)/i;

/** The error for a close frame of the node. It does not contain the text of the node, which can contain the key. */
function closeError(code: number, text: string): GraphError {
  return code === 4401 || code === 4403 || (code === 1008 && AUTH_CLOSE_REASON.test(text))
    ? new GraphError('UPSTREAM_AUTH', 'The node does not accept the credentials of this server.')
    : new GraphError('UPSTREAM_UNAVAILABLE', `The node closed its WebSocket (code ${code}).`);
}

/** Reduces an error of the library to its code, because its message can contain the URL with the key. */
const safeCause = (error: Error): Error | undefined =>
  'code' in error && /^[A-Z][A-Z0-9_]*$/.test(String(error.code)) ? new Error(String(error.code)) : undefined;
