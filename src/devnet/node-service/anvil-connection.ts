import { once } from 'node:events';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import type { Access } from '../anvil/access.ts';
import { NodeAway, RpcError } from './rpc/rpc-error.ts';

/** One call to a node: resolves with its result, rejects with an `RpcError`. */
// biome-ignore lint/suspicious/noExplicitAny: a node's JSON; whoever asks knows what a method gives.
export type Ask = <Result = any>(method: string, ...params: unknown[]) => Promise<Result>;

/** Anvil, as the service sees it. */
export interface Upstream {
  /** Over HTTP. What is asked in one turn of the event loop goes out in one POST; anvil runs it side by side. */
  readonly ask: Ask;
  close(): Promise<void>;
}

interface Waiting {
  readonly method: string;
  readonly params: readonly unknown[];
  resolve(result: never): void;
  reject(error: RpcError): void;
}

interface Envelope {
  readonly id: number;
  readonly result: never;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const CONNECTIONS = 16;
const TIMEOUT_MS = 30_000;

export function openUpstream(url: string, shared: Access['shared']): Upstream {
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  let turn: Waiting[] = [];

  const post = async (calls: readonly Waiting[]) => {
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
    const answer = await pool.request({ path: '/', method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const { id, result, error } of (await answer.body.json()) as Envelope[]) {
      if (error) calls[id]?.reject(new RpcError(error.code, error.message, error.data));
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
        for (const { reject } of calls) reject(new NodeAway());
      });
  };
  return {
    ask: (method, ...params) =>
      new Promise((resolve, reject) => {
        if (turn.length === 0) setImmediate(send);
        turn.push({ method, params, resolve, reject });
      }),
    close: () => pool.destroy(),
  };
}

/** What anvil announces on a subscription. */
export interface Announcements {
  close(): void;
}

/**
 * Subscribes on a WebSocket of anvil. Each subscription is given by its parameters, and hears its events in their order. Rejects when anvil
 * refuses one; `lost` is called when the connection ends without having been closed from here.
 */
export async function listen(
  url: string,
  topics: readonly { readonly params: readonly unknown[]; hear(event: never): void }[],
  lost: () => void,
): Promise<Announcements> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const hearers = new Map<string, (event: never) => void>();
  let refuse: ((error: Error) => void) | undefined;
  const subscribed = new Promise<void>((resolve, reject) => {
    refuse = reject;
    socket.on('message', (data) => {
      const { id, result, error, params } = JSON.parse(String(data));
      if (params) return hearers.get(params.subscription)?.(params.result as never);
      if (error) return reject(new Error(`anvil: ${error.message}`));
      hearers.set(result, topics[id]!.hear);
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
