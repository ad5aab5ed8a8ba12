import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/errors.ts';
import { addressOf, hashOf } from '../../support/graph/stubbed-graph.ts';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

let graph: TournamentGraph;
const execute: TournamentGraph['execute'] = (...asked) => graph.execute(...asked);

beforeAll(async () => {
  graph = await startTournamentGraph();
});

afterAll(() => graph.stop());

beforeEach(async () => {
  // Nothing of an earlier test is kept under another head.
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

/** The paths that were asked for, of which those that leave together arrive in any order. */
const takePathsSorted = () => graph.service.takePaths().sort();

const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id);

describe('the cost of', () => {
  test('a page of wizards with balances, blocks and duels is 2 GETs and 1 POST', async () => {
    const { data, errors } = await execute(
      '{ wizards(first: 3) { totalCount nodes { id power owner { balance } createdBlock { timestamp } duels { nodes { id status } } } } }',
    );
    expect(errors).toEqual([]);
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

  test('all that duels tell of the wizards of a page is 1 GET beside the page', async () => {
    const { data, errors } = await execute(
      '{ wizards(first: 2) { nodes { duels { totalCount } activeDuel { id wizard2 { id } } record { duels won lost drawn timedOut } open: duels(filter: { excludeFinished: true }) { totalCount } } } }',
    );
    expect(errors).toEqual([]);
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

  test('active duels alone is 1 GET for duels in progress', async () => {
    expect((await execute('{ wizards(first: 2) { nodes { activeDuel { id } } } }')).errors).toEqual([]);
    expect(graph.service.takePaths()).toEqual(['/wizards', '/duels?wizardIds=1,2&excludeFinished=true']);
  });

  test('the same wizard in several places is 1 GET', async () => {
    await execute('{ a: wizard(id: 1) { power } b: wizard(id: "1") { owner { address } } }');
    expect(graph.service.takePaths()).toEqual(['/wizards/1']);
  });

  test('up to 8 wizards by id is as many GETs, and more are 1 GET of the list', async () => {
    const several = (count: number) =>
      `{ ${Array.from({ length: count }, (_none, i) => `w${i}: wizard(id: ${i + 1}) { id power }`).join(' ')} }`;
    await execute(several(8));
    expect(takePathsSorted()).toEqual(Array.from({ length: 8 }, (_none, i) => `/wizards/${i + 1}`));
    const { data, errors } = await execute(several(9));
    expect([Object.values<any>(data).map(({ id }) => Number(id)), errors]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], []]);
    expect(graph.service.takePaths()).toEqual(['/wizards']);
  });

  test('wizards that the list does not have is a GET for each of those beside the list', async () => {
    const asked = Array.from({ length: 9 }, (_none, i) => `w${i}: wizard(id: ${i + 10}) { id }`);
    const { data, errors } = await execute(`{ ${asked.join(' ')} }`);
    expect([Object.values<any>(data).map((one) => one?.id ?? null), errors]).toEqual([
      ['10', '11', '12', null, null, null, null, null, null],
      [],
    ]);
    expect(takePathsSorted()).toEqual(['/wizards', ...[13, 14, 15, 16, 17, 18].map((n) => `/wizards/${n}`)]);
  });

  test('wizards of duels that a list has brought already is nothing more', async () => {
    const { data } = await execute(
      '{ wizards { totalCount } duels { nodes { wizard1 { id } winner { id duels { totalCount } } } } }',
    );
    expect(data.duels.nodes[0].winner).toEqual({ id: '1', duels: { totalCount: 3 } });
    expect(takePathsSorted()).toEqual(['/duels', '/wizards']);
  });

  test('whatever is in lists that were read whole under this head is nothing', async () => {
    await execute('{ wizards { totalCount } duels { totalCount } }');
    graph.service.takePaths();
    const { data, errors } = await execute(
      `{ wizard(id: 12) { power duels { nodes { id } } } duel(id: "${hashOf(0xd2)}") { endBlockNumber } duels(filter: { wizardIds: [2], startBlockFrom: 2 }) { nodes { id } } wizards(filter: { owner: "${addressOf(0xa3)}" }) { nodes { id } } }`,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      wizard: { power: '100000000000000000012', duels: { nodes: [{ id: hashOf(0xd4) }] } },
      duel: { endBlockNumber: '0x9' },
      duels: { nodes: [{ id: hashOf(0xd2) }] },
      wizards: { nodes: [{ id: '3' }] },
    });
    expect([graph.service.takePaths(), graph.lastOperation().isVolatile]).toEqual([[], true]);
  });

  test('what is not in such lists, or in one with an entry that cannot be read, is asked for', async () => {
    graph.service.duels[3].wizard1Id = null;
    await execute('{ wizards { totalCount } duels { totalCount } }');
    graph.service.takePaths();
    expect((await execute('{ wizard(id: 99) { id } }')).data.wizard).toBeNull();
    expect((await execute('{ wizard(id: 2) { duels { totalCount } } }')).data.wizard.duels.totalCount).toBe(2);
    expect((await execute(`{ duel(id: "${hashOf(0xd2)}") { status } }`)).errors).toEqual([]);
    expect(graph.service.takePaths()).toEqual(['/wizards/99', '/duels?wizardIds=2', `/duels/${hashOf(0xd2)}`]);
  });

  test('the ids and owners of what is known is nothing of the node', async () => {
    await execute(
      '{ wizards { nodes { owner { address } createdBlock { number } } } duels { nodes { startBlock { number } wizard1 { id } } } }',
    );
    expect([takePathsSorted(), graph.node.takeCounts().http]).toEqual([['/duels', '/wizards'], 0]);
  });

  test('duels of blocks that follow each other is 1 GET', async () => {
    const { data } = await execute('{ blocks(from: 1, to: 6) { number duelsStarted { nodes { id } } } }');
    expect(data.blocks.map((block: any) => block.duelsStarted.nodes.length)).toEqual([1, 1, 0, 0, 1, 0]);
    expect(graph.service.takePaths()).toEqual(['/duels?startBlockFrom=1&startBlockTo=6']);
  });

  test('wizards of up to 8 accounts is as many GETs, of more 1 GET of the list', async () => {
    const accounts = (count: number) =>
      `{ ${Array.from({ length: count }, (_none, i) => `a${i}: account(address: "${addressOf(0xa1 + i)}") { wizards { nodes { id } } }`).join(' ')} }`;
    await execute(accounts(2));
    expect(takePathsSorted()).toEqual([1, 2].map((n) => `/wizards?owner=${addressOf(0xa0 + n)}`));
    const { data } = await execute(accounts(10));
    expect(Object.values<any>(data).map(({ wizards }) => ids(wizards.nodes))).toEqual(
      Array.from({ length: 10 }, (_none, i) => [String(i + 1)]),
    );
    expect(graph.service.takePaths()).toEqual(['/wizards']);
  });

  test('duels of scattered blocks is 8 GETs at most, over the narrowest gaps', async () => {
    const heights = [1, 2, 4, 10, 30, 60, 100, 150, 210, 280, 360];
    graph.service.duels = heights.map((startBlock, i) => duelFixture(i + 1, { startBlock }));
    await graph.mine(360);
    const { data, errors } = await execute(
      '{ duels(filter: { startBlockFrom: 1 }) { nodes { id startBlock { duelsStarted { nodes { id } } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data.duels.nodes).toHaveLength(11);
    for (const { id, startBlock } of data.duels.nodes) expect(startBlock.duelsStarted.nodes).toEqual([{ id }]);
    const [first, ...others] = graph.service.takePaths();
    expect(first).toBe('/duels?startBlockFrom=1');
    expect(others.sort()).toEqual(
      [
        [1, 10],
        [30, 30],
        [60, 60],
        [100, 100],
        [150, 150],
        [210, 210],
        [280, 280],
        [360, 360],
      ]
        .map(([from, to]) => `/duels?startBlockFrom=${from}&startBlockTo=${to}`)
        .sort(),
    );
  });

  test('duels by four filters is as many GETs, and by more 1 GET of all of them', async () => {
    const filtered = (count: number) =>
      Array.from({ length: count }, (_none, i) => `d${i}: duels(filter: { startBlockFrom: ${i + 1} }) { totalCount }`).join(' ');
    const counts = async (count: number) =>
      Object.values<any>((await execute(`{ wizards(first: 1) { nodes { ${filtered(count)} } } }`)).data.wizards.nodes[0]).map(
        ({ totalCount }) => totalCount,
      );
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
    'lists of %s by %i filters is as many GETs, and by more 1 GET of all of them',
    async (name, most, field, parameter, found) => {
      const [few, many] = [most, most + 1].map((count) => Array.from({ length: count }, (_none, i) => i + 1));
      for (const asked of [few!, many!]) {
        const { data, errors } = await execute(`{ ${asked.map((i) => `l${i}: ${field(i)} { totalCount }`)} }`);
        expect(errors).toEqual([]);
        const counts = asked.map((i) => [`l${i}`, { totalCount: found(i) }]);
        expect(data).toEqual(Object.fromEntries(counts));
        expect(graph.service.takePaths()).toEqual(
          asked === many ? [`/${name}`] : asked.map(() => expect.stringContaining(`?${parameter}=`)),
        );
        await graph.mine(1);
      }
    },
  );

  test('duels of wizards with ids for more than 8 URLs is 1 GET of all duels', async () => {
    const long = (n: number) => `${n}-${'x'.repeat(190)}`;
    graph.service.duels = [duelFixture(1, { wizard1Id: long(7) }), duelFixture(2, { wizard1Id: '5', wizard2Id: '6' })];
    const asked = async (count: number) =>
      (
        await execute('query ($ids: [ID!]) { duels(filter: { wizardIds: $ids, startBlockTo: 9 }) { nodes { id } } }', {
          ids: Array.from({ length: count }, (_none, i) => long(i)),
        })
      ).data.duels.nodes;
    expect(await asked(80)).toEqual([{ id: hashOf(0xd1) }]);
    expect(graph.service.takePaths()).toHaveLength(8);
    expect(await asked(81)).toEqual([{ id: hashOf(0xd1) }]);
    expect(graph.service.takePaths()).toEqual(['/duels?startBlockTo=9']);
  });

  test('duels of many wizards is cut into URLs of 2,000 characters', async () => {
    graph.service.wizards = Array.from({ length: 500 }, (_none, i) => wizardFixture(i + 1, { id: `wizard-${i + 1}` }));
    graph.service.duels = [duelFixture(1, { wizard1Id: 'wizard-1', wizard2Id: 'wizard-500' })];
    const { data, errors } = await execute('{ wizards(first: 500) { nodes { id duels { totalCount } } } }');
    expect(errors).toEqual([]);
    const fought = data.wizards.nodes.filter((one: any) => one.duels.totalCount === 1);
    expect(ids(fought).sort()).toEqual(['wizard-1', 'wizard-500']);
    const [list, ...duels] = graph.service.takePaths();
    expect(list).toBe('/wizards');
    expect(duels).toHaveLength(3);
    expect(Math.max(...duels.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
    expect(new Set(duels.flatMap((path) => path.slice('/duels?wizardIds='.length).split(','))).size).toBe(500);
  });
});

describe('what was told', () => {
  const query = '{ wizard(id: 1) { power } }';
  const power = async () => (await execute(query)).data.wizard.power;

  test('under a head is told again under that head, and asked for anew under the next', async () => {
    expect(await power()).toBe('100000000000000000001');
    graph.service.wizards[0].power = '7';
    expect(await power()).toBe('100000000000000000001');
    expect(graph.service.takePaths()).toHaveLength(1);
    await graph.mine(1);
    expect(await power()).toBe('7');
    expect(graph.service.takePaths()).toHaveLength(1);
  });

  test('before a block came, by an answer that arrived after it, is not kept', async () => {
    let mined: Promise<void> | undefined;
    graph.service.script = (_path, response) => {
      if (mined) return undefined;
      const before = JSON.stringify(graph.service.wizards[0]);
      mined = graph.mine(1).then(() => void response.end(before));
      return 'handled';
    };
    expect(await power()).toBe('100000000000000000001');
    graph.service.wizards[0].power = '7';
    expect(await power()).toBe('7');
  });

  describe('to an operation', () => {
    /** Operations side by side; `meanwhile` runs when the service has been asked for the first time and has not answered yet. */
    const sideBySide = async (operations: readonly AbortSignal[], meanwhile: () => void) => {
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
    const over = new GraphError('TIMEOUT', 'The operation is over.');
    const told = { data: { wizard: { power: '100000000000000000001' } }, errors: [] };
    const ended = { data: { wizard: null }, errors: ['wizard: TIMEOUT The operation is over.'] };

    test('is told to all that run beside it', async () => {
      expect(await sideBySide([signal(), signal(), signal()], () => {})).toEqual([told, told, told]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('that ends before is asked for by another one, for all that are left', async () => {
      const first = new AbortController();
      expect(await sideBySide([first.signal, signal(), signal()], () => first.abort(over))).toEqual([ended, told, told]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1', '/wizards/1']);
    });

    test('is not waited for by one that has ended', async () => {
      const second = new AbortController();
      expect(await sideBySide([signal(), second.signal], () => second.abort(over))).toEqual([told, ended]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('that fails is not tried by each of them', async () => {
      graph.service.script = () => ({ status: 403, body: {} });
      const answers = await Promise.all([execute(query), execute(query), execute(query)]);
      for (const { errors } of answers) expect(errors).toEqual([expect.stringMatching(/^wizard: UPSTREAM_AUTH /)]);
      expect(graph.service.takePaths()).toEqual(['/wizards/1']);
    });

    test('is not waited for by one that has ended before its turn', async () => {
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
      late.abort(over);
      expect(await Promise.race([second, once(held[0]!, 'close')])).toEqual(ended);
      held.forEach((response, i) => void response.end(JSON.stringify(wizardFixture(i + 1))));
      expect((await first).errors).toEqual([]);
    });

    test('is asked for anew under a new head', async () => {
      let mined = Promise.resolve();
      let late = execute('{ chainID }');
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
      expect(await execute(query)).toEqual(told);
      await mined;
      expect((await late).data.wizard.power).toBe('7');
    });
  });

  test('does not last as a whole answer, since the service may be behind the chain', async () => {
    await power();
    expect(graph.lastOperation().isVolatile).toBe(true);
    await execute('{ block { number } }');
    expect(graph.lastOperation().isVolatile).toBe(false);
  });

  test('of what does not exist is asked each time', async () => {
    await execute('{ wizard(id: 99) { id } }');
    await execute('{ wizard(id: 99) { id } }');
    expect(graph.service.takePaths()).toEqual(['/wizards/99', '/wizards/99']);
  });
});

describe('a filter of wizards', () => {
  test.each<[string, string, string, number[]]>([
    ['owner', `owner: "${addressOf(0xa3)}"`, `?owner=${addressOf(0xa3)}`, [3]],
    ['affinity', 'affinity: WATER', '?affinity=4', [2, 5, 8, 11]],
    [
      'power',
      'minPower: "100000000000000000011", maxPower: 100000000000000000012',
      '?minPower=100000000000000000011&maxPower=100000000000000000012',
      [11, 12],
    ],
    ['least power below zero', 'minPower: -1', '', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['most power below zero', 'maxPower: "-1"', '', []],
    ['status, which the service does not know', 'status: ELIMINATED', '', [4]],
    [
      'all together',
      'affinity: FIRE, status: ALIVE, maxPower: "100000000000000000004"',
      '?affinity=2&maxPower=100000000000000000004',
      [3],
    ],
  ])("by %s is the service's work, and proved here", async (_what, filter, query, found) => {
    graph.service.wizards[3].eliminatedBlockNumber = 12;
    const source = `{ wizards(filter: { ${filter} }) { nodes { id } } }`;
    const honest = await execute(source);
    expect([ids(honest.data.wizards.nodes).map(Number), honest.errors]).toEqual([found, []]);
    expect(graph.service.takePaths()).toEqual([`/wizards${query}`]);
    await graph.mine(1);
    graph.service.script = () => ({ body: graph.service.wizards });
    expect(await execute(source)).toEqual(honest);
  });

  test('by UNKNOWN is refused', async () => {
    const { data, errors } = await execute('{ wizards(filter: { affinity: UNKNOWN }) { nodes { id } } }');
    expect(data).toEqual({ wizards: null });
    expect(errors).toEqual(['wizards: BAD_USER_INPUT Wizards cannot be found by the affinity UNKNOWN.']);
    expect(graph.service.takePaths()).toEqual([]);
  });

  test('of an account that names another owner finds nothing', async () => {
    const { data } = await execute(
      `{ account(address: "${addressOf(0xa1)}") { wizards(filter: { owner: "${addressOf(1)}" }) { totalCount } } }`,
    );
    expect([data.account.wizards.totalCount, graph.service.takePaths()]).toEqual([0, []]);
  });
});

describe('a filter of duels', () => {
  test.each<[string, string, string, number[]]>([
    ['wizards', 'wizardIds: [12, "2"]', '?wizardIds=12,2', [1, 4, 2]],
    ['no wizards at all', 'wizardIds: []', '', [1, 4, 2, 3]],
    ['progress', 'excludeFinished: true', '?excludeFinished=true', [3]],
    ['end', 'excludeInProgress: true', '?excludeInProgress=true', [1, 4, 2]],
    ['heights of the start', 'startBlockFrom: 2, startBlockTo: "0x5"', '?startBlockFrom=2&startBlockTo=5', [4, 2]],
    ['heights of the end', 'endBlockFrom: 9, endBlockTo: 9', '?endBlockFrom=9&endBlockTo=9', [4, 2]],
    ['nulls', 'wizardIds: null, excludeFinished: null, startBlockFrom: null', '', [1, 4, 2, 3]],
  ])("by %s is the service's work, and proved here", async (_what, filter, query, found) => {
    const source = `{ duels(filter: { ${filter} }) { nodes { id } } }`;
    const honest = await execute(source);
    expect([ids(honest.data.duels.nodes), honest.errors]).toEqual([found.map((n) => hashOf(0xd0 + n)), []]);
    expect(graph.service.takePaths()).toEqual([`/duels${query}`]);
    await graph.mine(1);
    graph.service.script = () => ({ body: { duels: graph.service.duels } });
    expect(await execute(source)).toEqual(honest);
    expect(graph.service.takePaths().join()).not.toMatch(/startsBlockFrom/);
  });

  test('that leaves out all duels asks for nothing', async () => {
    const { data } = await execute('{ duels(filter: { excludeFinished: true, excludeInProgress: true }) { totalCount } }');
    expect([data.duels.totalCount, graph.service.takePaths()]).toEqual([0, []]);
  });

  test('by more than 500 wizards is refused', async () => {
    const { errors } = await execute('query ($ids: [ID!]) { duels(filter: { wizardIds: $ids }) { totalCount } }', {
      ids: Array.from({ length: 501 }, (_none, i) => String(i)),
    });
    expect(errors).toEqual(['duels: BAD_USER_INPUT `wizardIds` takes at most 500 ids.']);
  });

  test('of a wizard names its opponents', async () => {
    const { data } = await execute('{ wizard(id: 1) { duels(filter: { wizardIds: [12] }) { nodes { id } } } }');
    expect(ids(data.wizard.duels.nodes)).toEqual([hashOf(0xd4)]);
  });

  test('of a wizard that names odd opponents is not taken for another one', async () => {
    const { data } = await execute(
      '{ wizard(id: 1) { odd: duels(filter: { wizardIds: ["2,12"] }) { totalCount } two: duels(filter: { wizardIds: [2, 12] }) { totalCount } } }',
    );
    expect(data.wizard).toEqual({ odd: { totalCount: 0 }, two: { totalCount: 2 } });
  });
});

describe('pages', () => {
  const walk = async (orderBy: string) => {
    const seen: string[] = [];
    for (let after = null; ; ) {
      const source = `query ($after: String) { wizards(first: 5, after: $after, orderBy: ${orderBy}) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`;
      const { data, errors } = await execute(source, { after });
      expect(errors).toEqual([]);
      expect(data.wizards.edges.map((edge: any) => edge.node)).toEqual(data.wizards.nodes);
      seen.push(...ids(data.wizards.nodes));
      if (!data.wizards.pageInfo.hasNextPage) return seen.map(Number);
      after = data.wizards.pageInfo.endCursor;
    }
  };
  const upward = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

  test.each([
    ['ID_ASC', upward],
    ['ID_DESC', [...upward].reverse()],
    ['POWER_ASC', [7, ...upward.filter((n) => n !== 7)]],
    ['POWER_DESC', [...upward.filter((n) => n !== 7).reverse(), 7]],
  ])('in the order %s go through all wizards', async (orderBy, all) => {
    graph.service.wizards[6].power = '9';
    graph.service.wizards.push(...graph.service.wizards.splice(0, 5).reverse());
    expect(await walk(orderBy)).toEqual(all);
  });

  test('of duels go either way', async () => {
    const { data } = await execute('{ up: duels { nodes { id } } down: duels(orderBy: START_BLOCK_DESC) { nodes { id } } }');
    const up = [1, 4, 2, 3].map((n) => hashOf(0xd0 + n));
    expect([ids(data.up.nodes), ids(data.down.nodes)]).toEqual([up, [...up].reverse()]);
  });

  test('with a cursor of another order are refused', async () => {
    const { data } = await execute('{ wizards(first: 1) { pageInfo { endCursor } } }');
    const source = 'query ($after: String) { wizards(orderBy: POWER_ASC, after: $after) { totalCount } }';
    const { errors } = await execute(source, { after: data.wizards.pageInfo.endCursor });
    expect(errors).toEqual([expect.stringContaining('wizards: BAD_USER_INPUT `after` is no cursor')]);
  });
});

describe('a duel', () => {
  test('tells its rounds, its winner and its powers exactly', async () => {
    const { data, errors } = await execute(
      `{ duel(id: "${hashOf(0xd1).toUpperCase().replace('0X', '0x')}") { id status winner { id } powerChange1 powerChange2 rounds { index move1 move2 winner { id } } endBlock { number } timeoutBlock { number } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.duel).toMatchObject({
      id: hashOf(0xd1),
      status: 'FINISHED',
      winner: { id: '1' },
      powerChange1: '30',
      powerChange2: '-30',
      endBlock: { number: '0x2' },
      timeoutBlock: null,
    });
    expect(data.duel.rounds.map((round: any) => [round.move1, round.move2, round.winner?.id ?? null])).toEqual([
      ['FIRE', 'WIND', '1'],
      ['WIND', 'WATER', '1'],
      ['WATER', 'FIRE', '1'],
      ['FIRE', 'FIRE', null],
      ['UNKNOWN', 'FIRE', null],
    ]);
  });

  test('has the block of its timeout as soon as that exists', async () => {
    const { data } = await graph.execute('{ block { number } }');
    const next = Number(data.block.number) + 1;
    graph.service.duels[0].timeoutBlock = next;
    const query = `{ duel(id: "${hashOf(0xd1)}") { timeoutBlockNumber timeoutBlock { number hash } } }`;
    const number = `0x${next.toString(16)}`;
    expect((await execute(query)).data.duel).toEqual({ timeoutBlockNumber: number, timeoutBlock: null });
    await graph.mine(1);
    expect((await execute(query)).data.duel.timeoutBlock).toEqual({ number, hash: expect.stringMatching(/^0x/) });
  });

  test('and a wizard that are unknown, or could not be, are null', async () => {
    const odd = ['99', '.', '..', '', 'a/b', '\ud800', 'x'.repeat(300), '1,2', 'wizards?owner=1'];
    for (const id of odd) {
      const told = await execute('query ($id: ID!) { wizard(id: $id) { id } duel(id: $id) { id } }', { id });
      expect([id, told]).toEqual([id, { data: { wizard: null, duel: null }, errors: [] }]);
    }
    expect(graph.service.takePaths().sort()).toEqual(
      ['99', 'a%2Fb', 'wizards%3Fowner%3D1'].flatMap((id) => [`/duels/${id}`, `/wizards/${id}`]).sort(),
    );
  });
});

test.each<[string, number, object | null, string[]]>([
  ['that the service has not', 404, null, []],
  ['that the service refuses', 400, null, []],
])('a wizard and a duel by an id %s are null', async (_what, status, found, failed) => {
  graph.service.script = () => ({ status, body: {} });
  // Neither is as the service has them: with a zero before it, beyond 256 bits, and a wizard's for a duel.
  for (const [wizard, duel] of [
    ['rook', 'rook'],
    ['007', '7'],
    ['9'.repeat(79), '0x7'],
  ]) {
    expect(await execute(`{ wizard(id: "${wizard}") { power } duel(id: "${duel}") { status } }`)).toEqual({
      data: { wizard: found, duel: found },
      errors: failed,
    });
  }
});

test('a service that refuses ids as it has them itself is an error', async () => {
  graph.service.script = () => ({ status: 400, body: {} });
  const { data, errors } = await execute(`{ wizard(id: 1) { power } duel(id: "${hashOf(1)}") { status } }`);
  expect(data).toEqual({ wizard: null, duel: null });
  expect(errors.map((error) => error.split(' ').slice(0, 2))).toEqual([
    ['wizard:', 'BAD_USER_INPUT'],
    ['duel:', 'BAD_USER_INPUT'],
  ]);
});

test('a wizard tells what has become of it', async () => {
  Object.assign(graph.service.wizards[0], { power: '5', initialPower: '12', eliminatedBlockNumber: 11, affinity: 9 });
  const { data, errors } = await execute(
    '{ wizard(id: 1) { status affinity powerChange eliminatedBlockNumber eliminatedBlock { number } createdBlock { number } } }',
  );
  expect(errors).toEqual([]);
  expect(data.wizard).toEqual({
    status: 'ELIMINATED',
    affinity: 'UNKNOWN',
    powerChange: '-7',
    eliminatedBlockNumber: '0xb',
    eliminatedBlock: { number: '0xb' },
    createdBlock: { number: '0x1' },
  });
});
