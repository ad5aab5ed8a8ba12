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
import { createClientAddressReader, peerAddressOf } from '../server/clients/client-address.ts';
import { listen } from '../server/listen.ts';
import { ORIGIN_NOT_ALLOWED_MESSAGE, sendError } from '../server/requests/http-errors.ts';
import { corsOptions, OriginPolicy } from '../server/requests/origins.ts';
import type { CallerHeaders } from './graph-client.ts';

export interface McpHttpOptions {
  readonly settings: Pick<CoreSettings, 'HOST' | 'ALLOWED_HOSTS' | 'CORS_ORIGINS' | 'TRUSTED_PROXIES' | 'RATE_LIMIT_REQUESTS'>;
  readonly port: number;
  readonly callers: CallerSettings;
  /** Creates the server of one request. */
  readonly createServer: (caller: McpCaller) => McpServer;
  readonly log: Logger;
}

/** The sender of one request. */
export interface McpCaller {
  /** The headers with its key or token. */
  readonly credentials: CallerHeaders;
  /** The header by which a proxy reports its address. None for a local caller, whom the graph recognizes by the lack of it. */
  readonly forwarding: CallerHeaders;
  /** Counts a call of a tool. Throws RATE_LIMITED. */
  readonly countCall: () => void;
}

const PATH = '/mcp';

/** Time for the responses of calls that the stop has ended. */
const CLOSE_TIMEOUT_MS = 1_000;

const UNAUTHENTICATED_MESSAGE =
  'The tools need an API key or a token of API_KEYS or JWT_JWKS_URL. Without both settings, only clients on this machine may use them, while HOST is a loopback address.';

const credentialsIn = ({ authorization, 'x-api-key': apiKey }: FastifyRequest['headers']): CallerHeaders => ({
  ...(authorization !== undefined && { authorization }),
  ...(typeof apiKey === 'string' && { 'x-api-key': apiKey }),
});

/** `x-forwarded-for` with the address of the peer, as each proxy appends it. */
const forwardingOf = ({ 'x-forwarded-for': forwardedFor }: FastifyRequest['headers'], peer = 'unknown'): CallerHeaders => ({
  'x-forwarded-for': forwardedFor === undefined ? peer : `${forwardedFor}, ${peer}`,
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
export async function startMcpHttp({ settings, port, callers, createServer, log }: McpHttpOptions) {
  const { HOST: host, ALLOWED_HOSTS: allowedHosts, CORS_ORIGINS: corsOrigins } = settings;
  const hasCredentials = callers.apiKeys !== undefined || callers.verifyToken !== undefined;
  const acceptsHost =
    allowedHosts.length === 0 && hasCredentials ? undefined : createHostCheck([...listenHostNames(host), ...allowedHosts]);
  const callerOf = createCallerReader({ ...callers, host, log });
  const origins = new OriginPolicy(corsOrigins, log);
  const app = createApp({ origins, acceptsHost, hasEndedOperations: () => false, log });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(origins));
  const addressOf = createClientAddressReader(settings.TRUSTED_PROXIES);
  const requestLimits = createRequestLimits({ requestsPerMinute: settings.RATE_LIMIT_REQUESTS });
  const callersOfRequests = new WeakMap<Request, McpCaller>();
  const handler = createMcpHandler(({ requestInfo }) => createServer(callersOfRequests.get(requestInfo!)!), {
    onerror: (err) => log.debug({ err }, 'an MCP request failed'),
  });

  app.route({
    url: PATH,
    method: ['GET', 'POST', 'DELETE'],
    async handler(request, reply) {
      const { headers, raw, id } = request;
      if (!origins.accept(headers)) return sendError(reply, 403, 'BAD_REQUEST', ORIGIN_NOT_ALLOWED_MESSAGE, id);
      const { remoteAddress } = raw.socket;
      // Read before the await: a socket has no address after a disconnect.
      const address = addressOf({ remoteAddress }, headers) ?? peerAddressOf({ remoteAddress });
      const caller = await callerOf({ headers, remoteAddress });
      if (!caller) throw new GraphError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE);
      const parsedBody: unknown = request.body;
      const webRequest = webRequestOf(request, reply);
      callersOfRequests.set(webRequest, {
        credentials: credentialsIn(headers),
        forwarding: caller.app === undefined ? {} : forwardingOf(headers, remoteAddress),
        countCall: () => requestLimits.check(caller, address),
      });
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
