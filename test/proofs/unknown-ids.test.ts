import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTournamentGraph, type TournamentGraph } from '../support/graph/tournament-graph.ts';
import { duelFixture, wizardFixture } from '../support/upstream/scripted-wizard-service.ts';

let graph: TournamentGraph;

beforeAll(async () => {
  graph = await startTournamentGraph();
});

afterAll(() => graph.stop());

/** Unknown ids of a service with decimal wizard ids: of another format, too long, or unused. */
const UNKNOWN = ['abc', '007', '9'.repeat(79), '1 2', 'a/b', '999'];

/** Whether the path names an unknown id. Lists name them by `wizardIds`. */
const namesUnknown = (path: string): boolean => {
  const { pathname, searchParams } = new URL(path, 'http://x');
  const ids = [decodeURIComponent(pathname.split('/')[2] ?? ''), ...(searchParams.get('wizardIds') ?? '').split(',')];
  return ids.some((id) => UNKNOWN.includes(id));
};

/** How services respond to unknown ids. */
const SERVICES: Readonly<Record<string, (path: string) => { status: number; body: unknown } | undefined>> = {
  'responds with 400 to ids of another format': (path) => {
    const isRejected = namesUnknown(path) && !/^[^?]*\/999$|wizardIds=(?:\d{1,78},?)*(?:&|$)/.test(path);
    return isRejected ? { status: 400, body: { error: 'want numbers' } } : undefined;
  },
  'responds with 404 to lists of unknown ids': (path) => (namesUnknown(path) ? { status: 404, body: {} } : undefined),
  'responds with an empty list': () => undefined,
};

/** The fields that take an id, with their result for an unknown one. */
const FIELDS: readonly (readonly [name: string, field: (id: string) => string, result: unknown])[] = [
  ['wizard', (id) => `wizard(id: ${id}) { power }`, null],
  ['wizard with only its id selected', (id) => `wizard(id: ${id}) { id }`, null],
  ['duel', (id) => `duel(id: ${id}) { status }`, null],
  ['a duel filter', (id) => `duels(filter: { wizardIds: [${id}] }) { totalCount }`, { totalCount: 0 }],
  ['a duel filter with a known id', (id) => `duels(filter: { wizardIds: ["2", ${id}] }) { totalCount }`, { totalCount: 2 }],
  [
    "a filter on a wizard's duels",
    (id) => `wizard(id: 1) { duels(filter: { wizardIds: [${id}] }) { totalCount } }`,
    { duels: { totalCount: 0 } },
  ],
];
/** Fields batched with the unknown id: enough that the loaders read whole lists. */
const OTHER_FIELDS = `${[1, 2, 3, 4, 5].map((n) => `d${n}: duels(filter: { startBlockFrom: ${n} }) { totalCount }`).join(' ')}
  ${[1, 2, 3, 1, 2, 3, 1, 2, 3, 4].map((n, i) => `w${i}: wizard(id: ${n}) { power duels { totalCount } }`).join(' ')}`;

beforeEach(async () => {
  graph.service.script = undefined;
  graph.service.wizards = [1, 2, 3].map((n) => wizardFixture(n));
  graph.service.duels = [
    duelFixture(1),
    duelFixture(2, { wizard1Id: '2', wizard2Id: '3' }),
    duelFixture(3, { wizard1Id: '1', wizard2Id: '3' }),
  ];
  await graph.mine(1);
});

describe.each(Object.entries(SERVICES))('unknown ids, if the service %s,', (behaviour, script) => {
  test.each(FIELDS)(`unknown id in %s is unknown if the service ${behaviour}`, async (_name, field, result) => {
    for (const id of UNKNOWN) {
      for (const otherFields of ['', OTHER_FIELDS]) {
        graph.service.script = script;
        const { data, errors } = await graph.execute(`query ($id: ID!) { found: ${field('$id')} ${otherFields} }`, { id });
        expect({ id, otherFields, found: data?.found, errors }).toEqual({ id, otherFields, found: result, errors: [] });
        await graph.mine(1);
      }
    }
  });
});
