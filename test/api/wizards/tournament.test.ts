import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { type DataOf, field } from '../../support/graph/results.ts';
import { addressOf, hashOf } from '../../support/graph/stubbed-graph.ts';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

let graph: TournamentGraph;
const execute: TournamentGraph['execute'] = (...args) => graph.execute(...args);

/** Executes a query without errors. */
async function read<const Text extends string>(source: Text, variables?: Record<string, unknown>): Promise<DataOf<Text>> {
  const { data, errors } = await execute(source, variables);
  expect(errors).toEqual([]);
  return data;
}

beforeAll(async () => {
  graph = await startTournamentGraph();
});

beforeEach(async () => {
  // A new head clears the cache of earlier tests.
  await graph.mine(1);
  graph.service.script = undefined;
  graph.service.wizards = Array.from({ length: 12 }, (_none, i) => wizardFixture(i + 1));
  graph.service.duels = [
    duelFixture(1),
    duelFixture(2, { wizard1Id: '2', wizard2Id: '3', startBlock: 5, endBlock: 9, timedOut: true }),
    duelFixture(3, { ...DUEL_IN_PROGRESS, wizard1Id: '3', wizard2Id: '1', startBlock: 9, timeoutBlock: 5000 }),
    duelFixture(4, { wizard1Id: '1', wizard2Id: '12', startBlock: 2, endBlock: 9, timeoutBlock: 10 }),
  ];
  graph.service.takePaths();
  graph.node.takeCounts();
});

/** The requested paths, sorted: concurrent requests arrive in any order. */
const takePathsSorted = () => graph.service.takePaths().sort();

const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id);

