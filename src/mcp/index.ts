import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from 'pino';
import { type CoreSettings, secretValues } from '../config.ts';
import { createMasker } from '../logger.ts';
import type { CallerSettings } from '../server/callers/caller-reader.ts';
import { type Credentials, createGraphClient } from './graph/graph-client.ts';
import { createSchemaSource } from './graph/schema-source.ts';
import { startMcpHttp } from './http.ts';
import { createMcpServer } from './server.ts';
import { type McpSettings, mcpSettings } from './settings.ts';
import { createToolResults } from './tools/result.ts';

export interface McpOptions {
  readonly settings: CoreSettings & McpSettings;
  /** URL of the graph that this process has started, without a path; undefined with GRAPH_URL. */
  readonly ownGraphUrl: string | undefined;
  /** How callers over HTTP identify themselves. */
  readonly callers: CallerSettings;
  readonly version: string;
  readonly log: Logger;
}

/** Tools that accept calls. */
export interface RunningMcp {
  /** Text for the operator. */
  readonly readyMessage: string;
  /** Resolves when the client closes standard input; undefined over HTTP. */
  readonly disconnected: Promise<void> | undefined;
  /** Aborts running calls and closes the connections. */
  stop(): Promise<void>;
}

/** Serves the tools, over HTTP with MCP_PORT, else on standard input and output. */
export async function startMcp({ settings, ownGraphUrl, callers, version, log }: McpOptions): Promise<RunningMcp> {
  const { GRAPH_URL, GRAPH_API_KEY, MCP_PORT, MCP_MUTATIONS, MCP_MAX_RESULT_BYTES: maxBytes } = settings;
  const url = GRAPH_URL ?? `${ownGraphUrl}/graphql`;
  const ownCredentials: Credentials = GRAPH_API_KEY === undefined ? {} : { 'x-api-key': GRAPH_API_KEY };
  const stopping = new AbortController();
  const mask = createMasker(secretValues(mcpSettings, settings));
  const shared = {
    version,
    schemaOf: createSchemaSource(),
    results: createToolResults({ maxBytes, mask, log }),
    maxBytes,
    allowsMutations: MCP_MUTATIONS === 'on',
    limits: settings,
    stopping: stopping.signal,
  };
  const createServer = (credentials: Credentials) => createMcpServer(createGraphClient({ url, credentials }), shared);
  const graphLine = `  graph       ${ownGraphUrl === undefined ? 'that of GRAPH_URL' : url}\n`;

  if (MCP_PORT === undefined) {
    const disconnected = once(process.stdin, 'end').then(() => {});
    const connection = serveStdio(() => createServer(ownCredentials), {
      onerror: (err) => log.debug({ err }, 'an MCP message failed'),
    });
    return {
      readyMessage: `grimoire ${version} speaks MCP on standard input and output\n\n${graphLine}`,
      disconnected,
      async stop() {
        stopping.abort();
        await connection.close();
      },
    };
  }
  const http = await startMcpHttp({
    host: settings.HOST,
    port: MCP_PORT,
    allowedHosts: settings.ALLOWED_HOSTS,
    corsOrigins: settings.CORS_ORIGINS,
    callers,
    // The key of a caller was issued for this server, thus for the graph that it has started, but not for the graph of GRAPH_URL.
    createServer: (credentials) => createServer(ownGraphUrl === undefined ? ownCredentials : credentials),
    log,
  });
  return {
    readyMessage: `grimoire ${version} speaks MCP\n\n  mcp         ${http.url}\n${graphLine}`,
    disconnected: undefined,
    async stop() {
      stopping.abort();
      await http.stop();
    },
  };
}
