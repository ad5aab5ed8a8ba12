import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { chain } from '../../../src/domains/chain/index.ts';
import { tokens } from '../../../src/domains/tokens/index.ts';
import { wizards } from '../../../src/domains/wizards/index.ts';
import { createOperationPricer } from '../../../src/graphql/cost/operation-cost.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { type EntityQuery, executeFederated, singleGraphQuery } from '../../support/graph/federated-query.ts';
import { addressOf, hashOf } from '../../support/graph/stubbed-graph.ts';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

const domains = [chain, tokens, wizards];

describe('estimated cost', () => {
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
    ['a page above the maximum size', '{ wizards(first: 1000000) { nodes { createdBlock { timestamp } } } }', {}, 536],
    ['duels of a page', '{ wizards(first: 10) { nodes { duels(first: 5) { nodes { id } } } } }', {}, 23],
    ['the duels below each wizard event', 'subscription { wizardUpdates { power duels(first: 5) { nodes { id } } } }', {}, 1],
    [
      'the blocks below each duel event',
      'subscription { duelUpdates { startBlock { timestamp } endBlock { timestamp } } }',
      {},
      3,
    ],
  ])('estimated cost of %s follows the weights', (_case, source, variables, cost) => {
    expect(costOf(source, variables)).toBe(cost);
  });
});

describe('router and single graph', () => {
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

  const ACCOUNT = { entity: 'Account', key: 'address _at' };
  const BLOCK = { entity: 'Block', key: 'number' };
  const WIZARD = { entity: 'Wizard', key: 'id' };
  type Name = 'chain' | 'wizards';

  const OWNER = `account(address: "${addressOf(0xa1)}") { $ }`;

  test.each<[string, Name, Name, Pick<EntityQuery, 'entity' | 'key'>, string, string]>([
    ['owners', 'wizards', 'chain', ACCOUNT, '{ wizards { nodes { id owner { $ } } } }', 'address balance transactionCount'],
    [
      'blocks of wizards',
      'wizards',
      'chain',
      BLOCK,
      '{ wizards { nodes { createdBlock { $ } eliminatedBlock { $ } } } }',
      'number hash timestamp',
    ],
    [
      'blocks of duels',
      'wizards',
      'chain',
      BLOCK,
      '{ duels { nodes { startBlock { $ } endBlock { $ } timeoutBlock { $ } } } }',
      'hash transactionCount',
    ],
    ['wizards of an account', 'chain', 'wizards', ACCOUNT, `{ ${OWNER} }`, 'wizards { totalCount nodes { id power } }'],
    [
      'wizards of an account at a block',
      'chain',
      'wizards',
      ACCOUNT,
      `{ block(number: 2) { ${OWNER} } }`,
      'wizards(filter: { status: ELIMINATED }) { nodes { id } }',
    ],
    [
      'duels of blocks',
      'chain',
      'wizards',
      BLOCK,
      '{ blocks(from: 1, to: 5) { $ } }',
      'number duelsStarted { nodes { id } } duelsEnded { totalCount }',
    ],
    [
      'wizards of duels',
      'wizards',
      'wizards',
      WIZARD,
      '{ duels { nodes { wizard1 { $ } winner { $ } } } }',
      'id power duels { totalCount }',
    ],
  ])('router returns the data of the single graph for %s', async (...[_case, from, to, entity, source, selection]) => {
    const query = { ...entity, query: source, selection };
    const single = await graph.execute(singleGraphQuery(query));
    const federated = await executeFederated(query, graph.subgraphs[from], graph.subgraphs[to]);
    expect(single.errors).toEqual([]);
    expect(federated.all.length).toBeGreaterThan(0);
    expect(federated).toMatchObject({ data: single.data, errors: [] });
  });

  test('reference to a wizard or duel costs no GET for its key and 1 GET for more fields', async () => {
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

  describe('wizard references that the service rejects', () => {
    const LIST = '/duels?wizardIds=';
    const source = 'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Wizard { duels { totalCount } } } }';
    const resolveDuels = (ids: readonly string[]) =>
      graph.subgraphs.wizards(source, undefined, { all: ids.map((id) => ({ __typename: 'Wizard', id })) });
    /** Makes the service respond with 400 to lists that name one of these ids. */
    const reject = (isRejected: (id: string) => boolean) => {
      graph.service.script = (path) => {
        const ids = path.startsWith(LIST) ? path.slice(LIST.length).split(',') : [];
        return ids.some(isRejected) ? { status: 400, body: { error: 'want numbers' } } : undefined;
      };
    };
    beforeEach(() => void graph.service.takePaths());
    afterEach(() => {
      graph.service.script = undefined;
    });

    test.each<[string, (id: string) => boolean]>([
      ['one standard id', (id) => id === '38'],
      ['one nonstandard id', (id) => id === 'rook'],
      ['all', () => true],
    ])('wizard references cost 1 more GET, of all duels, if the service rejects %s of 100 ids', async (_case, isRejected) => {
      reject(isRejected);
      const ids = Array.from({ length: 100 }, (_none, i) => (i === 37 && !isRejected('38') ? 'rook' : String(i + 1)));
      const { data, errors } = await resolveDuels(ids);
      const counts = data._entities.map((one: { duels?: { totalCount: number } }) => one.duels?.totalCount);
      expect([counts.length, counts.slice(0, 4), counts[37]]).toEqual([100, [2, 3, 1, 0], 0]);
      expect(errors).toEqual([]);
      expect(graph.service.takePaths()).toEqual([LIST + ids.join(','), '/duels']);
    });

    test('single wizard reference with a standard id fails with BAD_USER_INPUT after 1 GET if the service rejects it', async () => {
      reject((id) => id === '38');
      const { errors } = await resolveDuels(['38']);
      expect(errors).toEqual([expect.stringMatching(/^_entities\.0\.duels: BAD_USER_INPUT /)]);
      expect(graph.service.takePaths()).toEqual([`${LIST}38`]);
    });

    test('wizard references fail with BAD_USER_INPUT after 2 GETs if the service also rejects the duels', async () => {
      graph.service.script = (path) => (path.startsWith('/duels') ? { status: 400, body: {} } : undefined);
      const { errors } = await resolveDuels(['1', '2', '3']);
      expect(errors).toHaveLength(3);
      expect(errors).toEqual(errors.map(() => expect.stringMatching(/^_entities\.\d\.duels: BAD_USER_INPUT /)));
      expect(graph.service.takePaths()).toEqual([`${LIST}1,2,3`, '/duels']);
    });
  });

  test('page of 100 wizard references costs 1 GET of wizards and 1 GET of duels', async () => {
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
