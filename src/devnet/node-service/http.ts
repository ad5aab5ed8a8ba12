import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostCheck } from '../../hosts.ts';
import type { NodeControl } from './behaviour/control.ts';
import type { NodeFaultInjector } from './behaviour/faults.ts';
import { errorResponse, type JsonRpcResponse, parseRequestBody } from './rpc/envelope.ts';
import type { RpcHandler } from './rpc/handler.ts';
import { NODE_ERROR_CODES, NodeRpcError, RateLimitError } from './rpc/rpc-error.ts';

export interface NodeHttpOptions {
  /** The key that a last part of a path stands for, if it is one. */
  readonly keyOf: (segment: string) => string | undefined;
  readonly acceptsHost: HostCheck;
  readonly handleRequest: RpcHandler;
  readonly faults: NodeFaultInjector;
  readonly control: NodeControl;
  readonly controlPath: string;
  /** Falls when the service stops; delays end with it. */
  readonly stopping: AbortSignal;
}

/** Bytes of a request, as with a provider. WebSocket messages have the same limit. */
export const MAX_NODE_REQUEST_BYTES = 2_500_000;

/** DNS rebinding leads pages of any site here under a name of theirs. */
export const NODE_HOST_REJECTED = 'want a Host that is a loopback name, or that ALLOWED_HOSTS lists';

/** A page of any site may ask a provider, so it may ask this one. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
};

/** The seed shows no HTTP statuses; these are a provider's. An answer that is JSON-RPC is 200, its errors included. */
export function httpStatusOf(reply: JsonRpcResponse | readonly JsonRpcResponse[]): number {
  const codes = [reply].flat().map((one) => ('error' in one ? one.error.code : undefined));
  if (codes.every((code) => code === NODE_ERROR_CODES.limitExceeded)) return 429;
  return !Array.isArray(reply) && (codes[0] === NODE_ERROR_CODES.parse || codes[0] === NODE_ERROR_CODES.invalidRequest)
    ? 400
    : 200;
}

const isRateLimited = (reply: JsonRpcResponse | readonly JsonRpcResponse[]) =>
  [reply].flat().some((one) => 'error' in one && one.error instanceof RateLimitError);

/** What answers requests: the two forms of the JSON-RPC path, and the control path. */
export function createNodeHttpHandler({
  keyOf,
  acceptsHost,
  handleRequest,
  faults,
  control,
  controlPath,
  stopping,
}: NodeHttpOptions) {
  const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) =>
    answer(response, status, errorResponse(new NodeRpcError(NODE_ERROR_CODES.invalidRequest, message)), {
      ...CORS_HEADERS,
      ...headers,
    });

  const jsonrpc = async (request: IncomingMessage, response: ServerResponse, segment: string) => {
    // Read whatever comes of it: on a connection with an unread body the answer might be lost.
    const text = await readText(request);
    if (request.method === 'OPTIONS') return response.writeHead(204, CORS_HEADERS).end();
    if (request.method !== 'POST') return refuse(response, 405, 'want POST', { allow: 'POST' });
    const key = keyOf(segment);
    if (key === undefined) return refuse(response, 401, 'Must be authenticated!');
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return refuse(response, 415, 'want Content-Type: application/json');
    }
    if (text === undefined) return refuse(response, 413, `request too large, want at most ${MAX_NODE_REQUEST_BYTES} bytes`);
    if (faults.shouldDrop()) return request.socket.resetAndDestroy();
    if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
    const { reply, status } = await handleRequest(key, parseRequestBody(text));
    if (status !== undefined) return response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`);
    return answer(response, httpStatusOf(reply), reply, { ...CORS_HEADERS, ...(isRateLimited(reply) && { 'retry-after': '1' }) });
  };

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    if (!acceptsHost(request.headers.host)) {
      await readText(request);
      return refuse(response, 421, NODE_HOST_REJECTED);
    }
    const path = request.url ?? '/';
    if (path === controlPath) {
      const { status, body } = await control(request.method ?? '', (await readText(request)) ?? '');
      return answer(response, status, body);
    }
    const [, segment] = /^\/(?:v2|jsonrpc)\/([^/?]+)$/.exec(path) ?? [];
    return segment === undefined ? refuse(response, 404, 'not found') : jsonrpc(request, response, segment);
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    // The client went, or the service stops: nobody is left to be answered.
    route(request, response).catch(() => response.destroy());
  };
}

/** The body, or undefined when it is too large. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_NODE_REQUEST_BYTES) chunks.push(chunk);
  }
  return size > MAX_NODE_REQUEST_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}
