import { once } from 'node:events';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { NodeRpcError, NodeUnavailableError } from './rpc/rpc-error.ts';

/** Sends one call to anvil. Resolves with its result, rejects with a `NodeRpcError`. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of anvil; the caller knows the result of its method.
export type AnvilRequest = <Result = any>(method: string, ...params: unknown[]) => Promise<Result>;

/** The connection of the node service to anvil. */
export interface AnvilConnection {
  /** Sends the calls of one turn of the event loop in one POST; anvil executes them concurrently. */
  readonly request: AnvilRequest;
  close(): Promise<void>;
}

interface PendingRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  resolve(result: never): void;
  reject(error: NodeRpcError): void;
}

interface AnvilResponse {
  readonly id: number;
  readonly result: never;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 30_000;

export function createAnvilConnection(url: string, shared: ReadWriteLock['shared']): AnvilConnection {
  const pool = new Pool(url, { connections: MAX_CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  let queue: PendingRequest[] = [];

  const post = async (calls: readonly PendingRequest[]) => {
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
    const response = await pool.request({ path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const { id, result, error } of (await response.body.json()) as AnvilResponse[]) {
      if (error) calls[id]?.reject(new NodeRpcError(error.code, error.message, error.data));
      else calls[id]?.resolve(result);
    }
  };
  const send = () => {
    const calls = queue;
    queue = [];
    shared(() => post(calls))
      .catch(() => {})
      // No effect on calls that are settled.
      .finally(() => {
        for (const { reject } of calls) reject(new NodeUnavailableError());
      });
  };
  return {
    request: (method, ...params) =>
      new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(send);
        queue.push({ method, params, resolve, reject });
      }),
    close: () => pool.destroy(),
  };
}

/** Subscriptions over one WebSocket to anvil. */
export interface AnvilSubscriptions {
  close(): void;
}

/**
 * Opens a WebSocket to anvil and subscribes to each topic by its parameters. Rejects if anvil rejects a subscription. `onDisconnect` is
 * called if the connection ends without `close`.
 */
export async function subscribeToAnvil(
  url: string,
  topics: readonly { readonly params: readonly unknown[]; onEvent(event: never): void }[],
  onDisconnect: () => void,
): Promise<AnvilSubscriptions> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const listeners = new Map<string, (event: never) => void>();
  let fail: ((error: Error) => void) | undefined;
  const subscribed = new Promise<void>((resolve, reject) => {
    fail = reject;
    socket.on('message', (data) => {
      const { id, result, error, params } = JSON.parse(String(data));
      if (params) return listeners.get(params.subscription)?.(params.result as never);
      if (error) return reject(new Error(`anvil: ${error.message}`));
      listeners.set(result, topics[id]!.onEvent);
      if (listeners.size === topics.length) resolve();
    });
  });
  socket.on('error', (error) => fail?.(error));
  socket.once('close', () => {
    fail?.(new Error('anvil closed the connection'));
    onDisconnect();
  });
  await Promise.race([once(socket, 'open'), subscribed]);
  for (const [id, { params }] of topics.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
  }
  await subscribed;
  return {
    close() {
      socket.removeAllListeners('close');
      socket.terminate();
    },
  };
}
