import { z } from 'zod';
import { GraphError } from './errors.ts';
import { secretsIn } from './upstream/endpoint.ts';

interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** What it sets, its unit, and what holds when it is not given. */
  readonly about: string;
  /** Its value never reaches an answer, an error or the log. */
  readonly secret?: true;
}

const setting = <T extends z.ZodType>(schema: T, about: Omit<Setting, 'schema'>): Setting<T> => ({ schema, ...about });

const integer = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);

const httpUrl = z.url({ protocol: /^https?$/, error: 'is not an http:// or https:// URL' });

const socketUrl = z.url({ protocol: /^wss?$/, error: 'is not a ws:// or wss:// URL' });

const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(httpUrl));

const textList = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));

/** An origin as browsers send it; `:*` in place of the port stands for every port. */
const isOrigin = (text: string): boolean => {
  const origin = text.replace(/:\*$/, '');
  return /^https?:/.test(origin) && !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
};

const originList = textList.pipe(
  z.array(z.string().refine((text) => text === '*' || isOrigin(text), 'is not a list of http:// or https:// origins')),
);

/** A name or an address as URLs have it. URLs take `*` for a letter, but no pattern is matched here. */
const isHostName = (text: string): boolean =>
  !text.includes('*') && URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text.toLowerCase();

const hostList = textList.pipe(z.array(z.string().refine(isHostName, 'is not a list of host names without ports and patterns')));

const pathList = z
  .string()
  .transform((text) => text.split(',').map((path) => path.trim()))
  .pipe(z.array(z.string().min(1, 'has a comma with no path beside it')));

/** What goes into a header as it is. */
const headerText = z.string().regex(/^[!-~]+$/, 'has characters that no header takes');

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting there is. The parser, the help text, the masking of secrets and the README's table come from this list. */
export const settings = {
  PORT: setting(integer(0, 65_535).default(4000), { about: 'Port to serve on; 0 picks a free one' }),
  HOST: setting(z.string().default('127.0.0.1'), { about: 'Address to serve on' }),
  RPC_URL: setting(urlList.optional(), {
    about:
      'JSON-RPC endpoint of a node, its key included; several of the same chain, separated by commas, stand in for each other. Without it an embedded chain starts',
    secret: true,
  }),
  RPC_WS_URL: setting(socketUrl.optional(), {
    about: 'WebSocket endpoint of the same node, its key included, which pushes new blocks. Without it the node is polled',
    secret: true,
  }),
  NODE_METHODS: setting(z.enum(['auto', 'svc', 'alchemy', 'plain']).default('auto'), {
    about:
      'Token methods that the node is asked by: those under one of these prefixes, or `plain` calls of the contracts; `auto` finds out once',
  }),
  WIZARDS_URL: setting(httpUrl.optional(), {
    about:
      'Base URL of the wizard service of a tournament on the same chain, a key in it included. Without it the graph over a node has no wizards',
    secret: true,
  }),
  WIZARDS_API_TOKEN: setting(headerText.optional(), { about: 'API token of this server with the wizard service', secret: true }),
  WIZARDS_EMAIL: setting(z.email('is not an e-mail address').optional(), {
    about: 'Verified e-mail address of the account with the wizard service',
    secret: true,
  }),
  WIZARDS_CHAIN_ID: setting(integer(1).optional(), {
    about: 'Id of the chain that the tournament of `WIZARDS_URL` runs on, in decimal; not checked when left out',
  }),
  WIZARDS_MAX_BYTES: setting(integer(1024).default(64 * 1024 * 1024), {
    about:
      'Maximum size of one response of the wizard service in bytes, decompressed. Its memory is about four times as much while a list of this size is used',
  }),
  RPC_BATCH: setting(integer(1).default(1000), { about: 'Most calls in one request to the node; 1 turns batching off' }),
  RPC_TIMEOUT_MS: setting(integer(1).default(5_000), { about: 'Longest wait for one answer of the node' }),
  OPERATION_TIMEOUT_MS: setting(integer(1).default(10_000), {
    about: 'Longest time for one operation, all its upstream calls included',
  }),
  CACHE_BYTES: setting(integer(0).default(64 * 1024 * 1024), {
    about: 'Memory for answers of the node that stay true, shared by all operations; 0 keeps none',
  }),
  MAX_BLOCKS: setting(integer(1).default(100), { about: 'Most blocks in one answer of `blocks`' }),
  MAX_LOGS: setting(integer(1).default(10_000), { about: 'Most logs in one answer of `logs`' }),
  MAX_TOKENS: setting(integer(1).default(5_000), { about: 'Most words and signs in one document' }),
  MAX_DEPTH: setting(integer(1, 100).default(12), {
    about: 'Most fields inside each other; introspection has a bound of its own',
  }),
  MAX_ALIASES: setting(integer(0).default(200), { about: 'Most aliases in one operation, its fragments opened' }),
  MAX_DIRECTIVES: setting(integer(0).default(50), { about: 'Most directives in one operation, its fragments opened' }),
  MAX_ROOT_FIELDS: setting(integer(1).default(200), { about: 'Most fields at the root of one operation' }),
  MAX_FRAGMENTS: setting(integer(0, 1_000).default(50), { about: 'Most fragments in one document' }),
  MAX_COST: setting(integer(1).default(5_000), {
    about:
      'Maximum cost of one operation, or of one event of a subscription: estimated before it runs, as far as the request states it, and counted while it runs. A balance or a block is 1, the whole transactions of a block 20, its receipts 20, a search for logs 20, each value in the response 0.01',
  }),
  MAX_CONNECTIONS: setting(integer(1).default(20_000), {
    about: 'Most WebSockets and event streams at a time, all clients together',
  }),
  MAX_SUBSCRIPTIONS: setting(integer(1).default(100), {
    about: 'Most operations at a time on one WebSocket, subscriptions included',
  }),
  ERROR_STATUS: setting(z.enum(['default', 'eip1767']).default('default'), {
    about: 'HTTP status of an answer with errors: `default` as GraphQL over HTTP has it, `eip1767` never below 400',
  }),
  INTROSPECTION: setting(z.enum(['on', 'off']).default('on'), {
    about: 'Whether clients may read the schema; `off` also takes the names of the schema that errors suggest',
  }),
  CORS_ORIGINS: setting(originList.default([]), {
    about:
      'Origins of web pages that may use the server, separated by commas; `http://host:*` allows every port, `*` every origin. When empty: its own, and over the embedded chain those of pages on loopback',
  }),
  ALLOWED_HOSTS: setting(hostList.default([]), {
    about:
      'Host names, without ports and separated by commas, under which the server may be reached beside loopback names and `HOST`. When empty: any over a node, none further over the embedded chain',
  }),
  TOKEN_LISTS: setting(pathList.default([]), {
    about:
      'Files in the Token Lists format (tokenlists.org), separated by commas, the preferred one first: what they say of a token goes before what the node and the contract say',
  }),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS).default('info'), { about: `How much is logged: ${LOG_LEVELS.join(', ')}` }),
  DEVNET_SEED: setting(integer(0, 2 ** 32 - 1).default(1), { about: 'Embedded chain: which world is built' }),
  DEVNET_BLOCK_TIME: setting(z.coerce.number().min(0.1).max(3600).default(2), {
    about: 'Embedded chain: seconds between blocks',
  }),
  DEVNET_LIFE: setting(z.enum(['on', 'off']).default('on'), {
    about: 'Embedded chain: `off` keeps the world still and mines each transaction as it comes',
  }),
  DEVNET_NODE_PORT: setting(integer(0, 65_535).default(0), {
    about: 'Embedded chain: port of its node service for HTTP; 0 picks a free one',
  }),
  DEVNET_NODE_WS_PORT: setting(integer(0, 65_535).default(0), {
    about: 'Embedded chain: port of its node service for WebSocket; 0 picks a free one',
  }),
  DEVNET_WIZARDS_PORT: setting(integer(0, 65_535).default(0), {
    about: 'Embedded chain: port of the wizard service of its tournament; 0 picks a free one',
  }),
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> };

