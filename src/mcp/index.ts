import { once } from 'node:events';
import cors from '@fastify/cors';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { secretValues } from '../config/settings.ts';
import { GraphError } from '../lib/errors.ts';
import { createMasker } from '../lib/logger.ts';
import { version } from '../lib/package-root.ts';
import { createHostCheck, listenHostNames } from '../lib/urls.ts';
import { createApp } from '../server/app.ts';
import { type CallerSettings, createCallerReader } from '../server/callers/caller-reader.ts';
import { createRequestLimits } from '../server/callers/rate-limits.ts';
import { createClientAddressReader, OWN_PROXY_HEADER, peerAddressOf } from '../server/clients/client-address.ts';
import type { ReadinessProbe } from '../server/context.ts';
import { listen } from '../server/listen.ts';
import { Readiness, registerHealth } from '../server/ops.ts';
import { ORIGIN_NOT_ALLOWED, sendError } from '../server/requests/http-errors.ts';
import { corsOptions, isAllowedOrigin } from '../server/requests/origins.ts';
import { type CallerHeaders, createGraphClient } from './graph-client.ts';
import { createSchemaSource } from './graph-schema.ts';
import { createMcpServer, type ToolOptions } from './server.ts';
import { type McpSettings, mcpSettings } from './settings.ts';

interface McpOptions {
  readonly settings: CoreSettings & McpSettings;
  /** The graph that this process has started: its URL without a path, and the secret that makes it trust this proxy. Undefined with GRAPH_URL. */
  readonly ownGraph: { readonly url: string; readonly probe: ReadinessProbe; readonly proxySecret: string } | undefined;
  /** The settings by which callers over HTTP identify themselves. */
  readonly callers: CallerSettings;
  readonly log: Logger;
}

const PATH = '/mcp';

/** Timeout for the responses of calls that `stop` has ended. */
const CLOSE_TIMEOUT_MS = 1_000;

const UNAUTHENTICATED_MESSAGE =
  'The tools need an API key or a token of API_KEYS or JWT_JWKS_URL. Without both settings, only clients on this machine may use them, while HOST is a loopback address.';

/**
 * Serves the tools, over HTTP with MCP_PORT, else on standard input and output. `readyMessage` is for the operator; `stop` aborts running calls and
 * closes the connections.
 */
export async function startMcp(options: McpOptions) {
  const { settings, ownGraph, log } = options;
  const { GRAPH_URL, GRAPH_API_KEY, MCP_PORT } = settings;
  const url = GRAPH_URL ?? `${ownGraph?.url}/graphql`;
  const stopping = new AbortController();
  const shared: ToolOptions = {
    schemaOf: createSchemaSource(),
    maxBytes: settings.MCP_MAX_RESULT_BYTES,
    mask: createMasker(secretValues(mcpSettings, settings)),
    log,
    allowsMutations: settings.MCP_MUTATIONS === 'on',
    limits: settings,
    stopping: stopping.signal,
  };
  const createServer = (headers: CallerHeaders, countCall?: () => void) =>
    createMcpServer(createGraphClient(url, headers), shared, countCall);
  const ownHeaders: CallerHeaders = GRAPH_API_KEY === undefined ? {} : { 'x-api-key': GRAPH_API_KEY };
  const graphLine = `  graph       ${ownGraph === undefined ? 'at GRAPH_URL' : url}\n`;

  if (MCP_PORT === undefined) {
    const disconnected = once(process.stdin, 'end').then(() => undefined);
    const connection = serveStdio(() => createServer(ownHeaders), {
      onerror: (err) => log.debug({ err }, 'an MCP message failed'),
    });
    return {
      readyMessage: `grimoire ${version} speaks MCP on standard input and output\n\n${graphLine}`,
      /** Resolves when the client closes standard input. */
      disconnected,
      async stop() {
        stopping.abort();
        await connection.close();
      },
    };
  }
  const client = createGraphClient(url, ownHeaders);
  const probe: ReadinessProbe =
    ownGraph?.probe ?? ((signal) => client.execute({ query: '{ __typename }' }, signal).then(() => ({})));
  const http = await startMcpHttp(options, MCP_PORT, probe, createServer);
  return {
    readyMessage: `grimoire ${version} speaks MCP\n\n  mcp         ${http.url}\n${graphLine}`,
    async stop() {
      stopping.abort();
      await http.stop();
    },
  };
}

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
async function startMcpHttp(
  options: McpOptions,
  port: number,
  probe: ReadinessProbe,
  createServer: (headers: CallerHeaders, countCall?: () => void) => McpServer,
) {
  const { settings, callers, log } = options;
  const { HOST: host, ALLOWED_HOSTS: allowedHosts, CORS_ORIGINS: corsOrigins } = settings;
  const hasCredentials = callers.apiKeys !== undefined || callers.verifyToken !== undefined;
  const acceptsHost =
    allowedHosts.length === 0 && hasCredentials ? undefined : createHostCheck([...listenHostNames(host), ...allowedHosts]);
  const callerOf = createCallerReader({ ...callers, host });
  const sendNotFound = (_request: FastifyRequest, reply: FastifyReply) =>
    sendError(reply, [404, 'BAD_REQUEST', `No such path. The tools are at ${PATH}.`]);
  const app = createApp({ acceptsHost, sendNotFound, log });
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins));
  const readiness = new Readiness();
  registerHealth(app, probe, readiness);
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
      // The client has disconnected while the keys that verify its token were read; no `close` follows.
      if (reply.raw.destroyed) return reply.hijack();
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
      readiness.isWithdrawn = true;
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