describe('request counts', () => {
  test('page of wizards with balances, blocks and duels costs 2 GETs and 1 POST', async () => {
    const data = await read(
      '{ wizards(first: 3) { totalCount nodes { id power owner { balance } createdBlock { timestamp } duels { nodes { id status } } } } }',
    );
    expect(data.wizards.totalCount).toBe(12);
    expect(data.wizards.nodes[0]).toEqual({
      id: '1',
      power: '100000000000000000001',
      owner: { balance: '0x0' },
      createdBlock: { timestamp: expect.stringMatching(/^0x/) },
      duels: {
        nodes: [
          { id: hashOf(0xd1), status: 'FINISHED' },
          { id: hashOf(0xd4), status: 'FINISHED' },
          { id: hashOf(0xd3), status: 'IN_PROGRESS' },
        ],
      },
    });
    expect(graph.service.takePaths()).toEqual(['/wizards', '/duels?wizardIds=1,2,3']);
    expect(graph.node.takeCounts().http).toBe(1);
  });

  test('a filter of duels of a wizard selects its opponents, also if it lists the wizard itself', async () => {
    const filter = 'filter: { wizardIds: [1, 12] }';
    const { wizard } = await read(`{ wizard(id: 1) { duels(${filter}) { nodes { id } } record(${filter}) { duels } } }`);
    expect(wizard).toEqual({ duels: { nodes: [{ id: hashOf(0xd4) }] }, record: { duels: 1 } });
  });

  test('all duel fields of a page of wizards cost 1 GET in addition to the page', async () => {
    const data = await read(
      '{ wizards(first: 2) { nodes { duels { totalCount } activeDuel { id wizard2 { id } } record { duels won lost drawn timedOut } open: duels(filter: { excludeFinished: true }) { totalCount } } } }',
    );
    expect(data.wizards.nodes).toEqual([
      {
        duels: { totalCount: 3 },
        activeDuel: { id: hashOf(0xd3), wizard2: { id: '1' } },
        record: { duels: 3, won: 2, lost: 0, drawn: 0, timedOut: 0 },
        open: { totalCount: 1 },
      },
      {
        duels: { totalCount: 2 },
        activeDuel: null,
        record: { duels: 2, won: 1, lost: 1, drawn: 0, timedOut: 1 },
        open: { totalCount: 0 },
      },
    ]);
    expect(graph.service.takePaths()).toEqual(['/wizards', '/duels?wizardIds=1,2']);
  });

  test('wizards by id cost 1 GET each up to 8, and 1 GET of the list above', async () => {
    const several = (count: number) =>
      `{ ${Array.from({ length: count }, (_none, i) => `w${i}: wizard(id: ${i + 1}) { id power }`).join(' ')} }`;
    await execute(several(8));
    expect(takePathsSorted()).toEqual(Array.from({ length: 8 }, (_none, i) => `/wizards/${i + 1}`));
    const { data, errors } = await execute(several(9));
    expect([Object.values<{ id: string }>(data).map(({ id }) => Number(id)), errors]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], []]);
    expect(graph.service.takePaths()).toEqual(['/wizards']);
  });

  test('wizards by id that are missing in the list cost 1 GET each in addition to the list', async () => {
    const fields = Array.from({ length: 9 }, (_none, i) => `w${i}: wizard(id: ${i + 10}) { id }`);
    const { data, errors } = await execute(`{ ${fields.join(' ')} }`);
    expect([Object.values<{ id: string } | null>(data).map((wizard) => wizard?.id ?? null), errors]).toEqual([
      ['10', '11', '12', null, null, null, null, null, null],
      [],
    ]);
    expect(takePathsSorted()).toEqual(['/wizards', ...[13, 14, 15, 16, 17, 18].map((n) => `/wizards/${n}`)]);
  });

  test('wizards of duels cost no GET if a list of the operation has them', async () => {
    const { data } = await execute(
      '{ wizards { totalCount } duels { nodes { wizard1 { id } winner { id duels { totalCount } } } } }',
    );
    expect(data.duels.nodes[0]!.winner).toEqual({ id: '1', duels: { totalCount: 3 } });
    expect(takePathsSorted()).toEqual(['/duels', '/wizards']);
  });

  test('wizards and duels cost no GET if the complete lists are cached for the head', async () => {
    await execute('{ wizards { totalCount } duels { totalCount } }');
    graph.service.takePaths();
    const data = await read(
      `{ wizard(id: 12) { power duels { nodes { id } } } duel(id: "${hashOf(0xd2)}") { endBlockNumber } duels(filter: { wizardIds: [2], startBlockFrom: 2 }) { nodes { id } } wizards(filter: { owner: "${addressOf(0xa3)}" }) { nodes { id } } }`,
    );
    expect(data).toEqual({
      wizard: { power: '100000000000000000012', duels: { nodes: [{ id: hashOf(0xd4) }] } },
      duel: { endBlockNumber: '0x9' },
      duels: { nodes: [{ id: hashOf(0xd2) }] },
      wizards: { nodes: [{ id: '3' }] },
    });
    expect([graph.service.takePaths(), graph.lastOperation().dependencies.isVolatile]).toEqual([[], true]);
  });

  test('wizards and duels cost a GET if the cached list lacks them or has an invalid entry', async () => {
    graph.service.duels[3].wizard1Id = null;
    await execute('{ wizards { totalCount } duels { totalCount } }');
    graph.service.takePaths();
    expect((await execute('{ wizard(id: 99) { id } }')).data.wizard).toBeNull();
    expect((await execute('{ wizard(id: 2) { duels { totalCount } } }')).data.wizard.duels.totalCount).toBe(2);
    expect((await execute(`{ duel(id: "${hashOf(0xd2)}") { status } }`)).errors).toEqual([]);
    expect(graph.service.takePaths()).toEqual(['/wizards/99', '/duels?wizardIds=2', `/duels/${hashOf(0xd2)}`]);
  });

  test('owner addresses, block numbers and ids of wizards cost no POST', async () => {
    await execute(
      '{ wizards { nodes { owner { address } createdBlock { number } } } duels { nodes { startBlock { number } wizard1 { id } } } }',
    );
    expect([takePathsSorted(), graph.node.takeCounts().http]).toEqual([['/duels', '/wizards'], 0]);
  });

  test('wizards of accounts cost 1 GET each up to 8 accounts, and 1 GET of the list above', async () => {
    const accounts = (count: number) =>
      `{ ${Array.from({ length: count }, (_none, i) => `a${i}: account(address: "${addressOf(0xa1 + i)}") { wizards { nodes { id } } }`).join(' ')} }`;
    await execute(accounts(2));
    expect(takePathsSorted()).toEqual([1, 2].map((n) => `/wizards?owner=${addressOf(0xa0 + n)}`));
    const { data } = await execute(accounts(10));
    expect(Object.values<{ wizards: { nodes: { id: string }[] } }>(data).map(({ wizards }) => ids(wizards.nodes))).toEqual(
      Array.from({ length: 10 }, (_none, i) => [String(i + 1)]),
    );
    expect(graph.service.takePaths()).toEqual(['/wizards']);
  });

  test('duels of scattered blocks cost 1 GET per range of consecutive heights up to 8, and 1 GET of the whole range above', async () => {
    const duelsAt = async (heights: readonly number[]) => {
      graph.service.duels = heights.map((startBlock, i) => duelFixture(i + 1, { startBlock }));
      await graph.mine(1);
      const data = await read(
        '{ duels(filter: { startBlockFrom: 1 }) { nodes { id startBlock { duelsStarted { nodes { id } } } } } }',
      );
      expect(data.duels.nodes).toHaveLength(heights.length);
      for (const { id, startBlock } of data.duels.nodes) expect(startBlock.duelsStarted.nodes).toEqual([{ id }]);
      const [first, ...others] = graph.service.takePaths();
      expect(first).toBe('/duels?startBlockFrom=1');
      return others.sort();
    };
    const pathOf = (from: number, to: number) => `/duels?startBlockFrom=${from}&startBlockTo=${to}`;
    const heights = [1, 2, 4, 6, 8, 10, 12, 14, 16];
    expect(await duelsAt(heights)).toEqual([pathOf(1, 2), ...heights.slice(2).map((height) => pathOf(height, height))].sort());
    expect(await duelsAt([...heights, 18])).toEqual([pathOf(1, 18)]);
  });

  test('duels of a wizard cost 1 GET per filter up to 4 filters, and 1 GET without a filter above', async () => {
    const filtered = (count: number) =>
      Array.from({ length: count }, (_none, i) => `d${i}: duels(filter: { startBlockFrom: ${i + 1} }) { totalCount }`).join(' ');
    const counts = async (count: number) =>
      Object.values<{ totalCount: number }>(
        (await execute(`{ wizards(first: 1) { nodes { ${filtered(count)} } } }`)).data.wizards.nodes[0],
      ).map(({ totalCount }) => totalCount);
    expect(await counts(4)).toEqual([3, 2, 1, 1]);
    const each = [1, 2, 3, 4].map((from) => `/duels?wizardIds=1&startBlockFrom=${from}`);
    const [first, ...others] = graph.service.takePaths();
    expect([first, ...others.sort()]).toEqual(['/wizards', ...each]);
    await graph.mine(1);
    expect(await counts(10)).toEqual([3, 2, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect(graph.service.takePaths()).toEqual(['/wizards', '/duels?wizardIds=1']);
  });

  test.each<[string, number, (i: number) => string, string, (i: number) => number]>([
    ['duels', 4, (i) => `duels(filter: { startBlockTo: ${i} })`, 'startBlockTo', (i) => (i < 2 ? 1 : i < 5 ? 2 : 3)],
    ['wizards', 8, (i) => `wizards(filter: { minPower: "${100000000000000000000n + BigInt(i)}" })`, 'minPower', (i) => 13 - i],
  ])(
    'lists of %s cost 1 GET per filter up to %i filters, and 1 GET without a filter above',
    async (name, max, field, parameter, found) => {
      const [few, many] = [max, max + 1].map((count) => Array.from({ length: count }, (_none, i) => i + 1));
      for (const filters of [few!, many!]) {
        const data = await read(`{ ${filters.map((i) => `l${i}: ${field(i)} { totalCount }`)} }`);
        const counts = filters.map((i) => [`l${i}`, { totalCount: found(i) }]);
        expect(data).toEqual(Object.fromEntries(counts));
        expect(graph.service.takePaths()).toEqual(
          filters === many ? [`/${name}`] : filters.map(() => expect.stringContaining(`?${parameter}=`)),
        );
        await graph.mine(1);
      }
    },
  );

  test('duel filter costs 1 GET per URL of ids up to 8 URLs, and 1 GET of all duels above', async () => {
    const long = (n: number) => `${n}-${'x'.repeat(190)}`;
    graph.service.duels = [duelFixture(1, { wizard1Id: long(7) }), duelFixture(2, { wizard1Id: '5', wizard2Id: '6' })];
    const duelsOf = async (count: number) =>
      (
        await execute('query ($ids: [ID!]) { duels(filter: { wizardIds: $ids, startBlockTo: 9 }) { nodes { id } } }', {
          ids: Array.from({ length: count }, (_none, i) => long(i)),
        })
      ).data.duels.nodes;
    expect(await duelsOf(80)).toEqual([{ id: hashOf(0xd1) }]);
    expect(graph.service.takePaths()).toHaveLength(8);
    expect(await duelsOf(81)).toEqual([{ id: hashOf(0xd1) }]);
    expect(graph.service.takePaths()).toEqual(['/duels?startBlockTo=9']);
  });

  test('duels of 500 wizards are requested with URLs of at most 2,000 characters', async () => {
    graph.service.wizards = Array.from({ length: 500 }, (_none, i) => wizardFixture(i + 1, { id: `wizard-${i + 1}` }));
    graph.service.duels = [duelFixture(1, { wizard1Id: 'wizard-1', wizard2Id: 'wizard-500' })];
    const data = await read('{ wizards(first: 500) { nodes { id duels { totalCount } } } }');
    const withDuel = data.wizards.nodes.filter((wizard) => wizard.duels.totalCount === 1);
    expect(ids(withDuel).sort()).toEqual(['wizard-1', 'wizard-500']);
    const [list, ...duels] = graph.service.takePaths();
    expect(list).toBe('/wizards');
    expect(duels).toHaveLength(3);
    expect(Math.max(...duels.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
    expect(new Set(duels.flatMap((path) => path.slice('/duels?wizardIds='.length).split(','))).size).toBe(500);
  });
});

describe('service response cache', () => {
  const query = '{ wizard(id: 1) { power } }';
  const power = async () => (await execute(query)).data.wizard.power;

  test('service response is cached for its head and requested again for the next head', async () => {
    expect(await power()).toBe('100000000000000000001');
    graph.service.wizards[0].power = '7';
    expect(await power()).toBe('100000000000000000001');
    expect(graph.service.takePaths()).toHaveLength(1);
    await graph.mine(1);
    expect(await power()).toBe('7');
    expect(graph.service.takePaths()).toHaveLength(1);
  });

  test('service response is not cached if a new head arrives before it', async () => {
    let mined: Promise<void> | undefined;
    graph.service.script = (_path, response) => {
      if (mined) return undefined;
      const body = JSON.stringify(graph.service.wizards[0]);
      mined = graph.mine(1).then(() => void response.end(body));
      return 'handled';
    };
    expect(await power()).toBe('100000000000000000001');
    graph.service.wizards[0].power = '7';
    expect(await power()).toBe('7');
  });

  describe('reads in flight', () => {
    /** Runs operations concurrently and calls `meanwhile` before the service responds to the first request. */
    const runConcurrently = async (operations: readonly AbortSignal[], meanwhile: () => void) => {
      let first = true;
      graph.service.script = (path, response) => {
        if (!first) return undefined;
        first = false;
        void setImmediate().then(() => {
          meanwhile();
          response.end(JSON.stringify(graph.service.wizards.find(({ id }) => path.endsWith(`/${id}`))));
        });
        return 'handled';
      };
      return Promise.all(operations.map((signal) => execute(query, undefined, signal)));
    };
    const signal = () => new AbortController().signal;
    const abortReason = new GraphError('TIMEOUT', 'The operation was aborted.');
    const found = { data: { wizard: { power: '100000000000000000001' } }, errors: [] };
    const aborted = { data: { wizard: null }, errors: ['wizard: TIMEOUT The operation was aborted.'] };

    test('concurrent operations share a read in flight', async () => {
      expect(await runConcurrently([signal(), signal(), signal()], () => {})).toEqual([found, found, found]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('another operation repeats a shared read if the operation that sent it is aborted', async () => {
      const first = new AbortController();
      expect(await runConcurrently([first.signal, signal(), signal()], () => first.abort(abortReason))).toEqual([
        aborted,
        found,
        found,
      ]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1', '/wizards/1']);
    });

    test('aborted operation stops waiting for a shared read', async () => {
      const second = new AbortController();
      expect(await runConcurrently([signal(), second.signal], () => second.abort(abortReason))).toEqual([found, aborted]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('concurrent operations share the error of a read in flight', async () => {
      graph.service.script = () => ({ status: 403, body: {} });
      const responses = await Promise.all([execute(query), execute(query), execute(query)]);
      for (const { errors } of responses) expect(errors).toEqual([expect.stringMatching(/^wizard: UPSTREAM_AUTH /)]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('aborted operation stops waiting for a free connection', async () => {
      const held: ServerResponse[] = [];
      const busy = new Promise<void>((resolve) => {
        graph.service.script = (_path, response) => {
          if (held.push(response) === 8) resolve();
          return 'handled';
        };
      });
      const first = execute(`{ ${[1, 2, 3, 4, 5, 6, 7, 8].map((id) => `w${id}: wizard(id: ${id}) { id }`).join(' ')} }`);
      await busy;
      const late = new AbortController();
      const second = execute('{ wizard(id: 9) { power } }', undefined, late.signal);
      await setImmediate();
      late.abort(abortReason);
      expect(await Promise.race([second, once(held[0]!, 'close')])).toEqual(aborted);
      held.forEach((response, i) => void response.end(JSON.stringify(wizardFixture(i + 1))));
      expect((await first).errors).toEqual([]);
    });

    test('operation under a new head does not share a read in flight of the previous head', async () => {
      let mined = Promise.resolve();
      let late: ReturnType<typeof execute<typeof query>> | undefined;
      graph.service.script = (_path, response) => {
        graph.service.script = undefined;
        mined = graph.mine(1).then(async () => {
          graph.service.wizards[0].power = '7';
          late = execute(query);
          await late;
          response.end(JSON.stringify(wizardFixture(1)));
        });
        return 'handled';
      };
      expect(await execute(query)).toEqual(found);
      await mined;
      expect((await late)!.data.wizard.power).toBe('7');
    });
  });

  test('operation that reads the service is volatile', async () => {
    await power();
    expect(graph.lastOperation().dependencies.isVolatile).toBe(true);
    await execute('{ block { number } }');
    expect(graph.lastOperation().dependencies.isVolatile).toBe(false);
  });

  test('unknown id is requested by every operation', async () => {
    await execute('{ wizard(id: 99) { id } }');
    await execute('{ wizard(id: 99) { id } }');
    expect(graph.service.takePaths()).toEqual(['/wizards/99', '/wizards/99']);
  });
});

describe('wizard filter', () => {
  test.each<[string, string, string, number[]]>([
    ['owner', `owner: "${addressOf(0xa3)}"`, `?owner=${addressOf(0xa3)}`, [3]],
    ['affinity', 'affinity: WATER', '?affinity=4', [2, 5, 8, 11]],
    [
      'power',
      'minPower: "100000000000000000011", maxPower: 100000000000000000012',
      '?minPower=100000000000000000011&maxPower=100000000000000000012',
      [11, 12],
    ],
    ['a negative minimum power', 'minPower: -1', '', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['a negative maximum power', 'maxPower: "-1"', '', []],
    ['status, which has no query parameter,', 'status: ELIMINATED', '', [4]],
    [
      'several conditions',
      'affinity: FIRE, status: ALIVE, maxPower: "100000000000000000004"',
      '?affinity=2&maxPower=100000000000000000004',
      [3],
    ],
  ])('wizard filter by %s is sent to the service and applied to its response', async (_case, filter, query, found) => {
    graph.service.wizards[3].eliminatedBlockNumber = 12;
    const source = `{ wizards(filter: { ${filter} }) { nodes { id } } }`;
    const filtered = await execute(source);
    expect([ids(filtered.data.wizards.nodes).map(Number), filtered.errors]).toEqual([found, []]);
    expect(graph.service.takePaths()).toEqual([`/wizards${query}`]);
    await graph.mine(1);
    graph.service.script = () => ({ body: graph.service.wizards });
    expect(await execute(source)).toEqual(filtered);
  });

  test('wizard filter by the affinity UNKNOWN fails with BAD_USER_INPUT', async () => {
    const { data, errors } = await execute('{ wizards(filter: { affinity: UNKNOWN }) { nodes { id } } }');
    expect(data).toEqual({ wizards: null });
    expect(errors).toEqual([
      'wizards: BAD_USER_INPUT Wizards cannot be filtered by the affinity UNKNOWN. Pass one of the other affinities.',
    ]);
    expect(graph.service.takePaths()).toEqual([]);
  });

  test('wizard filter of an account by another owner returns no wizard and sends no GET', async () => {
    const { data } = await execute(
      `{ account(address: "${addressOf(0xa1)}") { wizards(filter: { owner: "${addressOf(1)}" }) { totalCount } } }`,
    );
    expect([data.account.wizards.totalCount, graph.service.takePaths()]).toEqual([0, []]);
  });
});

describe('duel filter', () => {
  test.each<[string, string, string, number[]]>([
    ['wizards', 'wizardIds: [12, "2"]', '?wizardIds=12,2', [1, 4, 2]],
    ['an empty list of wizards', 'wizardIds: []', '', [1, 4, 2, 3]],
    ['progress', 'excludeFinished: true', '?excludeFinished=true', [3]],
    ['finished duels', 'excludeInProgress: true', '?excludeInProgress=true', [1, 4, 2]],
    ['start heights', 'startBlockFrom: 2, startBlockTo: "0x5"', '?startBlockFrom=2&startBlockTo=5', [4, 2]],
    ['end heights', 'endBlockFrom: 9, endBlockTo: 9', '?endBlockFrom=9&endBlockTo=9', [4, 2]],
    ['nulls', 'wizardIds: null, excludeFinished: null, startBlockFrom: null', '', [1, 4, 2, 3]],
  ])('duel filter by %s is sent to the service and applied to its response', async (_case, filter, query, found) => {
    const source = `{ duels(filter: { ${filter} }) { nodes { id } } }`;
    const filtered = await execute(source);
    expect([ids(filtered.data.duels.nodes), filtered.errors]).toEqual([found.map((n) => hashOf(0xd0 + n)), []]);
    expect(graph.service.takePaths()).toEqual([`/duels${query}`]);
    await graph.mine(1);
    graph.service.script = () => ({ body: { duels: graph.service.duels } });
    expect(await execute(source)).toEqual(filtered);
    expect(graph.service.takePaths().join()).not.toMatch(/startsBlockFrom/);
  });

  test('duel filter that excludes all duels sends no GET', async () => {
    const { data } = await execute('{ duels(filter: { excludeFinished: true, excludeInProgress: true }) { totalCount } }');
    expect([data.duels.totalCount, graph.service.takePaths()]).toEqual([0, []]);
  });

  test('duel filter on a wizard selects by opponents', async () => {
    const { data } = await execute('{ wizard(id: 1) { duels(filter: { wizardIds: [12] }) { nodes { id } } } }');
    expect(ids(data.wizard.duels.nodes)).toEqual([hashOf(0xd4)]);
  });

  test('duel filter by an id with a comma differs from the filter by both ids', async () => {
    const { data } = await execute(
      '{ wizard(id: 1) { withComma: duels(filter: { wizardIds: ["2,12"] }) { totalCount } two: duels(filter: { wizardIds: [2, 12] }) { totalCount } } }',
    );
    expect(data.wizard).toEqual({ withComma: { totalCount: 0 }, two: { totalCount: 2 } });
  });
});

describe('pages', () => {
  const idsOfAllPages = async (orderBy: string) => {
    const seen: string[] = [];
    for (let after = null; ; ) {
      const source = `query ($after: String) { wizards(first: 5, after: $after, orderBy: ${orderBy}) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`;
      const { data, errors }: Awaited<ReturnType<typeof execute<typeof source>>> = await execute(source, { after });
      expect(errors).toEqual([]);
      expect(data.wizards.edges.map(field('node'))).toEqual(data.wizards.nodes);
      seen.push(...ids(data.wizards.nodes));
      if (!data.wizards.pageInfo.hasNextPage) return seen.map(Number);
      after = data.wizards.pageInfo.endCursor;
    }
  };
  const ascending = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

  test.each([
    ['ID_ASC', ascending],
    ['ID_DESC', [...ascending].reverse()],
    ['POWER_ASC', [7, ...ascending.filter((n) => n !== 7)]],
    ['POWER_DESC', [...ascending.filter((n) => n !== 7).reverse(), 7]],
  ])('pages in the order %s return every wizard once', async (orderBy, all) => {
    graph.service.wizards[6].power = '9';
    graph.service.wizards.push(...graph.service.wizards.splice(0, 5).reverse());
    expect(await idsOfAllPages(orderBy)).toEqual(all);
  });

  test('WON_DESC orders by duels won, and needs one GET for the duels that count', async () => {
    const source = `query ($filter: DuelFilter) {
      wizards(orderBy: WON_DESC, duels: $filter, first: 500) { nodes { id record(filter: $filter) { won } } }
    }`;
    for (const filter of [{}, { startBlockFrom: 5 }, { excludeFinished: true }]) {
      const data = await read(source, { filter });
      const { nodes } = data.wizards;
      const sorted = [...nodes].sort((a, b) => b.record.won - a.record.won || Number(b.id) - Number(a.id));
      expect(nodes).toEqual(sorted);
    }
    expect(new Set(await idsOfAllPages('WON_DESC')).size).toBe(12);
    await graph.mine(1);
    graph.service.takePaths();
    const { errors } = await execute('{ wizards(orderBy: WON_DESC, duels: { endBlockFrom: 9 }, first: 1) { nodes { power } } }');
    expect(errors).toEqual([]);
    expect(takePathsSorted()).toEqual(['/duels?endBlockFrom=9', '/wizards']);
  });

  test('WON_DESC of an account counts duels, and fails with an invalid duel', async () => {
    const owner = String(graph.service.wizards[0].owner);
    const source = `{ account(address: "${owner}") { wizards(orderBy: WON_DESC) { nodes { id } } } }`;
    expect((await execute(source)).errors).toEqual([]);
    await graph.mine(1);
    graph.service.duels.push({ ...duelFixture(5), startBlock: 'x' });
    const { data, errors } = await execute(source);
    expect(data.account.wizards).toBeNull();
    expect(errors).toEqual([expect.stringContaining('account.wizards: UPSTREAM_BAD_RESPONSE')]);
  });

  test('cursor of another order fails with BAD_USER_INPUT', async () => {
    const { data } = await execute('{ wizards(first: 1) { pageInfo { endCursor } } }');
    const source = 'query ($after: String) { wizards(orderBy: POWER_ASC, after: $after) { totalCount } }';
    const { errors } = await execute(source, { after: data.wizards.pageInfo.endCursor });
    expect(errors).toEqual([expect.stringContaining('wizards: BAD_USER_INPUT Invalid `after`. Pass a cursor')]);
  });
});

describe('duel', () => {
  test('duel has exact rounds, winner and power changes', async () => {
    const data = await read(
      `{ duel(id: "${hashOf(0xd1).toUpperCase().replace('0X', '0x')}") { id status winner { id } powerChange1 powerChange2 rounds { index move1 move2 winner { id } } endBlock { number } timeoutBlock { number } } }`,
    );
    expect(data.duel).toMatchObject({
      id: hashOf(0xd1),
      status: 'FINISHED',
      winner: { id: '1' },
      powerChange1: '30',
      powerChange2: '-30',
      endBlock: { number: '0x2' },
      timeoutBlock: null,
    });
    expect(data.duel.rounds.map((round) => [round.move1, round.move2, round.winner?.id ?? null])).toEqual([
      ['FIRE', 'WIND', '1'],
      ['WIND', 'WATER', '1'],
      ['WATER', 'FIRE', '1'],
      ['FIRE', 'FIRE', null],
      ['UNKNOWN', 'FIRE', null],
    ]);
  });

  test('duel has its timeout block once the head has reached it', async () => {
    const { data } = await graph.execute('{ block { number } }');
    const next = Number(data.block.number) + 1;
    graph.service.duels[0].timeoutBlock = next;
    const query = `{ duel(id: "${hashOf(0xd1)}") { timeoutBlockNumber timeoutBlock { number hash } } }`;
    const number = `0x${next.toString(16)}`;
    expect((await execute(query)).data.duel).toEqual({ timeoutBlockNumber: number, timeoutBlock: null });
    await graph.mine(1);
    expect((await execute(query)).data.duel.timeoutBlock).toEqual({ number, hash: expect.stringMatching(/^0x/) });
  });

  test('wizard and duel with an unknown or invalid id are null', async () => {
    const unknownIds = ['99', '.', '..', '', 'a/b', '\ud800', 'x'.repeat(300), '1,2', 'wizards?owner=1'];
    for (const id of unknownIds) {
      const result = await execute('query ($id: ID!) { wizard(id: $id) { id } duel(id: $id) { id } }', { id });
      expect([id, result]).toEqual([id, { data: { wizard: null, duel: null }, errors: [] }]);
    }
    expect(graph.service.takePaths().sort()).toEqual(
      ['99', 'a%2Fb', 'wizards%3Fowner%3D1'].flatMap((id) => [`/duels/${id}`, `/wizards/${id}`]).sort(),
    );
  });
});

test.each([
  ['responds with 404', 404],
  ['responds with 400', 400],
])('wizard and duel by a nonstandard id are null if the service %s', async (_case, status) => {
  graph.service.script = () => ({ status, body: {} });
  // Nonstandard: not decimal, a leading zero, more than 256 bits, and decimal for a duel.
  for (const [wizard, duel] of [
    ['rook', 'rook'],
    ['007', '7'],
    ['9'.repeat(79), '0x7'],
  ]) {
    expect(await execute(`{ wizard(id: "${wizard}") { power } duel(id: "${duel}") { status } }`)).toEqual({
      data: { wizard: null, duel: null },
      errors: [],
    });
  }
});

test('wizard and duel by a standard id fail with BAD_USER_INPUT if the service rejects the id', async () => {
  graph.service.script = () => ({ status: 400, body: {} });
  const { data, errors } = await execute(`{ wizard(id: 1) { power } duel(id: "${hashOf(1)}") { status } }`);
  expect(data).toEqual({ wizard: null, duel: null });
  expect(errors.map((error) => error.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
    'duel: BAD_USER_INPUT',
    'wizard: BAD_USER_INPUT',
  ]);
});

test('wizard has its status, power change and elimination', async () => {
  Object.assign(graph.service.wizards[0], { power: '5', initialPower: '12', eliminatedBlockNumber: 11, affinity: 9 });
  const data = await read(
    '{ wizard(id: 1) { status affinity powerChange eliminatedBlockNumber eliminatedBlock { number } createdBlock { number } } }',
  );
  expect(data.wizard).toEqual({
    status: 'ELIMINATED',
    affinity: 'UNKNOWN',
    powerChange: '-7',
    eliminatedBlockNumber: '0xb',
    eliminatedBlock: { number: '0xb' },
    createdBlock: { number: '0x1' },
  });
});