export const settingNames = Object.keys(settings) as SettingName[];

export const isSecretSetting = (name: SettingName): boolean => (settings[name] as Setting).secret === true;

/** The command line flag of a setting: `RPC_URL` is `--rpc-url`. */
export const settingFlag = (name: SettingName): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** The value that holds when a setting is not given, as it would be written; empty when there is none. */
export function settingDefault(name: SettingName): string {
  const value = (settings[name].schema as z.ZodType).safeParse(undefined).data;
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}

/**
 * Reads all settings; a flag goes before the environment, and an empty value is none. Throws BAD_USER_INPUT naming every
 * setting that is wrong and what it should be, without the value of a secret one.
 */
export function readSettings(flags: Partial<Record<string, string>>, environment: NodeJS.ProcessEnv = process.env): Settings {
  const problems: string[] = [];
  const values = settingNames.map((name) => {
    const given = flags[name] ?? environment[name];
    const result = settings[name].schema.safeParse(given?.trim() === '' ? undefined : given);
    if (!result.success) problems.push(describeInvalidSetting(name, given ?? '', result.error.issues[0]?.message ?? 'is wrong'));
    return [name, result.data];
  });
  if (problems.length > 0) throw new GraphError('BAD_USER_INPUT', problems.join('\n'));
  return Object.fromEntries(values) as Settings;
}

const describeInvalidSetting = (name: SettingName, given: string, message: string): string =>
  `${name} (or ${settingFlag(name)})${isSecretSetting(name) ? '' : ` is "${given}"`}: ${message}. It sets: ${settings[name].about}.`;

/** Every text that must never be shown: the secret settings whole, and the parts of a URL that can carry a key. */
export function secretValues(values: Settings): string[] {
  const given = settingNames.filter(isSecretSetting).flatMap((name) => [values[name] ?? []].flat().map(String));
  return [...new Set(given.flatMap((text) => [text, ...secretsIn(text)]))];
}
