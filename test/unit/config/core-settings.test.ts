import { describe, expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { assembleSettings, coreSettings } from '../../../src/config/core-settings.ts';
import {
  integer,
  readSettings as readSettingsOf,
  type SettingValues,
  secretValues as secretValuesOf,
  serviceLimits,
  setting,
  settingDefault,
} from '../../../src/config/settings.ts';
import { chainSettings } from '../../../src/domains/chain/settings.ts';
import { webhookSettings } from '../../../src/domains/webhooks/settings.ts';
import { wizardSettings } from '../../../src/domains/wizards/index.ts';
import { createMasker } from '../../../src/lib/logger.ts';

const definitions = { ...coreSettings, ...chainSettings, ...wizardSettings, ...webhookSettings };
type Settings = SettingValues<typeof definitions>;
const settingNames = Object.keys(definitions) as (keyof Settings)[];

const readSettings = (flags: Partial<Record<string, string>>, environment: NodeJS.ProcessEnv) =>
  readSettingsOf(definitions, flags, environment);
const secretValues = (values: Partial<Settings>) => secretValuesOf(definitions, values);

test('the settings of the graph are the settings of the core and of each domain', () => {
  expect(assembleSettings(domains)).toEqual(definitions);
});

test('two settings with the same name are rejected', () => {
  expect(() => assembleSettings([{ settings: { PORT: coreSettings.PORT } }])).toThrow('two settings are named PORT');
});

/** The drift test compares the defaults with docs/settings.md. */
const DEFAULTS = readSettings({}, {});

/** Returns the message of the error for invalid settings. */
function errorMessageOf(flags: Record<string, string>, environment: Record<string, string> = {}): string {
  try {
    readSettings(flags, environment);
  } catch (error) {
    expect(error).toMatchObject({ name: 'GraphError', code: 'BAD_USER_INPUT' });
    return (error as Error).message;
  }
  throw new Error('the settings are valid');
}

test('an empty flag or variable, and one of white space, counts as unset', () => {
  for (const text of ['', ' ']) {
    const empty = Object.fromEntries(settingNames.map((name) => [name, text]));
    expect(readSettings(empty, {})).toEqual(DEFAULTS);
    expect(readSettings({}, empty)).toEqual(DEFAULTS);
  }
});

test('a flag overrides the environment, which overrides the default', () => {
  expect(readSettings({ PORT: '1' }, { PORT: '2', RPC_BATCH: '3' })).toEqual({ ...DEFAULTS, PORT: 1, RPC_BATCH: 3 });
});

describe('a valid setting is parsed:', () => {
  test.each<[keyof Settings, string, unknown]>([
    ['PORT', '0', 0],
    ['DOMAIN', 'chain, tokens', ['chain', 'tokens']],
    ['RPC_URL', 'http://a.example, http://b.example', ['http://a.example', 'http://b.example']],
    ['RPC_URL', 'https://user:pass@node.example/v2/key?x=y', ['https://user:pass@node.example/v2/key?x=y']],
    ['WIZARDS_URL', 'https://wizards.example/api/v1?key=a', 'https://wizards.example/api/v1?key=a'],
    ['WIZARDS_URL', 'http://u:p,w@wizards.example/a,b?c=d,http://e', 'http://u:p,w@wizards.example/a,b?c=d,http://e'],
    ['WIZARDS_CHAIN_ID', '31337', 31_337],
    ['RPC_BATCH', '1', 1],
    ['CORS_ORIGINS', '*', ['*']],
    ['CORS_ORIGINS', 'https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
    ['CORS_ORIGINS', 'http://localhost:*,http://[::1]:*', ['http://localhost:*', 'http://[::1]:*']],
    ['ALLOWED_HOSTS', 'graph.lan, 192.168.1.5, [fd00::1]', ['graph.lan', '192.168.1.5', '[fd00::1]']],
    ['TRUSTED_PROXIES', '10.0.0.0/8, 192.0.2.7,fd00::/8,::1', ['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1']],
    ['TOKEN_LISTS', './a.json, /lists/b c.json', ['./a.json', '/lists/b c.json']],
    ['DEVNET_URL', 'http://devnet:8545', 'http://devnet:8545'],
    ['DEVNET_SEED', '4294967295', 4_294_967_295],
    ['DEVNET_BLOCK_TIME', '0.5', 0.5],
    ['DEVNET_LIFE', 'off', 'off'],
  ])('%s=%s is parsed', (name, text, value) => {
    expect(readSettings({}, { [name]: text })[name]).toEqual(value);
  });
});

describe('an invalid setting is reported with its flag and its value:', () => {
  test.each<[keyof Settings, string, string]>([
    ['PORT', '65536', '--port'],
    ['PORT', 'http', '--port'],
    ['FEDERATED', 'true', '--federated'],
    ['WIZARDS_CHAIN_ID', '0', '--wizards-chain-id'],
    ['RPC_BATCH', '0', '--rpc-batch'],
    ['OPERATION_TIMEOUT_MS', '10s', '--operation-timeout-ms'],
    ['OPERATION_TIMEOUT_MS', '2147483648', '--operation-timeout-ms'],
    ['RPC_TIMEOUT_MS', '2147483648', '--rpc-timeout-ms'],
    ['MAX_BLOCKS', '0', '--max-blocks'],
    ['CORS_ORIGINS', 'https://a.example/path', '--cors-origins'],
    ['CORS_ORIGINS', 'https://a.example,', '--cors-origins'],
    ['CORS_ORIGINS', 'a.example', '--cors-origins'],
    ['CORS_ORIGINS', 'http://*:80', '--cors-origins'],
    ['CORS_ORIGINS', 'file://', '--cors-origins'],
    ['ALLOWED_HOSTS', 'graph.lan:4000', '--allowed-hosts'],
    ['ALLOWED_HOSTS', 'http://graph.lan', '--allowed-hosts'],
    ['ALLOWED_HOSTS', 'graph.lan,', '--allowed-hosts'],
    ['ALLOWED_HOSTS', '*.graph.lan', '--allowed-hosts'],
    ['MAX_SUBSCRIPTION_COST', '0', '--max-subscription-cost'],
    ['TRUSTED_PROXIES', 'proxy.lan', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '10.0.0.1:80', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '10.0.0.0/', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,', '--trusted-proxies'],
    ['TRUSTED_PROXIES', 'fd00::/129', '--trusted-proxies'],
    ['TRUSTED_PROXIES', '[fd00::1]', '--trusted-proxies'],
    ['TOKEN_LISTS', 'a.json,', '--token-lists'],
    ['LOG_LEVEL', 'loud', '--log-level'],
    ['DEVNET_URL', 'ws://devnet:8545', '--devnet-url'],
    ['DEVNET_SEED', '4294967296', '--devnet-seed'],
    ['DEVNET_BLOCK_TIME', '0', '--devnet-block-time'],
  ])('%s=%s is rejected', (name, text, flag) => {
    expect(errorMessageOf({ [name]: text })).toMatch(`${name} (or ${flag}) is "${text}": `);
  });
});

test('the error of a setting states what is accepted, in no words of the validation library', () => {
  for (const name of settingNames)
    for (const text of ['abc', '-1', '1.5', '1e99'].filter((value) => !definitions[name].schema.safeParse(value).success))
      expect(errorMessageOf({ [name]: text })).not.toMatch(/received|Invalid|Too |expected (?:number|int|string|one of)/);
  expect(errorMessageOf({ PORT: 'abc' })).toBe('PORT (or --port) is "abc": expected a whole number from 0 to 65535.');
  expect(errorMessageOf({ RPC_BATCH: '0' })).toMatch(/: expected a whole number of at least 1\.$/);
  expect(errorMessageOf({ LOG_FORMAT: 'xml' })).toMatch(/: expected auto or text or json\.$/);
});

test.each<[keyof Settings, string, string]>([
  [
    'CORS_ORIGINS',
    'https://a.example/',
    'CORS_ORIGINS (or --cors-origins) is "https://a.example/": remove the slash at its end.',
  ],
  ['ALLOWED_HOSTS', 'graph.lan, b:1', 'entry 2 ("b:1"): pass a list of host names without a port or wildcard.'],
  ['RPC_URL', 'http://a.example,hunter2hunter2', 'RPC_URL (or --rpc-url): entry 2: is not an http:// or https:// URL.'],
])('the error of %s=%s names the invalid part of a list', (name, text, message) => {
  expect(errorMessageOf({ [name]: text }).endsWith(message)).toBe(true);
});

test('one error lists all invalid settings, one per line', () => {
  const lines = errorMessageOf({ PORT: 'x' }, { RPC_BATCH: '0', LOG_LEVEL: 'loud', HOST: 'fine' }).split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['PORT', 'RPC_BATCH', 'LOG_LEVEL']);
});

test.each([
  ['another protocol', 'wss://node.example/v2/hunter2hunter2'],
  ['text that is not a URL', 'hunter2hunter2'],
  ['a host without a scheme', 'node.example/v2/hunter2hunter2'],
])('the error for a secret setting does not contain its value: %s', (_case, url) => {
  const text = errorMessageOf({}, { RPC_URL: url });
  expect(text).toMatch('RPC_URL (or --rpc-url): is not an http:// or https:// URL.');
  expect(text).not.toMatch(/hunter2|node\.example/);
});

test.each([
  ['WIZARDS_URL', 'http://a.example,http://b.example', 'an http:// or https://'],
  ['WIZARDS_URL', 'http://a.example/v1, https://b.example', 'an http:// or https://'],
  ['WIZARDS_URL', 'http://a.example,b.example', 'an http:// or https://'],
  ['JWT_JWKS_URL', 'https://a.example/keys,https://b.example/keys', 'an http:// or https://'],
  ['RPC_WS_URL', 'ws://a.example,wss://b.example', 'a ws:// or wss://'],
  ['DATABASE_URL', 'postgres://a.example/x,postgres://b.example/x', 'a postgres:// or postgresql://'],
] as const)('several URLs in %s are rejected with what is accepted: %s', (name, value, accepted) => {
  const text = errorMessageOf({}, { [name]: value });
  expect(text).toContain(`has several URLs; pass ${accepted} URL.`);
  expect(text).not.toContain('.example');
});

test.each<[keyof Settings, string, string]>([
  ['WIZARDS_URL', 'ftp://wizards.example/hunter2hunter2', 'WIZARDS_URL (or --wizards-url): is not an http:// or https:// URL.'],
  [
    'WIZARDS_API_TOKEN',
    'hunter2\nhunter2',
    'WIZARDS_API_TOKEN (or --wizards-api-token): has characters that an HTTP header cannot contain.',
  ],
  ['WIZARDS_EMAIL', 'hunter2 at wizards', 'WIZARDS_EMAIL (or --wizards-email): is not an e-mail address.'],
])('error for an invalid %s describes the problem without the rejected value', (name, value, message) => {
  const text = errorMessageOf({}, { [name]: value });
  expect(text).toMatch(message);
  expect(text).not.toMatch(/hunter2|wizards\.example/);
});

test('a default is formatted as on the command line', () => {
  const defaults = settingNames.map((name) => settingDefault(definitions[name]));
  expect(defaults).toEqual(settingNames.map((name) => String(DEFAULTS[name] ?? '')));
});

test('endpoints and credentials are the secret settings', () => {
  expect(settingNames.filter((name) => 'secret' in definitions[name])).toEqual([
    'RPC_URL',
    'RPC_WS_URL',
    'DATABASE_URL',
    'API_KEYS',
    'JWT_JWKS_URL',
    'WIZARDS_URL',
    'WIZARDS_API_TOKEN',
    'WIZARDS_EMAIL',
    'WEBHOOK_AUTH_TOKENS',
  ]);
});

describe('secrets of an endpoint', () => {
  const of = (RPC_URL: string | undefined) =>
    secretValues({ ...DEFAULTS, RPC_URL: RPC_URL === undefined ? undefined : [RPC_URL] });

  test('an unset endpoint has no secrets', () => {
    expect(of(undefined)).toEqual([]);
  });

  test('the secrets of an endpoint are its URL, password, query values and long path segments', () => {
    const url = 'https://alice:opensesame@node.example/v2/0123456789abcdef?apikey=querykey&network=main';
    expect(new Set(of(url))).toEqual(
      new Set([
        url,
        'opensesame',
        '0123456789abcdef',
        'querykey',
        'alice:opensesame',
        'alice:opensesame@',
        'YWxpY2U6b3BlbnNlc2FtZQ==',
      ]),
    );
  });

  test('an endpoint without a part that can be a key has only its URL as a secret', () => {
    expect(of('http://localhost:8545/v2/mainnet')).toEqual(['http://localhost:8545/v2/mainnet']);
    expect(of('http://localhost:8545')).toEqual([]);
  });

  test.each([
    ['in the user', 'https://al%40ice@node.example/', ['al%40ice', 'al@ice']],
    ['in the password', 'https://a:p%2Fss%20word@node.example/', ['p%2Fss%20word', 'p/ss word']],
    ['in the path', 'https://node.example/v2/key%2Bwith%2Fsigns', ['key%2Bwith%2Fsigns', 'key+with/signs']],
    ['in the query', 'https://node.example/?key=a%2Fsecret', ['a%2Fsecret', 'a/secret']],
    ['in the query, with small letters', 'https://node.example/?key=a%2fsecret', ['a%2fsecret', 'a/secret']],
    ['in the query, with a plus for a space', 'https://node.example/?key=long+secret', ['long+secret', 'long secret']],
  ])('a secret %s is masked both percent-encoded and decoded', (_case, url, spellings) => {
    expect(spellings.map(createMasker(of(url)))).toEqual(spellings.map(() => '[secret]'));
  });

  test.each([
    ['in the query', 'https://node.example/?key=100%25secret', '100%secret'],
    ['in the path', 'https://node.example/v2/100%secretkey', '100%secretkey'],
    ['in the password', 'https://a:100%secret@node.example/', '100%secret'],
  ])('a secret with an invalid percent sign %s is found', (_case, url, secret) => {
    expect(of(url)).toContain(secret);
  });
});

test.each([
  ['e:30', 'level 30 at user e', ['e:30@', 'ZTozMA==']],
  ['node:node', 'polling the node', ['node:node@']],
  ['owner:opensesame', 'database "grimoire_production" of "owner" does not exist', ['opensesame', 'owner:opensesame@']],
])('the secrets of a database of %s are its password and its URL, not words of the log', (credentials, text, secrets) => {
  const url = `postgres://${credentials}@127.0.0.1/grimoire_production`;
  const mask = createMasker(secretValues({ DATABASE_URL: url }));
  expect([url, ...secrets].map(mask)).toEqual([url, ...secrets].map(() => '[secret]'));
  expect(mask(text)).toBe(text);
});

test('the limits of the service are the settings of the core and the domains that limit requests, with their values', () => {
  const limits = serviceLimits(definitions, readSettings({}, { MAX_DEPTH: '7', MAX_BLOCKS: '1000' }));
  expect(limits).toEqual(
    expect.arrayContaining([
      { name: 'maxDepth', value: '0x7', setting: 'MAX_DEPTH' },
      { name: 'maxBlocks', value: '0x3e8', setting: 'MAX_BLOCKS' },
      { name: 'wizardsMaxBytes', value: '0x4000000', setting: 'WIZARDS_MAX_BYTES' },
      { name: 'operationTimeoutMs', value: '0x2710', setting: 'OPERATION_TIMEOUT_MS' },
    ]),
  );
  // Each setting that is described as a maximum or a timeout of requests is a limit; a batch and a cache limit no request.
  const described = Object.entries(definitions).filter(([, { about }]) => /^(?:Maximum|Timeout)/.test(about));
  expect(limits.map(({ setting: name }) => name).sort()).toEqual(
    described
      .map(([name]) => name)
      .filter((name) => name !== 'RPC_BATCH' && name !== 'CACHE_BYTES')
      .sort(),
  );
});

test('the limits of the service contain neither secret nor unset settings', () => {
  const secret = setting(integer(0), { about: 'Secret', secret: true });
  const unset = setting(integer(0).optional(), { about: 'Unset' });
  expect(serviceLimits({ MAX_SECRET: secret, MAX_UNSET: unset }, { MAX_SECRET: 5, MAX_UNSET: undefined })).toEqual([]);
});
