import { once } from 'node:events';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import { NodeRpcError, NodeUnavailableError } from './rpc/rpc-error.ts';

/** One call to a node: resolves with its result, rejects with an `RpcError`. */
// biome-ignore lint/suspicious/noExplicitAny: a node's JSON; whoever asks knows what a method gives.
export type AnvilRequest = <Result = any>(method: string, ...params: unknown[]) => Promise<Result>;

/** Anvil, as the service sees it. */
export interface AnvilConnection {
  /** Over HTTP. What is asked in one turn of the event loop goes out in one POST; anvil runs it side by side. */
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
  let turn: PendingRequest[] = [];

  const post = async (calls: readonly PendingRequest[]) => {
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
    const answer = await pool.request({ path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const { id, result, error } of (await answer.body.json()) as AnvilResponse[]) {
      if (error) calls[id]?.reject(new NodeRpcError(error.code, error.message, error.data));
      else calls[id]?.resolve(result);
    }
  };
  const send = () => {
    const calls = turn;
    turn = [];
    shared(() => post(calls))
      .catch(() => {})
      // For the calls that have their answer this changes nothing.
      .finally(() => {
        for (const { reject } of calls) reject(new NodeUnavailableError());
      });
  };
  return {
    request: (method, ...params) =>
      new Promise((resolve, reject) => {
        if (turn.length === 0) setImmediate(send);
        turn.push({ method, params, resolve, reject });
      }),
    close: () => pool.destroy(),
  };
}

/** What anvil announces on a subscription. */
export interface AnvilSubscriptions {
  close(): void;
}

/**
 * Subscribes on a WebSocket of anvil. Each subscription is given by its parameters, and hears its events in their order. Rejects when anvil
 * refuses one; `lost` is called when the connection ends without having been closed from here.
 */
export async function subscribeToAnvil(
  url: string,
  topics: readonly { readonly params: readonly unknown[]; onEvent(event: never): void }[],
  lost: () => void,
): Promise<AnvilSubscriptions> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const hearers = new Map<string, (event: never) => void>();
  let refuse: ((error: Error) => void) | undefined;
  const subscribed = new Promise<void>((resolve, reject) => {
    refuse = reject;
    socket.on('message', (data) => {
      const { id, result, error, params } = JSON.parse(String(data));
      if (params) return hearers.get(params.subscription)?.(params.result as never);
      if (error) return reject(new Error(`anvil: ${error.message}`));
      hearers.set(result, topics[id]!.onEvent);
      if (hearers.size === topics.length) resolve();
    });
  });
  socket.on('error', (error) => refuse?.(error));
  socket.once('close', () => {
    refuse?.(new Error('anvil closed the connection'));
    lost();
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
