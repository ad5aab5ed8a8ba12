import { headerText, httpUrl, integer, oneOf, type SettingDefinitions, type SettingValues, setting } from '../config/settings.ts';

/** Settings of `grimoire mcp` besides the settings of `serve`. */
export const mcpSettings = {
  PORT: setting(integer(0, 65_535).default(0), {
    about: 'Port of the HTTP server of the graph that the command starts; 0 picks a free one',
  }),
  GRAPH_URL: setting(httpUrl.optional(), {
    about:
      'URL of a running graph that the tools use, path included, for example `http://127.0.0.1:4000/graphql`. When unset, the command starts a graph with the settings of `serve`',
    secret: true,
  }),
  GRAPH_API_KEY: setting(headerText.optional(), {
    about: 'API key that the tools send to the graph as `x-api-key`, over stdio and to the graph of `GRAPH_URL`',
    secret: true,
  }),
  MCP_PORT: setting(integer(0, 65_535).optional(), {
    about:
      'Port on which the tools are served over HTTP, at `/mcp` on `HOST`; 0 picks a free one. When unset, they are served on standard input and output',
  }),
  MCP_MUTATIONS: setting(oneOf('on', 'off').default('off'), {
    about: 'Whether the tools execute mutations, such as `sendRawTransaction`',
    flagDefault: 'on',
  }),
  MCP_MAX_RESULT_BYTES: setting(integer(1_024).default(262_144), {
    about: 'Maximum size of the result of a tool in bytes; `MAX_RESPONSE_BYTES` of the graph applies, too',
  }),
} satisfies SettingDefinitions;

export type McpSettings = SettingValues<typeof mcpSettings>;
