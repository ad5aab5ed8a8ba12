import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { DevnetDescription } from '../../../devnet/src/index.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { addressOf } from '../../support/graph/stubbed-graph.ts';
import { startProxy } from '../../support/proxies/node-proxy.ts';
import { assertNoSecret, WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import { type ScriptedWizardService, startScriptedWizardService } from '../../support/upstream/scripted-wizard-service.ts';

/** The program without settings. The other graphs use its chain as their node. */
let graph: RunningGraph;
let devnet: DevnetDescription;

beforeAll(async () => {
  graph = await serveGraph({ DEVNET_LIFE: 'off' });
  devnet = (await (await fetch(`${graph.url}/devnet.json`)).json()) as DevnetDescription;
});

describe('the tournament of the embedded chain', () => {
  test('the first query of the README returns the documented data', async () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const first = /^```sh\n(curl .*?)^```/ms.exec(readme)![1]!;
    expect(first).toContain('wizards(');
    const { stdout } = await promisify(execFile)('bash', ['-c', first.replaceAll('http://127.0.0.1:4000', graph.url)]);
    const { data, errors } = JSON.parse(stdout);
    expect(errors).toBeUndefined();
    expect(data.wizards.nodes).toHaveLength(3);
    for (const { owner, record, duels } of data.wizards.nodes) {
      expect(owner.balanceIn).toMatch(/^\d/);
      expect(record.won + record.lost).toBeGreaterThan(0);
      expect(duels.nodes.length).toBeGreaterThan(0);
    }
  });

  const LOG = 'decoded { name arguments { name value } } blockNumber transactionHash account { address }';
  const DUELS = `{ duels { nodes { id startBlockNumber endBlockNumber timedOut startLog { ${LOG} } endLog { ${LOG} } transaction { hash blockNumber to { address } } } } }`;

  test('the duels of a page have their events on the chain', async () => {
    const { data, errors } = await graph.execute(DUELS);
    expect(errors).toBeUndefined();
    expect(data.duels.nodes.length).toBeGreaterThan(5);
    const idOf = ({ decoded }: any) => decoded.arguments.find(({ name }: any) => name === 'duelId').value;
    for (const { id, startBlockNumber, endBlockNumber, timedOut, startLog, endLog, transaction } of data.duels.nodes) {
      expect(startLog).toMatchObject({ decoded: { name: 'DuelStart' }, blockNumber: startBlockNumber });
      expect(startLog.account.address).toBe(devnet.tournament.address);
      expect(transaction).toEqual({
        hash: startLog.transactionHash,
        blockNumber: startBlockNumber,
        to: { address: devnet.tournament.address },
      });
      const end = { decoded: { name: timedOut ? 'DuelTimeOut' : 'DuelEnd' }, blockNumber: endBlockNumber };
      if (endBlockNumber === null) expect(endLog).toBeNull();
      else expect(endLog).toMatchObject(end);
      expect([startLog, endLog ?? startLog].map(idOf)).toEqual([id, id]);
    }
  });

  test('events of duels are one call; without the contract of the tournament there are none, without a call', async () => {
    const { url, token, email } = devnet.wizardService;
    const proxy = await startProxy(devnet.nodeService.http);
    const settings = { RPC_URL: proxy.url, WIZARDS_URL: url, WIZARDS_API_TOKEN: token, WIZARDS_EMAIL: email };
    const [unknown, known] = await Promise.all([
      serveGraph(settings),
      serveGraph({ ...settings, TOURNAMENT_ADDRESS: devnet.tournament.address.toUpperCase().replace('X', 'x') }),
    ]);
    const query = '{ duels(first: 3) { nodes { startLog { index } endLog { index } transaction { hash } } } }';
    const none = { startLog: null, endLog: null, transaction: null };
    proxy.takeCounts();
    expect((await unknown.execute(query)).data).toEqual({ duels: { nodes: [none, none, none] } });
    expect(proxy.takeCounts().methods.eth_getLogs).toBeUndefined();
    const found = (await known.execute(query)).data;
    expect(proxy.takeCounts().methods.eth_getLogs).toBe(1);
    expect(found).toEqual((await graph.execute(query)).data);
    expect(found.duels.nodes[0]!.startLog).not.toBeNull();
  });

  test('the event of a duel is the one at its height, whatever else is selected', async () => {
    const proxy = await startProxy(devnet.nodeService.http);
    const settings = { RPC_URL: proxy.url, TOURNAMENT_ADDRESS: devnet.tournament.address };
    const chain = await serveGraph({ ...settings, DOMAIN: 'chain' });
    const { data } = await graph.execute('{ duels(first: 1) { nodes { id startBlockNumber } } }');
    const { id, startBlockNumber } = data.duels.nodes[0]!;
    // A height above the head is no reason to search the blocks up to it.
    const representations = ['0x1', startBlockNumber, '0x5f5e0ff'].map((height) => ({
      __typename: 'Duel',
      id,
      startBlockNumber: height,
    }));
    const query = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Duel { startLog { blockNumber } } } }';
    proxy.takeCounts();
    const { _entities } = (await chain.execute<string, any>(query, { of: representations })).data;
    expect(_entities).toEqual([{ startLog: null }, { startLog: { blockNumber: startBlockNumber } }, { startLog: null }]);
    expect(proxy.takeCounts().methods.eth_getLogs).toBe(1);
  });
});

