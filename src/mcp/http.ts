import cors from '@fastify/cors';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { GraphError } from '../lib/errors.ts';
import { createHostCheck, listenHostNames } from '../lib/urls.ts';
import { createApp } from '../server/app.ts';
import { type CallerSettings, createCallerReader } from '../server/callers/caller-reader.ts';
import { createRequestLimits } from '../server/callers/rate-limits.ts';
import { createClientAddressReader, OWN_PROXY_HEADER, peerAddressOf } from '../server/clients/client-address.ts';
import { listen } from '../server/listen.ts';
import { ORIGIN_NOT_ALLOWED, sendError } from '../server/requests/http-errors.ts';
import { corsOptions, isAllowedOrigin } from '../server/requests/origins.ts';
import type { CallerHeaders } from './graph-client.ts';
import type { McpSettings } from './settings.ts';

export interface McpOptions {
  readonly settings: CoreSettings & McpSettings;
  /** The graph that this process has started: its URL without a path, and the secret that makes it trust this proxy. Undefined with GRAPH_URL. */
  readonly ownGraph: { readonly url: string; readonly proxySecret: string } | undefined;
  /** How callers over HTTP identify themselves. */
  readonly callers: CallerSettings;
  readonly version: string;
  readonly log: Logger;
}

const PATH = '/mcp';

/** Time for the responses of calls that the stop has ended. */
const CLOSE_TIMEOUT_MS = 1_000;

const UNAUTHENTICATED_MESSAGE =
  'The tools need an API key or a token of API_KEYS or JWT_JWKS_URL. Without both settings, only clients on this machine may use them, while HOST is a loopback address.';

/**
 * The headers that the graph receives from a caller. The key of a caller was issued for this server, thus for the graph that it has started, but not
 * for the graph of GRAPH_URL. Each proxy appends its peer to `x-forwarded-for`; the graph recognizes a local caller by the lack of it.
 */
function graphHeadersOf(
  { authorization, 'x-api-key': apiKey, 'x-forwarded-for': forwardedFor }: FastifyRequest['headers'],
  isLocal: boolean,
  peer: string,
  { ownGraph, settings: { GRAPH_API_KEY } }: McpOptions,
): CallerHeaders {
  const key = ownGraph ? apiKey : GRAPH_API_KEY;
  return {
    ...(!isLocal && { 'x-forwarded-for': forwardedFor === undefined ? peer : `${forwardedFor}, ${peer}` }),
    ...(typeof key === 'string' && { 'x-api-key': key }),
    ...(ownGraph && { [OWN_PROXY_HEADER]: ownGraph.proxySecret }),
    ...(ownGraph && authorization !== undefined && { authorization }),
  };
}

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
export async function startMcpHttp(
  options: McpOptions,
  port: number,
  createServer: (headers: CallerHeaders, countCall?: () => void) => McpServer,
) {
  const { settings, callers, log } = options;
  const { HOST: host, ALLOWED_HOSTS: allowedHosts, CORS_ORIGINS: corsOrigins } = settings;
  const hasCredentials = callers.apiKeys !== undefined || callers.verifyToken !== undefined;
  const acceptsHost =
    allowedHosts.length === 0 && hasCredentials ? undefined : createHostCheck([...listenHostNames(host), ...allowedHosts]);
  const callerOf = createCallerReader({ ...callers, host });
  const app = createApp({ acceptsHost, log });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins));
  const addressOf = createClientAddressReader(settings.TRUSTED_PROXIES);
  const requestLimits = createRequestLimits({ requestsPerMinute: settings.RATE_LIMIT_REQUESTS });
  const servers = new WeakMap<Request, () => McpServer>();
  const handler = createMcpHandler(({ requestInfo }) => servers.get(requestInfo!)!(), {
    onerror: (err) => log.debug({ err }, 'an MCP request failed'),
  });

  app.route({
    url: PATH,
    method: ['GET', 'POST', 'DELETE'],
    async handler(request, reply) {
      const { headers, raw } = request;
      if (!isAllowedOrigin(headers, corsOrigins)) return sendError(reply, ORIGIN_NOT_ALLOWED);
      const { remoteAddress } = raw.socket;
      // Read before the await: a socket has no address after a disconnect.
      const address = addressOf({ remoteAddress }, headers) ?? peerAddressOf({ remoteAddress });
      const caller = await callerOf({ headers, remoteAddress });
      if (!caller) throw new GraphError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE);
      const parsedBody: unknown = request.body;
      const webRequest = webRequestOf(request, reply);
      const graphHeaders = graphHeadersOf(headers, caller.app === undefined, remoteAddress ?? 'unknown', options);
      servers.set(webRequest, () => createServer(graphHeaders, () => requestLimits?.check(caller, address)));
      return reply
        .header('cache-control', 'no-store')
        .send(await handler.fetch(webRequest, { ...(parsedBody !== undefined && { parsedBody }) }));
    },
  });

  const advice = 'Set HOST to an address of this machine, and MCP_PORT to a free port.';
  const listener = await listen(app, host, port, advice);
  return {
    /** URL of the endpoint. */
    url: `${listener.url}${PATH}`,
    async stop(): Promise<void> {
      listener.close();
      await handler.close();
      app.server.closeIdleConnections();
      // A connection that has sent no request counts as active.
      const closeAll = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await app.close();
      clearTimeout(closeAll);
    },
  };
}
