import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { startTestServer } from '../test-server.ts';

export interface ScriptedCall {
  readonly jsonrpc: string;
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One received request. */
export interface ScriptedRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body: one call, or a batch. */
  readonly body: ScriptedCall | readonly ScriptedCall[];
  readonly calls: readonly ScriptedCall[];
  readonly socket: Socket;
}

/** Returns the JSON of the response, or undefined when it has written the response itself. */
export type Script = (requested: ScriptedRequest, response: ServerResponse) => unknown;

/** A node that responds by a script over real HTTP, for faults that a real node cannot produce. */
export interface ScriptedNode {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ScriptedRequest[];
  /** Every connection so far, including closed ones. */
  readonly sockets: ReadonlySet<Socket>;
  script: Script;
  /** The methods of each POST. */
  posts(): string[][];
  stop(): Promise<void>;
}

/** Responds to each call with its own parameters. */
export const echoParams: Script = ({ body }) => (Array.isArray(body) ? body.map(resultOf) : resultOf(body as ScriptedCall));

export const resultOf = ({ id, params }: ScriptedCall) => ({ jsonrpc: '2.0', id, result: params });

/** Responds to every request with one status and text. */
export const respondWith =
  (status: number, text: string, headers: Record<string, string> = {}): Script =>
  (_requested, response) =>
    void response.writeHead(status, headers).end(text);

export async function startScriptedNode(script: Script = echoParams): Promise<ScriptedNode> {
  const requests: ScriptedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    // Clients of an earlier server of this port, in another process, may still send requests.
    const one = await read(request).catch(() => void response.destroy());
    if (!one) return;
    requests.push(one);
    const answer = await node.script(one, response);
    if (answer === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.on('connection', (socket) => sockets.add(socket));
  const node: ScriptedNode = {
    ...(await startTestServer(server)),
    requests,
    sockets,
    script,
    posts: () => requests.map(({ calls }) => calls.map(({ method }) => method)),
  };
  return node;
}

async function read(request: IncomingMessage): Promise<ScriptedRequest> {
  const body = (await json(request)) as ScriptedCall | readonly ScriptedCall[];
  return {
    verb: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    calls: Array.isArray(body) ? body : [body],
    socket: request.socket,
  };
}
