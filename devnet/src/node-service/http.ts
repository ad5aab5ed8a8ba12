import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostCheck } from '../service-server.ts';
import { HOST_REJECTED_MESSAGE } from '../service-server.ts';
import type { NodeControl } from './behaviour/control.ts';
import type { NodeFaultInjector } from './behaviour/faults.ts';
import { errorResponse, type JsonRpcResponse, MAX_NODE_REQUEST_BYTES, parseRequestBody } from './rpc/envelope.ts';
import type { RpcHandler } from './rpc/handler.ts';
import { NODE_ERROR_CODES, NodeRpcError, RateLimitError } from './rpc/rpc-error.ts';

export interface NodeHttpOptions {
  /** Returns the API key of the last segment of a path; undefined for an unknown key. */
  readonly keyOf: (segment: string) => string | undefined;
  readonly acceptsHost: HostCheck;
  readonly handleRequest: RpcHandler;
  readonly faults: NodeFaultInjector;
  readonly control: NodeControl;
  readonly controlPath: string;
  /** The document at `/devnet.json`; 404 while it is undefined. */
  readonly description: () => unknown;
  /** Aborts when the service stops, which ends delays. */
  readonly stopping: AbortSignal;
}

/** Pages of any origin may use a hosted provider, so they may use this service. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
};

/** HTTP status as at hosted providers; the service description has none. JSON-RPC errors are 200 except for the cases below. */
function httpStatusOf(reply: JsonRpcResponse | readonly JsonRpcResponse[]): number {
  const codes = [reply].flat().map((response) => ('error' in response ? response.error.code : undefined));
  if (codes.every((code) => code === NODE_ERROR_CODES.limitExceeded)) return 429;
  return !Array.isArray(reply) && (codes[0] === NODE_ERROR_CODES.parse || codes[0] === NODE_ERROR_CODES.invalidRequest)
    ? 400
    : 200;
}

const isRateLimited = (reply: JsonRpcResponse | readonly JsonRpcResponse[]) =>
  [reply].flat().some((response) => 'error' in response && response.error instanceof RateLimitError);

/** Creates the request listener of both JSON-RPC paths, of the control path and of the description. */
export function createNodeHttpHandler({
  keyOf,
  acceptsHost,
  handleRequest,
  faults,
  control,
  controlPath,
  description,
  stopping,
}: NodeHttpOptions) {
  const respond = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const reject = (response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) =>
    respond(response, status, errorResponse(new NodeRpcError(NODE_ERROR_CODES.invalidRequest, message)), {
      ...CORS_HEADERS,
      ...headers,
    });

  const jsonrpc = async (request: IncomingMessage, response: ServerResponse, segment: string) => {
    // Always read the body: on a connection with an unread body the response may be lost.
    const text = await readText(request);
    if (request.method === 'OPTIONS') return response.writeHead(204, CORS_HEADERS).end();
    if (request.method !== 'POST') return reject(response, 405, 'want POST', { allow: 'POST' });
    const key = keyOf(segment);
    if (key === undefined) return reject(response, 401, 'Must be authenticated!');
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return reject(response, 415, 'want Content-Type: application/json');
    }
    if (text === undefined) return reject(response, 413, `request too large, want at most ${MAX_NODE_REQUEST_BYTES} bytes`);
    if (faults.shouldDrop()) return request.socket.resetAndDestroy();
    if (faults.current.latency > 0) await delay(faults.current.latency, undefined, { signal: stopping });
    const { reply, status } = await handleRequest(key, parseRequestBody(text));
    if (status !== undefined) return response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`);
    return respond(response, httpStatusOf(reply), reply, {
      ...CORS_HEADERS,
      ...(isRateLimited(reply) && { 'retry-after': '1' }),
    });
  };

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    if (!acceptsHost(request.headers.host)) {
      await readText(request);
      return reject(response, 421, HOST_REJECTED_MESSAGE);
    }
    const path = request.url ?? '/';
    if (path === controlPath) {
      const { status, body } = await control(request.method ?? '', (await readText(request)) ?? '');
      return respond(response, status, body);
    }
    // Send no CORS headers, because a page of any origin must not read the path of the control endpoint.
    if (path === '/devnet.json' && request.method === 'GET' && description() !== undefined) {
      return respond(response, 200, description());
    }
    const [, segment] = /^\/(?:v2|jsonrpc)\/([^/?]+)$/.exec(path) ?? [];
    return segment === undefined ? reject(response, 404, 'not found') : jsonrpc(request, response, segment);
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    // Rejects only if the client has disconnected or the service stops.
    route(request, response).catch(() => response.destroy());
  };
}

/** Reads the body; undefined if it is too large. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_NODE_REQUEST_BYTES) chunks.push(chunk);
  }
  return size > MAX_NODE_REQUEST_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}
