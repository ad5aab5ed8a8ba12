import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { assembleSettings } from '../../../src/config/core-settings.ts';
import { checkSettings, ignoredSettings } from '../../../src/config/setting-checks.ts';
import { misspelledSettings, readSettings } from '../../../src/config/settings.ts';
import { mcpSettings } from '../../../src/mcp/settings.ts';

const NODE = { RPC_URL: 'http://127.0.0.1:1' };
const DEVNET = { DEVNET_URL: 'http://127.0.0.1:1' };
const WIZARDS = { WIZARDS_URL: 'http://127.0.0.1:2' };
const TOKENS = { WEBHOOK_AUTH_TOKENS: 'shop=token-of-this-test' };
const WS = { RPC_WS_URL: 'ws://127.0.0.1:1' };

const definitions = { ...assembleSettings(domains), ...mcpSettings };
const settingsOf = (environment: Record<string, string>) => readSettings(definitions, {}, { PORT: '4000', ...environment });

test.each<[string, Record<string, string>]>([
  ['RPC_URL and DEVNET_URL are both set.', { ...NODE, ...DEVNET }],
  ['RPC_WS_URL is set without RPC_URL.', WS],
  ['RPC_WS_URL is set without RPC_URL.', { ...WS, ...DEVNET }],
  ['METRICS_PORT is the same as PORT.', { METRICS_PORT: '4000' }],
  ['WORKERS needs a chain that all workers share.', { WORKERS: '2' }],
  ['TRUSTED_DOCUMENTS is only, and there are no documents.', { TRUSTED_DOCUMENTS: 'only' }],
])('settings are rejected with one line: %s', (message, settings) => {
  expect(() => checkSettings(settingsOf(settings))).toThrow(new RegExp(`^${message} Set [^\\n]+$`));
});

test('a node with its WebSocket and free ports for both servers are accepted', () => {
  expect(() => checkSettings(settingsOf({ ...NODE, ...WS, PORT: '0', METRICS_PORT: '0', WORKERS: '2' }))).not.toThrow();
});

test('one line names each variable that a typing error distinguishes from a setting', () => {
  const accepted = { ...definitions, HOME: '', HOSTNAME: '', LOGNAME: '', MAX_WIDTH: '' };
  expect(misspelledSettings(definitions, { ...accepted, MAX_COTS: '', LOGLEVEL: '' })).toEqual([
    'the variable MAX_COTS is no setting; did you mean MAX_COST?',
    'the variable LOGLEVEL is no setting; did you mean LOG_LEVEL?',
  ]);
});

test.each<[string, Record<string, string>, readonly string[]]>([
  ['by default', {}, []],
  ['that the embedded chain uses', { DATA_DIR: 'data', ...TOKENS }, []],
  ['of the embedded chain, over a node', { DATA_DIR: 'data', ...NODE }, ['DATA_DIR']],
  ['of webhooks, over a node without a database', { ...TOKENS, ...DEVNET }, ['WEBHOOK_AUTH_TOKENS']],
  ['of webhooks, with a database', { ...TOKENS, ...NODE, DATABASE_URL: 'postgres://127.0.0.1/x' }, []],
  ['of a wizard service', { WIZARDS_CHAIN_ID: '0x1', WIZARDS_API_TOKEN: 'x' }, ['WIZARDS_API_TOKEN', 'WIZARDS_CHAIN_ID']],
  ['of a wizard service with its URL', { WIZARDS_CHAIN_ID: '0x1', WIZARDS_EMAIL: 'a@b.example', ...WIZARDS }, []],
  [
    'of the chain, in a subgraph of wizards',
    { TOURNAMENT_ADDRESS: `0x${'1'.repeat(40)}`, DOMAIN: 'wizards', ...DEVNET },
    ['TOURNAMENT_ADDRESS'],
  ],
  ['of the chain, in its subgraph', { TOURNAMENT_ADDRESS: `0x${'1'.repeat(40)}`, DOMAIN: 'chain,tokens', ...DEVNET }, []],
  ['of the server, with the graph of another', { METRICS_PORT: '0', GRAPH_URL: 'http://127.0.0.1:3/graphql' }, ['METRICS_PORT']],
  ['of several workers, with the graph of mcp', { WORKERS: '2', ...NODE }, ['WORKERS']],
])('one line names each ignored setting %s', (_case, settings, names) => {
  const lines = ignoredSettings(definitions, settingsOf(settings));
  expect(lines.map((line) => line.split(' is ignored: ')[0])).toEqual(names);
});
