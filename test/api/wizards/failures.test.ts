import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { field } from '../../support/graph/results.ts';
import { hashOf } from '../../support/graph/stubbed-graph.ts';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { WIZARD_CREDENTIALS } from '../../support/secrets.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

let graph: TournamentGraph;
const execute: TournamentGraph['execute'] = (...args) => graph.execute(...args);

beforeAll(async () => {
  graph = await startTournamentGraph();
});

beforeEach(async () => {
  await graph.mine(1);
  graph.service.script = undefined;
  graph.service.wizards = [wizardFixture(1), wizardFixture(2), wizardFixture(3)];
  graph.service.duels = [duelFixture(1), duelFixture(2, { ...DUEL_IN_PROGRESS, wizard1Id: '2', wizard2Id: '3' })];
  // Closes the circuit breaker if an earlier test opened it.
  for (let errors = ['']; errors.length > 0; ) errors = (await execute('{ wizard(id: 1) { power } }')).errors;
  graph.service.takePaths();
  graph.node.takeCounts();
  await graph.mine(1);
});

describe('wizard service failures', () => {
  test.each<[string, { status?: number; body: unknown }, string]>([
    [
      'an internal error',
      { status: 500, body: WIZARD_CREDENTIALS },
      'UPSTREAM_UNAVAILABLE The wizard service responded with HTTP status 500.',
    ],
    [
      'rejected credentials',
      { status: 401, body: WIZARD_CREDENTIALS },
      'UPSTREAM_AUTH The wizard service does not accept the credentials of this server.',
    ],
    ['a missing list', { status: 404, body: {} }, 'UPSTREAM_BAD_RESPONSE The wizard service sent no list of wizards.'],
    ['another list', { body: { duels: [] } }, 'UPSTREAM_BAD_RESPONSE The wizard service sent no list of wizards.'],
  ])('wizard list fails alone for %s', async (_case, response, error) => {
    graph.service.script = () => response;
    const { data, errors } = await execute('{ block { number } wizards { nodes { id } } }');
    expect(data).toEqual({ block: { number: expect.stringMatching(/^0x/) }, wizards: null });
    expect(errors).toEqual([`wizards: ${error}`]);
  });

  test('fields of every entry point fail alone if the service closes the connection', async () => {
    const { data: reference } = await execute('{ block(number: 1) { hash } }');
    graph.service.script = (_path, response) => {
      response.destroy();
      return 'handled';
    };
    const { data, errors } = await execute(
      '{ block(number: 1) { hash duelsStarted { totalCount } duelsEnded { totalCount } miner { address wizards { totalCount } } } wizard(id: 1) { id } duel(id: 1) { id } duels { totalCount } }',
    );
    const { address } = data.block.miner;
    expect(data).toEqual({
      block: { hash: reference.block.hash, duelsStarted: null, duelsEnded: null, miner: { address, wizards: null } },
      wizard: null,
      duel: null,
      duels: null,
    });
    expect(errors).toHaveLength(6);
    expect(errors.every((error) => /: UPSTREAM_(UNAVAILABLE|CIRCUIT_OPEN) The wizard service /.test(error))).toBe(true);
  });

  test('wizards are returned if the service fails only for duels', async () => {
    graph.service.script = (path) => (path.startsWith('/duels') ? { status: 422, body: {} } : undefined);
    const { data, errors } = await execute(
      '{ wizards(first: 1) { nodes { id duels { totalCount } activeDuel { id } record { won } } } }',
    );
    expect(data.wizards.nodes).toEqual([{ id: '1', duels: null, activeDuel: null, record: null }]);
    expect(errors.map((error) => error.split(': ')[0])).toEqual([
      'wizards.nodes.0.duels',
      'wizards.nodes.0.activeDuel',
      'wizards.nodes.0.record',
    ]);
  });

  test('wizards are returned without owner and block if the node fails', async () => {
    graph.node.intercept = () => ({ error: { code: -32000, message: 'no' } });
    const { data, errors } = await execute(
      '{ wizards(first: 1) { nodes { id owner { address balance } createdBlock { transactionCount } } } }',
    );
    graph.node.intercept = undefined;
    expect(data.wizards.nodes).toEqual([{ id: '1', owner: null, createdBlock: null }]);
    expect(errors.every((error) => /UPSTREAM_ERROR The node/.test(error))).toBe(true);
  });

  test('wizard fails with UPSTREAM_BAD_RESPONSE if the service sends another id', async () => {
    graph.service.script = () => ({ body: wizardFixture(2) });
    expect(await execute('{ wizard(id: 1) { power } }')).toEqual({
      data: { wizard: null },
      errors: ['wizard: UPSTREAM_BAD_RESPONSE The wizard service sent a wizard with another id than the requested one.'],
    });
  });
});

