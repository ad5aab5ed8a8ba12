import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { isEnumType, isInputObjectType, isObjectType, type OperationDefinitionNode, parse, printSchema } from 'graphql';
import { chain } from '../../../src/domains/chain/index.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { wizards } from '../../../src/domains/wizards/index.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { subgraphSchema, subgraphSdl } from '../../../src/graphql/federation/subgraph.ts';
import { createOperationPricer } from '../../../src/graphql/pipeline/cost/operation-cost.ts';
import { type EntityQuery, executeFederated, singleGraphQuery } from '../../support/graph/federated-query.ts';
import { addressOf, hashOf } from '../../support/graph/stubbed-graph.ts';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

const domains = [chain, tokens, wizards];

describe('the tournament beside the other domains', () => {
  const { errors, supergraphSdl, publicSdl } = composeServices(
    domains.map((domain) => ({ name: domain.name, url: `http://${domain.name}.example`, typeDefs: parse(subgraphSdl(domain)) })),
  ) as { errors?: undefined; supergraphSdl: string; publicSdl?: string };

  test('composes as a subgraph, with one key for each entity', () => {
    expect(errors ?? []).toEqual([]);
    for (const [type, key] of Object.entries({ Account: 'address _at', Block: 'number', Wizard: 'id', Duel: 'id' })) {
      const header = new RegExp(`type ${type}\\s[^{]*`).exec(supergraphSdl!)![0];
      expect([type, header]).toEqual([type, expect.stringMatching(new RegExp(`graph: WIZARDS, key: "${key}"`))]);
    }
  });

  test('shows behind a router what the one graph shows', () => {
    const fieldsIn = (sdl: string) =>
      parse(sdl)
        .definitions.flatMap((type) =>
          'fields' in type && 'name' in type && type.name
            ? (type.fields ?? []).map((field) => `${type.name!.value}.${field.name.value}`)
            : [],
        )
        .sort();
    expect(fieldsIn(publicSdl!)).toEqual(fieldsIn(printSchema(composeSchema(domains))));
  });

  test('has every entity that its SDL mentions', () => {
    const schema = subgraphSchema(wizards);
    const names = schema.getPossibleTypes(schema.getType('_Entity') as never).map(({ name }) => name);
    expect(names.sort()).toEqual(['Account', 'Block', 'Duel', 'Wizard']);
  });

  test('has a description for everything', () => {
    const silent = Object.values(composeSchema(domains).getTypeMap()).flatMap((type): string[] => {
      if (type.name.startsWith('__') || /^(Query|Mutation|Subscription|Int|Float|String|Boolean|ID)$/.test(type.name)) return [];
      const parts = isEnumType(type)
        ? type.getValues()
        : isObjectType(type)
          ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args])
          : isInputObjectType(type)
            ? Object.values(type.getFields())
            : [];
      return [type, ...parts].filter(({ description }) => !description?.trim()).map(({ name }) => `${type.name}.${name}`);
    });
    expect(silent).toEqual([]);
  });

  test('is not in the graph without it', () => {
    expect(printSchema(composeSchema([chain, tokens]))).not.toMatch(/wizard|duel/i);
  });
});

describe('the cost of an operation', () => {
  const schema = composeSchema(domains);
  const costOf = (source: string, variables = {}): number => {
    const document = parse(source);
    const pricer = createOperationPricer(
      { MAX_COST: 0, MAX_BLOCKS: 100 },
      Object.assign({}, ...domains.map(({ weights }) => weights)),
    );
    return pricer.estimate({ schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables });
  };

  test.each<[string, string, object, number]>([
    ['one wizard', '{ wizard(id: 1) { id power } }', {}, 2],
    ['a page of wizards', '{ wizards { nodes { id power } } }', {}, 22],
    ["a small page with the owners' balances", '{ wizards(first: 10) { nodes { owner { balance } } } }', {}, 31],
    [
      'a page as long as a variable says',
      'query ($n: Int) { wizards(first: $n) { nodes { createdBlock { timestamp } } } }',
      { n: 500 },
      540,
    ],
    ['a page that is too long by far', '{ wizards(first: 1000000) { nodes { createdBlock { timestamp } } } }', {}, 540],
    ['duels of a page', '{ wizards(first: 10) { nodes { duels(first: 5) { nodes { id } } } } }', {}, 23],
    [
      'the duels that each event of a wizard leads to',
      'subscription { wizardUpdates { power duels(first: 5) { nodes { id } } } }',
      {},
      1,
    ],
    [
      'the blocks that each event of a duel leads to',
      'subscription { duelUpdates { startBlock { timestamp } endBlock { timestamp } } }',
      {},
      3,
    ],
  ])('of %s is estimated', (_what, source, variables, cost) => {
    expect(costOf(source, variables)).toBe(cost);
  });
});

