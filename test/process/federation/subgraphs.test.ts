import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { postJson } from '../../support/clients/post-json.ts';
import { type DevnetSetup, sharedDevnet, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { bodyOf, dataOf } from '../../support/graph/results.ts';
import { executeOverHttp, type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import { addressOf } from '../../support/upstream/rpc-fixtures.ts';
import {
  duelFixture,
  type ScriptedWizardService,
  startScriptedWizardService,
  wizardFixture,
} from '../../support/upstream/scripted-wizard-service.ts';

/** Subgraphs of single domains, as `serve --domain` starts them, and their upstream requests. */
const COUNT = 100;

const entities = (selection: string) => `query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} } }`;
describe('the chain subgraph', () => {
  let setup: DevnetSetup;

  beforeAll(async () => {
    setup = await startSharedDevnetSetup({ DOMAIN: 'chain', INTROSPECTION: 'off' });
  });
  beforeEach(() => {
    setup.proxy.takeCounts();
  });

  test('references above MAX_COST are rejected before a call is sent', async () => {
    // Node accepts request bodies of 256 KiB: 3,000 references of two calls each.
    const all = Array.from({ length: 3_000 }, (_none, i) => ({ __typename: 'Account', address: addressOf(i + 1) }));
    const { data, errors } = await setup.graph.execute(entities('... on Account { balance code }'), { all });
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', setting: 'MAX_COST' } }]);
    expect(setup.proxy.takeCounts().http).toBe(0);
  });

  test('a repeated request for entities returns the cached response; other representations get their own', async () => {
    const blocks = (...numbers: string[]) => ({ all: numbers.map((number) => ({ __typename: 'Block', number })) });
    const query = entities('... on Block { number transactions { hash } }');
    const first = await setup.graph.execute(query, blocks('0x14'));
    const again = await setup.graph.execute(query, blocks('0x14'));
    const other = await setup.graph.execute(query, blocks('0x13'));
    expect(first.data._entities[0]).toMatchObject({ number: '0x14', transactions: { length: 240 } });
    expect(again.data).toEqual(first.data);
    expect(other.data._entities[0].number).toBe('0x13');
  });

  test('x-graph-block pins the state of references without a block', async () => {
    const { address } = setup.devnet.description.accounts[0]!;
    const read = async (block: string | undefined) => {
      const response = await postJson(
        `${setup.graph.url}/graphql`,
        {
          query: entities('... on Account { transactionCount }'),
          variables: { all: [{ __typename: 'Account', address, _at: null }] },
        },
        { ...(block && { 'x-graph-block': block }) },
      );
      const { data, extensions } = await bodyOf(response);
      return [data._entities[0].transactionCount, extensions.block.number];
    };
    const [now] = await read(undefined);
    expect(await read('0x0')).toEqual(['0x0', '0x0']);
    expect(now).not.toBe('0x0');
  });

  test('_service is readable while INTROSPECTION=off rejects introspection', async () => {
    const service = await setup.graph.execute('{ _service { sdl } }');
    expect(service.data._service.sdl).toContain('type Account @key(fields: "address _at")');
    const { errors } = await setup.graph.execute('{ __schema { types { name } } }');
    expect(errors).toMatchObject([{ message: expect.stringContaining('INTROSPECTION') }]);
  });
});

describe('the wizards subgraph', () => {
  let service: ScriptedWizardService;
  let graph: RunningGraph;

  beforeAll(async () => {
    service = await startScriptedWizardService();
    service.wizards = Array.from({ length: COUNT }, (_none, i) => wizardFixture(i + 1, { createdBlockNumber: 7 }));
    service.duels = [duelFixture(1)];
    const { nodeService } = sharedDevnet();
    graph = await startGraph({
      DOMAIN: 'wizards',
      RPC_URL: nodeService.http,
      RPC_WS_URL: nodeService.ws,
      ...service.settings,
    });
  });

  test('entities of other domains have only their keys and the fields of this domain', async () => {
    const data = await dataOf(
      graph.execute(
        '{ wizard(id: 2) { owner { __typename address _at wizards { nodes { id } } } createdBlock { number duelsStarted { totalCount } } } }',
      ),
    );
    const owner = { __typename: 'Account', address: wizardFixture(2).owner, _at: null, wizards: { nodes: [{ id: '2' }] } };
    expect(data.wizard).toEqual({ owner, createdBlock: { number: '0x7', duelsStarted: { totalCount: 0 } } });
    const unknown = await executeOverHttp(graph.url, '{ wizard(id: 2) { owner { balance } } }');
    expect(unknown.errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  test('the ready message of a subgraph names its domains', () => {
    expect(graph.output()).toMatch(/\n {2}subgraph {4}wizards\n/);
    expect(graph.output()).not.toContain('\n  accounts');
    expect(graph.output()).toContain('{ _service { sdl } }');
  });
});

test('the whole graph with FEDERATED=on has the data of the one graph, and its entities', async () => {
  const DEVNET_URL = sharedDevnet().nodeService.origin;
  const [single, federated] = await Promise.all([serveGraph({ DEVNET_URL }), serveGraph({ DEVNET_URL, FEDERATED: 'on' })]);
  const query = `{
    wizards(first: 3) { nodes { id owner { address balance tokenBalance(contract: "${sharedDevnet().contracts[0]!.address}") { tokenBalance } }
      createdBlock { timestamp duelsStarted { totalCount } } duels { nodes { id startBlock { hash } } } } }
    block(number: 3) { miner { address balance wizards { totalCount } } transactions { from { token { symbol } } } }
  }`;
  const [expected, actual] = [await single.execute(query), await federated.execute(query)];
  expect(expected.errors).toBeUndefined();
  expect(actual.data).toEqual(expected.data);
  const all = [
    { __typename: 'Wizard', id: expected.data.wizards.nodes[0].id },
    { __typename: 'Account', address: expected.data.wizards.nodes[0].owner.address },
  ];
  const references = entities('... on Wizard { owner { balance } } ... on Account { balance wizards { nodes { id } } }');
  const { data, errors } = await federated.execute(references, { all });
  expect(errors).toBeUndefined();
  expect(data._entities[0].owner.balance).toBe(data._entities[1].balance);
  expect(
    (await federated.execute('{ account(address: "0x0000000000000000000000000000000000000001") { _at } }')).errors,
  ).toBeUndefined();
  for (const field of ['_service { sdl }', '_entities(representations: []) { __typename }']) {
    expect((await single.execute(`{ ${field} }`)).errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  }
  await Promise.all([single.stop(), federated.stop()]);
});