describe('invalid entries', () => {
  const POWER = 'UPSTREAM_BAD_RESPONSE The wizard service sent a wizard with missing or invalid fields: power.';

  test('invalid wizards keep their position across pages', async () => {
    graph.service.wizards.push(null, { id: 9 });
    let after: string | null = null;
    const seen: unknown[] = [];
    const fields: string[] = [];
    for (let i = 0; i < 5; i++) {
      const source =
        'query ($after: String) { wizards(first: 1, after: $after, orderBy: ID_DESC) { nodes { id } pageInfo { endCursor } } }';
      const { data, errors }: Awaited<ReturnType<typeof execute<typeof source>>> = await execute(source, { after });
      seen.push(...data.wizards.nodes);
      fields.push(...errors.map((error) => /fields: (\w+),/.exec(error)![1]!));
      after = data.wizards.pageInfo.endCursor;
    }
    expect(seen).toEqual([{ id: '3' }, { id: '2' }, { id: '1' }, null, null]);
    expect(fields).toEqual(['id', 'ownerAddress']);
  });

  test('invalid wizard whose readable fields do not match a filter is left out', async () => {
    Object.assign(graph.service.wizards[0], { power: 'strong' });
    const found = await execute('{ wizards(filter: { affinity: WATER }) { nodes { id } } }');
    expect(found).toEqual({ data: { wizards: { nodes: [{ id: '2' }] } }, errors: [] });
  });

  test('invalid wizard requested by id is null with the error', async () => {
    graph.service.wizards[0].power = 1e30;
    expect(await execute('{ wizard(id: 1) { id } duels { nodes { wizard1 { power } } } }')).toEqual({
      data: { wizard: null, duels: { nodes: [{ wizard1: null }, { wizard1: { power: expect.any(String) } }] } },
      errors: [`wizard: ${POWER}`, `duels.nodes.0.wizard1: ${POWER}`],
    });
  });

  test('valid wizard of a list that also has an invalid one with its id is returned', async () => {
    graph.service.wizards.push({ id: '1' });
    const fields = Array.from({ length: 9 }, (_none, i) => `w${i}: wizard(id: ${i + 1}) { id }`);
    const { data, errors } = await execute(`{ ${fields.join(' ')} }`);
    expect([field('w0')(data), errors]).toEqual([{ id: '1' }, []]);
  });

  test('invalid duel fails only the record of its two wizards', async () => {
    graph.service.duels[0].moveSet1 = 'rock';
    const { data, errors } = await execute('{ wizards { nodes { record { duels } activeDuel { id } duels { nodes { id } } } } }');
    expect(data.wizards.nodes).toEqual([
      { record: null, activeDuel: null, duels: { nodes: [null] } },
      { record: null, activeDuel: { id: hashOf(0xd2) }, duels: { nodes: [{ id: hashOf(0xd2) }, null] } },
      { record: { duels: 1 }, activeDuel: { id: hashOf(0xd2) }, duels: { nodes: [{ id: hashOf(0xd2) }] } },
    ]);
    expect(errors.map((error) => error.split(': ')[0]).sort()).toEqual([
      'wizards.nodes.0.duels.nodes.0',
      'wizards.nodes.0.record',
      'wizards.nodes.1.duels.nodes.1',
      'wizards.nodes.1.record',
    ]);
  });
});

