import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseUrl } from '../lib/urls.ts';
import { embeddedSettings } from './embedded-settings.ts';
import type { Setting, SettingDefinitions, SettingValues } from './settings.ts';
import { commaSeparated, httpUrl, integer, oneOf, postgresUrl, setting, switchSetting, webSocketUrl } from './settings.ts';

/** Comma-separated texts that all have this schema. */
const listOf = <T extends z.ZodType<string, string>>(entry: T) => commaSeparated.pipe(z.array(entry));

const urlList = listOf(httpUrl);
const pathList = listOf(z.string().min(1, 'has an empty path before or after a comma'));

/** An origin as browsers send it; `:*` instead of the port matches every port. */
const isOrigin = (text: string): boolean => {
  const origin = text.replace(/:\*$/, '');
  return /^https?:/.test(origin) && !origin.includes('*') && parseUrl(origin)?.origin === origin;
};

const originList = listOf(
  z.string().refine((text) => text === '*' || isOrigin(text), {
    error: ({ input }) =>
      isOrigin(String(input).replace(/\/$/, '')) ? 'remove the slash at its end' : 'pass a list of http:// or https:// origins',
  }),
);

/** A host name or an IP address as URLs spell it. URLs accept `*` as a letter, so wildcards are rejected here. */
const isHostName = (text: string): boolean => !text.includes('*') && parseUrl(`http://${text}`)?.hostname === text.toLowerCase();

const hostList = listOf(z.string().refine(isHostName, 'pass a list of host names without a port or wildcard'));

/** An IP address, or a CIDR range. */
const isAddressRange = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)]!;
  return bits > 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
};

