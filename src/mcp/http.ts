import cors from '@fastify/cors';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { GraphError } from '../errors.ts';
import { createHostCheck, listenHostNames } from '../hosts.ts';
import { createApp } from '../server/app.ts';
import { type CallerSettings, createCallerReader } from '../server/callers/caller-reader.ts';
import { listen } from '../server/listen.ts';
import { ORIGIN_NOT_ALLOWED_MESSAGE, sendError } from '../server/requests/http-errors.ts';
import { corsOptions, OriginPolicy } from '../server/requests/origins.ts';
import type { Credentials } from './graph/graph-client.ts';

export interface McpHttpOptions {
  readonly host: string;
  readonly port: number;
  /** Host names that are accepted besides those of this machine; any host if it is empty and callers need credentials. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may use the tools, besides pages of the same host. */
  readonly corsOrigins: readonly string[];
  readonly callers: CallerSettings;
  /** Creates the server of one request, from the credentials of its caller. */
  readonly createServer: (credentials: Credentials) => McpServer;
  readonly log: Logger;
}

export interface McpHttpServer {
  /** URL of the endpoint. */
  readonly url: string;
  stop(): Promise<void>;
}

const PATH = '/mcp';

const UNAUTHENTICATED_MESSAGE =
  'The tools need an API key or a token of API_KEYS or JWT_JWKS_URL. Without both settings, only clients on this machine may use them, while HOST is a loopback address.';

/** The headers that identify the caller to the graph. */
const credentialsIn = ({ authorization, 'x-api-key': apiKey }: FastifyRequest['headers']): Credentials => ({
  ...(authorization !== undefined && { authorization }),
  ...(typeof apiKey === 'string' && { 'x-api-key': apiKey }),
});

/** The request for the handler of MCP, whose body is passed as parsed JSON. Aborts when the client disconnects. */
function webRequestOf({ method, headers }: FastifyRequest, reply: FastifyReply): Request {
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Request(`http://localhost${PATH}`, { method, headers: pairs, signal: disconnected.signal });
}

/**
 * Serves the tools over HTTP (MCP's Streamable HTTP, without sessions). Rejects web pages of other origins, and callers without an API key or
 * token; if neither is configured, clients that are not on this machine. Rejects with BAD_USER_INPUT when it cannot listen.
 */
export async function startMcpHttp(options: McpHttpOptions): Promise<McpHttpServer> {
  const { host, port, allowedHosts, corsOrigins, callers, createServer, log } = options;
  const hasCredentials = callers.apiKeys !== undefined || callers.verifyToken !== undefined;
  const acceptsHost =
    allowedHosts.length === 0 && hasCredentials ? undefined : createHostCheck([...listenHostNames(host), ...allowedHosts]);
  const callerOf = createCallerReader({ ...callers, host, log });
  const origins = new OriginPolicy(corsOrigins, log);
  const app = createApp({ origins, acceptsHost, hasEndedOperations: () => false, log });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(origins));
  const handler = createMcpHandler(
    ({ requestInfo }) => createServer(credentialsIn(Object.fromEntries(requestInfo?.headers ?? []))),
    { onerror: (err) => log.debug({ err }, 'an MCP request failed') },
  );

  app.route({
    url: PATH,
    method: ['GET', 'POST', 'DELETE'],
    async handler(request, reply) {
      const { headers, raw, id } = request;
      if (!origins.accept(headers)) return sendError(reply, 403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE, id);
      const caller = await callerOf({ headers, remoteAddress: raw.socket.remoteAddress });
      if (!caller) throw new GraphError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE);
      const parsedBody: unknown = request.body;
      return reply
        .header('cache-control', 'no-store')
        .send(await handler.fetch(webRequestOf(request, reply), { ...(parsedBody !== undefined && { parsedBody }) }));
    },
  });

  const advice = 'Set HOST to an address of this machine, and MCP_PORT to a free port.';
  const listener = await listen(app, host, port, advice);
  return {
    url: `${listener.url}${PATH}`,
    async stop() {
      listener.close();
      await handler.close();
      app.server.closeIdleConnections();
      await app.close();
    },
  };
}