test('duel without a participant id appears as an error for every wizard', async () => {
  graph.service.duels[0].wizard1Id = null;
  graph.service.script = (path) => (path.startsWith('/duels') ? { body: graph.service.duels } : undefined);
  const { data } = await execute('{ wizards { nodes { duels { nodes { id } } } } }');
  const active = { id: hashOf(0xd2) };
  expect(data.wizards.nodes.map((one) => one.duels.nodes)).toEqual([[null], [active, null], [active, null]]);
});

test('duel without a participant id does not appear among the duels of an impossible id, beside other filters', async () => {
  graph.service.duels[0].wizard1Id = null;
  const others = [1, 2, 3, 4].map((n) => `a${n}: duels(filter: { startBlockFrom: ${n} }) { totalCount }`);
  const { data } = await execute(`{ duels(filter: { wizardIds: ["1,2"] }) { totalCount } ${others.join(' ')} }`);
  expect(field('duels')(data)).toEqual({ totalCount: 0 });
});

test('more than 1,000 duels without a participant id fail the duels of each wizard', async () => {
  graph.service.script = (path) => (path.startsWith('/duels') ? { body: Array(1_001).fill({}) } : undefined);
  const { data, errors } = await execute('{ wizards(first: 2) { nodes { duels { totalCount } } } }');
  expect(data.wizards.nodes).toEqual([{ duels: null }, { duels: null }]);
  expect(errors).toEqual([0, 1].map((i) => expect.stringContaining(`wizards.nodes.${i}.duels: UPSTREAM_BAD_RESPONSE`)));
});

test('wizards and duels of the legacy service format with bare lists are decoded', async () => {
  const wizards = graph.service.wizards.map(({ initialPower, ...wizard }) => ({ ...wizard, startingPower: initialPower }));
  const duels = [{ duelId: hashOf(0xd1), wiz1Id: '1', wiz2Id: '2', power1: 5, power2: '6', startBlock: 1, endBlock: 3 }];
  graph.service.script = (path) => ({ body: path.startsWith('/wizards') ? wizards : duels });
  const { data, errors } = await execute(
    '{ wizards(first: 1) { nodes { initialPower duels { nodes { id affinity1 startPower1 startPower2 endPower1 timedOut timeoutBlock { number } status winner { id } rounds { index } } } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.wizards.nodes).toEqual([
    {
      initialPower: '100000000000000000000',
      duels: {
        nodes: [
          {
            id: hashOf(0xd1),
            affinity1: 'UNKNOWN',
            startPower1: '5',
            startPower2: '6',
            endPower1: null,
            timedOut: null,
            timeoutBlock: null,
            status: 'FINISHED',
            winner: null,
            rounds: [],
          },
        ],
      },
    },
  ]);
});

describe('an invalid duel', () => {
  const ids = Array.from({ length: 500 }, (_none, i) => String(10_001 + i));

  test.each([
    ['whose wizards are in two requests', undefined],
    ['of the list of all duels, after two rejected requests', { status: 422, body: {} }],
  ])('%s is one entry and one error', async (_case, rejection) => {
    graph.service.duels = [duelFixture(1, { wizard1Id: ids[0]!, wizard2Id: ids[499]!, startBlock: 'x' })];
    graph.service.script = (path) => (path.includes('wizardIds') ? rejection : undefined);
    const { data, errors } = await execute(
      'query ($ids: [ID!]) { duels(filter: { wizardIds: $ids }) { totalCount nodes { id } } }',
      { ids },
    );
    expect(graph.service.takePaths().length).toBeGreaterThan(1);
    expect([data.duels, errors]).toEqual([{ totalCount: 1, nodes: [null] }, [expect.anything()]]);
  });
});