describe('the one graph and a router give the same answer to', () => {
  let graph: TournamentGraph;

  beforeAll(async () => {
    graph = await startTournamentGraph();
    graph.service.wizards = [
      wizardFixture(1),
      wizardFixture(2),
      wizardFixture(3, { owner: addressOf(0xa1), eliminatedBlockNumber: 7 }),
    ];
    graph.service.duels = [
      duelFixture(1),
      duelFixture(2, { wizard1Id: '3', startBlock: 4, endBlock: 5, timeoutBlock: 4 }),
      duelFixture(3, { timeoutBlock: 10 ** 6 }),
    ];
  });

  beforeEach(() => graph.mine(1));

  afterAll(() => graph.stop());

  const ACCOUNT = { entity: 'Account', key: 'address _at' };
  const BLOCK = { entity: 'Block', key: 'number' };
  const WIZARD = { entity: 'Wizard', key: 'id' };
  type Name = 'chain' | 'wizards';

  test.each<[string, Name, Name, EntityQuery]>([
    [
      'owners',
      'wizards',
      'chain',
      { ...ACCOUNT, query: '{ wizards { nodes { id owner { $ } } } }', selection: 'address balance transactionCount' },
    ],
    [
      'blocks of wizards',
      'wizards',
      'chain',
      {
        ...BLOCK,
        query: '{ wizards { nodes { createdBlock { $ } eliminatedBlock { $ } } } }',
        selection: 'number hash timestamp',
      },
    ],
    [
      'blocks of duels',
      'wizards',
      'chain',
      {
        ...BLOCK,
        query: '{ duels { nodes { startBlock { $ } endBlock { $ } timeoutBlock { $ } } } }',
        selection: 'hash transactionCount',
      },
    ],
    [
      'wizards of an account',
      'chain',
      'wizards',
      {
        ...ACCOUNT,
        query: `{ account(address: "${addressOf(0xa1)}") { $ } }`,
        selection: 'wizards { totalCount nodes { id power } }',
      },
    ],
    [
      'wizards of an account at a block',
      'chain',
      'wizards',
      {
        ...ACCOUNT,
        query: `{ block(number: 2) { account(address: "${addressOf(0xa1)}") { $ } } }`,
        selection: 'wizards(filter: { status: ELIMINATED }) { nodes { id } }',
      },
    ],
    [
      'duels of blocks',
      'chain',
      'wizards',
      {
        ...BLOCK,
        query: '{ blocks(from: 1, to: 5) { $ } }',
        selection: 'number duelsStarted { nodes { id } } duelsEnded { totalCount }',
      },
    ],
    [
      'wizards of duels',
      'wizards',
      'wizards',
      { ...WIZARD, query: '{ duels { nodes { wizard1 { $ } winner { $ } } } }', selection: 'id power duels { totalCount }' },
    ],
  ])('%s', async (_what, from, to, crossing) => {
    const one = await graph.execute(singleGraphQuery(crossing));
    const other = await executeFederated(crossing, graph.subgraphs[from], graph.subgraphs[to]);
    expect(one.errors).toEqual([]);
    expect(other.all.length).toBeGreaterThan(0);
    expect(other).toMatchObject({ data: one.data, errors: [] });
  });

  test('a wizard or a duel by its key alone, for which nothing is asked, and by more, one GET each', async () => {
    graph.service.takePaths();
    const all = [
      { __typename: 'Wizard', id: '1' },
      { __typename: 'Duel', id: hashOf(0xd1) },
    ];
    const source = (wizard: string, duel: string) =>
      `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Wizard { ${wizard} } ... on Duel { ${duel} } } }`;
    const keys = await graph.subgraphs.wizards(source('id', 'id'), undefined, { all });
    expect([keys, graph.service.takePaths()]).toEqual([
      { data: { _entities: [{ id: '1' }, { id: hashOf(0xd1) }] }, errors: [] },
      [],
    ]);
    const more = await graph.subgraphs.wizards(source('power', 'timedOut'), undefined, { all });
    expect(more.data._entities).toEqual([{ power: '100000000000000000001' }, { timedOut: false }]);
    expect(graph.service.takePaths().sort()).toEqual([`/duels/${hashOf(0xd1)}`, '/wizards/1']);
  });

  describe('entities with ids that the service refuses:', () => {
    const LIST = '/duels?wizardIds=';
    const source = 'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Wizard { duels { totalCount } } } }';
    const ask = (ids: readonly string[]) =>
      graph.subgraphs.wizards(source, undefined, { all: ids.map((id) => ({ __typename: 'Wizard', id })) });
    /** The service as it is when it reads numbers alone. */
    const refuse = (isBad: (id: string) => boolean) => {
      graph.service.script = (path) => {
        const ids = path.startsWith(LIST) ? path.slice(LIST.length).split(',') : [];
        return ids.some(isBad) ? { status: 400, body: { error: 'want numbers' } } : undefined;
      };
    };
    beforeEach(() => void graph.service.takePaths());
    afterEach(() => {
      graph.service.script = undefined;
    });

    test('one of another form is unknown and costs the others nothing', async () => {
      refuse((id) => id === 'rook');
      const ids = Array.from({ length: 100 }, (_none, i) => (i === 37 ? 'rook' : String(i + 1)));
      const { data, errors } = await ask(ids);
      const told = data._entities.map((one: any) => one.duels?.totalCount);
      expect([told.length, told.slice(0, 4), told[37]]).toEqual([100, [2, 3, 1, 0], 0]);
      expect(errors).toEqual([]);
      expect(graph.service.takePaths()).toHaveLength(3);
    });

    test('one of the usual form costs its own duels alone', async () => {
      refuse((id) => id === '38');
      const { data, errors } = await ask(Array.from({ length: 100 }, (_none, i) => String(i + 1)));
      const told = data._entities.map((one: any) => one.duels?.totalCount);
      expect(told.flatMap((count: unknown, i: number) => (count === undefined ? [i] : []))).toEqual([37]);
      expect(errors).toEqual([expect.stringMatching(/^_entities\.37\.duels: BAD_USER_INPUT /)]);
      expect(graph.service.takePaths().length).toBeLessThanOrEqual(15);
    });

    test('all of them cost no more GETs than some', async () => {
      refuse(() => true);
      const { errors } = await ask(Array.from({ length: 100 }, (_none, i) => String(i + 1)));
      expect(errors).toHaveLength(100);
      expect(graph.service.takePaths()).toHaveLength(33);
    });
  });

  test('a page of entities is one GET of wizards, whatever a router asks of them', async () => {
    graph.service.wizards = Array.from({ length: 100 }, (_none, i) => wizardFixture(i + 1));
    graph.service.takePaths();
    const all = graph.service.wizards.map(({ id }) => ({ __typename: 'Wizard', id }));
    const source = 'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Wizard { power activeDuel { id } } } }';
    const { data, errors } = await graph.subgraphs.wizards(source, undefined, { all });
    expect([data._entities.length, errors]).toEqual([100, []]);
    const paths = graph.service.takePaths().map((path) => path.replace(/=[\d,]+/, '=…'));
    expect(paths.sort()).toEqual(['/duels?wizardIds=…&excludeFinished=true', '/wizards']);
  });
});
