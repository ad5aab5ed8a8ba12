import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { secretValues } from '../config/settings.ts';
import { createMasker } from '../lib/logger.ts';
import type { CallerSettings } from '../server/callers/caller-reader.ts';
import { OWN_PROXY_HEADER } from '../server/clients/client-address.ts';
import { type CallerHeaders, createGraphClient } from './graph-client.ts';
import { startMcpHttp } from './http.ts';
import { createSchemaSource } from './schema-source.ts';
import { createMcpServer } from './server.ts';
import { type McpSettings, mcpSettings } from './settings.ts';
import { createToolResults } from './tool-results.ts';

export interface McpOptions {
  readonly settings: CoreSettings & McpSettings;
  /** The graph that this process has started: its URL without a path, and the secret that makes it trust this proxy. Undefined with GRAPH_URL. */
  readonly ownGraph: { readonly url: string; readonly proxySecret: string } | undefined;
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
export async function startMcp({ settings, ownGraph, callers, version, log }: McpOptions): Promise<RunningMcp> {
  const { GRAPH_URL, GRAPH_API_KEY, MCP_PORT, MCP_MUTATIONS, MCP_MAX_RESULT_BYTES: maxBytes } = settings;
  const url = GRAPH_URL ?? `${ownGraph?.url}/graphql`;
  const ownHeaders: CallerHeaders = GRAPH_API_KEY === undefined ? {} : { 'x-api-key': GRAPH_API_KEY };
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
  const createServer = (headers: CallerHeaders, countCall?: () => void) =>
    createMcpServer(createGraphClient(url, headers), shared, countCall);
  const graphLine = `  graph       ${ownGraph === undefined ? 'that of GRAPH_URL' : url}\n`;

  if (MCP_PORT === undefined) {
    const disconnected = once(process.stdin, 'end').then(() => {});
    const connection = serveStdio(() => createServer(ownHeaders), {
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
    settings,
    port: MCP_PORT,
    callers,
    // The key of a caller was issued for this server, thus for the graph that it has started, but not for the graph of GRAPH_URL.
    createServer: ({ credentials, forwarding, countCall }) =>
      createServer(
        ownGraph ? { ...credentials, ...forwarding, [OWN_PROXY_HEADER]: ownGraph.proxySecret } : { ...ownHeaders, ...forwarding },
        countCall,
      ),
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
