import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { secretValues } from '../config/settings.ts';
import { createMasker } from '../lib/logger.ts';
import { type CallerHeaders, createGraphClient } from './graph-client.ts';
import { createSchemaSource } from './graph-schema.ts';
import { type McpOptions, startMcpHttp } from './http.ts';
import { createMcpServer, type ToolOptions } from './server.ts';
import { mcpSettings } from './settings.ts';

/** Tools that accept calls. */
export interface RunningMcp {
  /** Text for the operator. */
  readonly readyMessage: string;
  /** Resolves when the client closes standard input; undefined over HTTP. */
  readonly disconnected?: Promise<undefined>;
  /** Aborts running calls and closes the connections. */
  stop(): Promise<void>;
}

/** Serves the tools, over HTTP with MCP_PORT, else on standard input and output. */
export async function startMcp(options: McpOptions): Promise<RunningMcp> {
  const { settings, ownGraph, version, log } = options;
  const { GRAPH_URL, GRAPH_API_KEY, MCP_PORT } = settings;
  const url = GRAPH_URL ?? `${ownGraph?.url}/graphql`;
  const stopping = new AbortController();
  const shared: ToolOptions = {
    version,
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
  const graphLine = `  graph       ${ownGraph === undefined ? 'that of GRAPH_URL' : url}\n`;

  if (MCP_PORT === undefined) {
    const disconnected = once(process.stdin, 'end').then(() => undefined);
    const headers: CallerHeaders = GRAPH_API_KEY === undefined ? {} : { 'x-api-key': GRAPH_API_KEY };
    const connection = serveStdio(() => createServer(headers), {
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
  const http = await startMcpHttp(options, MCP_PORT, createServer);
  return {
    readyMessage: `grimoire ${version} speaks MCP\n\n  mcp         ${http.url}\n${graphLine}`,
    async stop() {
      stopping.abort();
      await http.stop();
    },
  };
}