const addressRangeList = listOf(
  z.string().refine(isAddressRange, 'pass a list of IP addresses and CIDR ranges, such as 10.0.0.0/8 or fd00::/8'),
);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Settings of the core. Each domain defines its own. */
export const coreSettings = {
  PORT: setting(integer(0, 65_535).default(4000), { about: 'Port of the HTTP server; 0 picks a free one' }),
  METRICS_PORT: setting(integer(0, 65_535).optional(), {
    about:
      'Port of a separate server for `/metrics`, `/healthz` and `/readyz`; 0 picks a free one. When unset, `/metrics` is on `PORT`',
    ignoredFor: ({ GRAPH_URL }) => GRAPH_URL !== undefined && 'the server at GRAPH_URL serves its own metrics',
  }),
  HOST: setting(z.string().default('127.0.0.1'), { about: 'Address that the HTTP server listens on' }),
  WORKERS: setting(
    z.union([z.literal('auto'), integer(1, 64)], { error: 'expected auto or a whole number from 1 to 64' }).default(1),
    {
      about:
        'Number of processes that serve requests; `auto` is the number of available cores, at most 4. Above 1, another process follows the chain for all of them',
      ignoredFor: ({ WORKERS, MCP_MAX_RESULT_BYTES }) =>
        WORKERS !== 1 && MCP_MAX_RESULT_BYTES !== undefined && 'mcp serves its graph in one process',
    },
  ),
  DOMAIN: setting(commaSeparated.default([]), {
    about:
      'Domains that the server serves as a federation subgraph, separated by commas, for example `wizards`; needs `RPC_URL` or `DEVNET_URL`. When unset, the server serves all domains as one graph',
    isRepeatable: true,
  }),
  FEDERATED: switchSetting('Whether the graph of all domains is a federation subgraph too; `DOMAIN` implies it'),
  RPC_URL: setting(urlList.optional(), {
    about:
      'JSON-RPC endpoint of an Ethereum node, API key included; several endpoints of the same chain, separated by commas, fail over to each other. When unset, the server uses the node of `DEVNET_URL`, or starts an embedded chain',
    secret: true,
  }),
  RPC_WS_URL: setting(webSocketUrl.optional(), {
    about: 'WebSocket endpoint of the same node, API key included, for new blocks. When unset, the node is polled',
    secret: true,
  }),
  CHAINS: setting(z.string().optional(), {
    about:
      'JSON file of further chains: a list of objects with `id`, `name`, `rpcUrl` and, in camel case, the other settings that each chain has by itself. The chain of the other settings is the default chain',
  }),
  MULTI_CHAIN: switchSetting(
    'Whether blocks, transactions, receipts, accounts, tokens, wizards and duels have the field `chainId`, which is part of their keys in a federation subgraph. A subgraph with `CHAINS` needs it',
  ),
  DATABASE_URL: setting(postgresUrl.optional(), {
    about:
      'PostgreSQL database of the webhooks and the named streams, password included; several servers may share it. When unset, the embedded chain starts its own database, and a server with `RPC_URL` has neither',
    secret: true,
  }),
  NODE_METHODS: setting(oneOf('auto', 'svc', 'alchemy', 'plain').default('auto'), {
    about:
      'Prefix of the enhanced methods of the node, for tokens and pending transactions; `plain` uses standard methods only, `auto` detects the prefix once per endpoint',
  }),
  HEADER_CHECKS: setting(oneOf('on', 'report').default('on'), {
    about:
      'Checks of logs, receipts and transactions against the header of their block: `on` refuses a result of the node that contradicts it, `report` only logs and counts it, for chains whose headers differ from Ethereum headers',
  }),
  LOGS_VERIFY: setting(oneOf('on', 'off').default('off'), {
    about:
      'Logs of ranges of blocks: `on` reads them from the headers of the range and from receipts, so that none is missing, at the cost of one call for each block; `off` only for requests with `logs` in `x-graph-verify`',
  }),
  RPC_BATCH: setting(integer(1).default(1000), {
    about: 'Maximum number of calls in one request to the node; 1 turns batching off',
  }),
  // A longer timer of Node ends at once.
  RPC_TIMEOUT_MS: setting(integer(1, 2 ** 31 - 1).default(5_000), {
    about: 'Timeout of one upstream request in milliseconds, from the time when it is sent',
  }),
  OPERATION_TIMEOUT_MS: setting(integer(1, 2 ** 31 - 1).default(10_000), {
    about: 'Timeout of one operation in milliseconds, including all its upstream requests',
  }),
  CACHE_BYTES: setting(integer(0).default(64 * 1024 * 1024), {
    about: 'Maximum size of the cache of node responses in bytes, shared by all operations; 0 turns it off',
  }),
  MAX_TOKENS: setting(integer(1).default(5_000), { about: 'Maximum number of tokens in a document' }),
  MAX_DEPTH: setting(integer(1, 100).default(12), {
    about: 'Maximum selection depth; at least 16 for operations with introspection',
  }),
  MAX_ALIASES: setting(integer(0).default(200), { about: 'Maximum number of aliases in an operation, fragments expanded' }),
  MAX_DIRECTIVES: setting(integer(0).default(50), { about: 'Maximum number of directives in an operation, fragments expanded' }),
  MAX_ROOT_FIELDS: setting(integer(1).default(200), { about: 'Maximum number of root fields in an operation' }),
  MAX_FRAGMENTS: setting(integer(0, 1_000).default(50), { about: 'Maximum number of fragments in a document' }),
  MAX_COST: setting(integer(1).default(5_000), {
    about:
      'Maximum cost of one operation, or of one event of a subscription: estimated before execution, as far as the request determines it, and counted during execution. A balance, a block, or a millisecond of the database costs 1, all transactions of a block 20, its receipts 20, a log search 20, each value in the response 0.01',
  }),
  MAX_UPSTREAM_BYTES: setting(integer(1).default(128 * 1024 * 1024), {
    about:
      'Maximum number of bytes that one operation, or one event of a subscription, sends to upstreams and receives from them and from the database, decompressed',
  }),
  MAX_RESPONSE_BYTES: setting(integer(1).default(16 * 1024 * 1024), {
    about: 'Maximum size of the response of one operation, or of one event of a subscription, in bytes',
  }),
  MAX_EVENT_LOOP_MS: setting(integer(1).default(2_000), {
    about: 'Maximum time in milliseconds for which one operation, or one event of a subscription, may occupy the event loop',
  }),
  MAX_CONNECTIONS: setting(integer(1).default(20_000), {
    about:
      'Maximum number of open connections of all clients: HTTP connections, WebSockets and event streams. At the limit, a new connection replaces the one that has been idle for the longest time, or gets a 503',
  }),
  MAX_UNSENT_BYTES: setting(integer(1).default(256 * 1024 * 1024), {
    about:
      'Maximum number of bytes that wait for clients which read slowly, all clients together. Above it, clients that do not read are disconnected',
  }),
  MAX_SUBSCRIPTIONS: setting(integer(1).default(100), {
    about: 'Maximum number of concurrent operations of one client on one WebSocket, subscriptions included',
  }),
  MAX_SUBSCRIPTION_COST: setting(integer(1).default(20_000), {
    about:
      'Maximum cost of the subscriptions of one client on one WebSocket, or of one event stream: the sum of the costs of one event of each, equal subscriptions counted once',
  }),
  MAX_CLIENT_SUBSCRIPTION_COST: setting(integer(1).default(40_000), {
    about:
      'Maximum cost of the subscriptions of all connections of one client: of an application at one address, or of an address without an application. Not applied where both are unknown',
  }),
  MAX_SERVER_SUBSCRIPTION_COST: setting(integer(1).default(100_000), {
    about: 'Maximum cost of the subscriptions of all clients together',
  }),
  TRUSTED_PROXIES: setting(addressRangeList.default([]), {
    about:
      'IP addresses and CIDR ranges of reverse proxies, separated by commas: the address of a client behind them is the last one in `x-forwarded-for` that is not such a proxy',
  }),
  COMPATIBILITY: setting(oneOf('off', 'eip1767').default('off'), {
    about:
      'Drop-in mode: `eip1767` responds as the GraphQL servers of execution clients do. Status 400 for errors, no top-level `extensions`, an error for an unknown block hash',
  }),
  INTROSPECTION: setting(oneOf('on', 'off').default('on'), {
    about: 'Whether clients may introspect the schema; `off` also removes the suggestions of field names from errors',
  }),
  API_KEYS: setting(commaSeparated.default([]), {
    about:
      'API keys of applications, separated by commas: `app=key`, or `app=sha256:<hash>` with the SHA-256 hash of the key in hex. Webhook fields need a caller with a key or a token; without any, every client on this machine is a caller while `HOST` is a loopback address',
    secret: true,
    secretPart: (entry) => entry.slice(entry.indexOf('=') + 1),
  }),
  JWT_JWKS_URL: setting(httpUrl.optional(), {
    about: 'URL of the JSON Web Key Set that verifies the tokens of callers; tokens are not accepted when unset',
    secret: true,
  }),
  JWT_ISSUER: setting(z.string().optional(), { about: 'Claim `iss` that a token must have; not checked when unset' }),
  JWT_AUDIENCE: setting(z.string().optional(), { about: 'Claim `aud` that a token must have; not checked when unset' }),
  JWT_APP_CLAIM: setting(z.string().min(1).default('sub'), { about: 'Claim of a token with the name of the application' }),
  REQUIRE_CALLER: switchSetting(
    'Whether every operation needs a caller with an API key or a token, on each transport; needs `API_KEYS` or `JWT_JWKS_URL`. When off, only the fields of webhooks and named streams need one',
  ),
  RATE_LIMIT_REQUESTS: setting(integer(1).optional(), {
    about:
      'Requests that one application may send per minute, or one client address without an application; not limited when unset',
  }),
  RATE_LIMIT_COST: setting(integer(1).optional(), {
    about:
      'Cost of the operations that one application may send per minute, or one client address without an application; not limited when unset. Events of subscriptions are limited by `MAX_CLIENT_SUBSCRIPTION_COST`',
  }),
  CORS_ORIGINS: setting(originList.default([]), {
    about:
      'Origins of web pages that may use the server, separated by commas; `http://host:*` allows every port, `*` every origin. When empty, only pages of the server itself may use it, and over the embedded chain pages on loopback too',
  }),
  ALLOWED_HOSTS: setting(hostList.default([]), {
    about:
      'Host headers, without ports and separated by commas, that the server accepts in addition to loopback names and `HOST`. When empty, a server over a node accepts every Host, and one over the embedded chain no others',
  }),
  ABI_DIR: setting(z.string().optional(), {
    about:
      'Folder of contract ABIs in JSON for decoding: `0x<address>.json` for one contract, other names for all. When unset, only ERC-20, ERC-721, ERC-1155 and the tournament are decoded',
  }),
  TOKEN_LISTS: setting(pathList.default([]), {
    about:
      'Files in the Token Lists format (tokenlists.org), separated by commas, the preferred one first; their metadata overrides the metadata of the node and the contract',
  }),
  TRUSTED_DOCUMENTS_FILE: setting(pathList.default([]), {
    about:
      'Manifests of trusted documents, separated by commas, of GraphQL Code Generator, Relay or Apollo: requests name a document by its id',
  }),
  TRUSTED_DOCUMENTS: setting(oneOf('on', 'only', 'off').default('on'), {
    about:
      'Use of the trusted documents: `on` accepts their ids beside other documents, `only` refuses all other documents, `off` does not know their ids',
  }),
  LOG_FORMAT: setting(oneOf('auto', 'text', 'json').default('auto'), {
    about: 'Format of log lines, which are on standard error: `auto` writes text to a terminal and JSON elsewhere',
  }),
  LOG_LEVEL: setting(oneOf(...LOG_LEVELS).default('info'), { about: `Minimum level of log lines: ${LOG_LEVELS.join(', ')}` }),
  DEVNET_URL: setting(httpUrl.optional(), {
    about:
      'URL of the node service of a running `grimoire devnet`, whose chain, tournament and token list the server uses. When unset, a server without `RPC_URL` starts an embedded chain',
  }),
  ...embeddedSettings,
} satisfies SettingDefinitions;

export type CoreSettings = SettingValues<typeof coreSettings>;

/**
 * Returns the settings of the core and of these domains. The type of the result lists only the settings of the core,
 * because only a domain reads the settings of the domain. Throws when two settings have the same name.
 */
export function assembleSettings(domains: readonly { readonly settings: SettingDefinitions }[]): typeof coreSettings {
  const definitions: Record<string, Setting> = { ...coreSettings };
  for (const [name, definition] of domains.flatMap(({ settings }) => Object.entries(settings))) {
    if (definitions[name]) throw new Error(`two settings are named ${name}`);
    definitions[name] = definition;
  }
  return definitions as typeof coreSettings;
}

/** Maximum number of workers for `auto`: each has separate caches and connections. */
const MAX_AUTOMATIC_WORKERS = 4;

/** The number of processes that serve requests. */
export const workerCount = ({ WORKERS }: Pick<CoreSettings, 'WORKERS'>): number =>
  WORKERS === 'auto' ? Math.min(MAX_AUTOMATIC_WORKERS, availableParallelism()) : WORKERS;