describe('domains by settings', () => {
  let service: ScriptedWizardService;

  beforeAll(async () => {
    service = await startScriptedWizardService();
    const powers = { affinity: 2, initialPower: '1', power: '1', createdBlockNumber: 3, eliminatedBlockNumber: null };
    service.wizards = [{ id: 'only-one', owner: addressOf(7), ...powers }];
  });

  const { token, email } = WIZARD_CREDENTIALS;
  const named = () => ({ WIZARDS_URL: service.url, WIZARDS_API_TOKEN: token, WIZARDS_EMAIL: email });
  const IDS = '{ wizards { nodes { id owner { balance } } } }';

  test('RPC_URL without WIZARDS_URL serves no type, field or argument of the tournament', async () => {
    const alone = await serveGraph({ RPC_URL: devnet.nodeService.http, WIZARDS_CHAIN_ID: '5' });
    const { data } = await alone.execute('{ __schema { types { name fields { name } } } }');
    const names = data.__schema.types.flatMap(({ name, fields }: { name: string; fields: { name: string }[] | null }) => [
      name,
      ...(fields ?? []).map((field) => field.name),
    ]);
    expect(names.filter((name: string) => /wizard|duel/i.test(name))).toEqual([]);
    expect(names).toContain('tokenBalances');
    const { status, errors } = await alone.execute(IDS);
    expect([status, errors![0]!.extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    await alone.stop();
    expect(alone.output()).toContain('wizards     none; set WIZARDS_URL to their service');
    expect(alone.output()).not.toContain('WIZARDS_CHAIN_ID');
  });

  test('RPC_URL with WIZARDS_URL of the same chain serves both without a warning', async () => {
    const both = await serveGraph({ RPC_URL: devnet.nodeService.http, ...named(), WIZARDS_CHAIN_ID: String(devnet.chainId) });
    service.script = () => ({ body: [{ ...service.wizards[0], startingPower: '2' }] });
    const { data, errors } = await both.execute('{ wizards { nodes { id initialPower owner { balance } } } }');
    expect({ data, errors }).toEqual({
      data: { wizards: { nodes: [{ id: 'only-one', initialPower: '1', owner: { balance: '0x0' } }] } },
      errors: undefined,
    });
    service.script = () => ({ status: 500, body: `${token} ${email}` });
    const failed = await both.execute('{ wizard(id: "x") { power } }');
    service.script = undefined;
    expect(failed.errors![0]!.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', source: 'wizard' });
    assertNoSecret(JSON.stringify(failed), 'an answer');
    const metrics = await (await fetch(`${both.url}/metrics`)).text();
    expect(metrics).toMatch(/^grimoire_node_unmatched_responses_total 0$/m);
    await both.stop();
    expect(both.output()).not.toContain('WIZARDS_CHAIN_ID');
    assertNoSecret(both.output(), 'what the graph wrote');
  });

  test('WIZARDS_URL replaces the embedded wizard service, with a warning for another chain', async () => {
    const other = await serveGraph({ DEVNET_LIFE: 'off', ...named(), WIZARDS_CHAIN_ID: '5' });
    const { data } = await other.execute(IDS);
    expect(data.wizards.nodes).toEqual([{ id: 'only-one', owner: { balance: '0x0' } }]);
    await other.stop();
    const [warning] = other
      .output()
      .split('\n')
      .filter((line) => line.includes('WIZARDS_CHAIN_ID'))
      .map((line) => JSON.parse(line));
    expect(warning).toMatchObject({ level: 40, served: 31337, expected: 5 });
    assertNoSecret(other.output(), 'what the graph wrote');
  });
});
