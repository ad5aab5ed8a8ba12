import { beforeAll, expect, test } from '@jest/globals';
import type { Anvil } from '../../devnet/src/anvil/process.ts';
import { domains } from '../../src/app/installed-domains.ts';
import { serve } from '../../src/app/serve.ts';
import { assembleSettings, coreSettings } from '../../src/config/core-settings.ts';
import { readSettings, secretValues } from '../../src/config/settings.ts';
import { startTestAnvil } from '../support/anvil.ts';
import { untilTestsEnd } from '../support/cleanups.ts';
import { postJson } from '../support/clients/post-json.ts';
import { rpc } from '../support/graph/devnet-setup.ts';
import { bodyOf } from '../support/graph/results.ts';
import { guildSettings, guilds } from '../support/guilds/domain.ts';
import { GUILD_API_KEY, type GuildService, startGuildService } from '../support/guilds/service.ts';
import { log } from '../support/silent-log.ts';

const installed = [...domains, guilds];
const definitions = assembleSettings(installed);

let anvil: Anvil;
let founders: readonly string[];
let service: GuildService;
let graph: Awaited<ReturnType<typeof serve>>;
let settings: ReturnType<typeof readSettings<typeof definitions>>;

beforeAll(async () => {
  anvil = await startTestAnvil();
  founders = await rpc(anvil.url, 'eth_accounts', []);
  service = await startGuildService([
    { id: '1', name: 'Owls', founder: founders[0]! },
    { id: '2', name: 'Foxes', founder: founders[1]! },
  ]);
  const environment = {
    PORT: '0',
    RPC_URL: anvil.url,
    GUILDS_URL: service.url,
    GUILDS_API_KEY: GUILD_API_KEY,
  };
  settings = readSettings(definitions, {}, environment);
  graph = untilTestsEnd(await serve(settings, installed, log));
});

const execute = async (query: string, headers: Record<string, string> = {}) =>
  bodyOf(await postJson(`${graph.url}/graphql`, { query }, headers));

test('two guilds with the balances of their founders cost one GET to the service of the REST domain', async () => {
  const from = service.paths.length;
  const { data, errors } = await execute(
    '{ first: guild(id: 1) { name founder { balance } } second: guild(id: 2) { id founder { address } } unknown: guild(id: 3) { id } }',
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    first: { name: 'Owls', founder: { balance: expect.stringMatching(/^0x[1-9a-f]/) } },
    second: { id: '2', founder: { address: founders[1]!.toLowerCase() } },
    unknown: null,
  });
  expect(service.paths.slice(from)).toEqual(['/guilds?ids=1,2,3']);
});

test('a domain adds its settings to the list and to the masked secrets', () => {
  expect(Object.keys(definitions)).toEqual(expect.arrayContaining([...Object.keys(coreSettings), ...Object.keys(guildSettings)]));
  expect(secretValues(definitions, settings)).toContain(GUILD_API_KEY);
});

test('a domain adds its metrics to /metrics', async () => {
  const read = async () => {
    const text = await (await fetch(`${graph.url}/metrics`)).text();
    return Number(/^grimoire_guild_requests_total (\d+)$/m.exec(text)?.[1]);
  };
  const before = await read();
  await execute('{ guild(id: 1) { name } }');
  expect(await read()).toBe(before + 1);
});

test('a domain adds its weights to the estimated cost', async () => {
  const { extensions } = await execute('{ guild(id: 1) { name } }', { 'x-graph-cost': '1' });
  expect(extensions.cost.estimate).toBe(8);
});

test('a domain adds its label and its example query to the ready message', () => {
  expect(graph.readyMessage).toContain(`\n  guilds      ${service.url}\n`);
  expect(graph.readyMessage).toContain('\n  wizards     none; set WIZARDS_URL to their service\n');
  expect(graph.readyMessage).toContain(`'{"query":"${guilds.exampleQuery}"}'`);
});

test('the readiness check of a domain makes /readyz respond 503 while its service fails', async () => {
  const readiness = async () => {
    const response = await fetch(`${graph.url}/readyz`);
    return [response.status, await response.json()];
  };
  expect(await readiness()).toEqual([200, expect.objectContaining({ status: 'ready' })]);
  service.status = 401;
  const message = 'The guild service does not accept the credentials of this server.';
  expect(await readiness()).toEqual([503, { status: 'unavailable', code: 'UPSTREAM_AUTH', message, endpoint: service.url }]);
  service.status = 200;
});

test('an error of the upstream of a domain has the error source of the domain', async () => {
  service.status = 401;
  const { data, errors } = await execute('{ guild(id: 1) { name } }');
  service.status = 200;
  expect(data).toEqual({ guild: null });
  expect(errors[0].extensions).toMatchObject({ code: 'UPSTREAM_AUTH', source: guilds.errorSource });
});

test('a domain without its setting is not in the graph and has a line in the ready message', async () => {
  const other = await serve(readSettings(definitions, { PORT: '0', RPC_URL: anvil.url }, {}), installed, log);
  const response = await fetch(`${other.url}/graphql?query=${encodeURIComponent('{ guild(id: 1) { name } }')}`, {
    headers: { 'content-type': 'application/json' },
  });
  expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining('Cannot query field "guild"') }] });
  expect(other.readyMessage).toContain('\n  guilds      none; set GUILDS_URL\n');
  await other.stop();
});
