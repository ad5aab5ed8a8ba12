import { beforeAll, expect, test } from '@jest/globals';
import { startTournamentGraph, type TournamentGraph } from '../../support/graph/tournament-graph.ts';
import { readSeed as newSeed, random, runSize } from '../../support/random-tests.ts';
import { DUEL_IN_PROGRESS, duelFixture, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

let graph: TournamentGraph;

beforeAll(async () => {
  graph = await startTournamentGraph();
});

const DUEL = `id wizard1Id affinity1 startPower1 endPower2 moveSet1 startBlockNumber endBlockNumber timeoutBlockNumber timedOut
  isAscensionBattle status powerChange1 powerChange2 rounds { index move1 move2 winner { id } } winner { id power }
  wizard1 { id } wizard2 { power } startBlock { number duelsStarted { totalCount } } timeoutBlock { number }`;
const WIZARD = `id affinity initialPower power createdBlockNumber eliminatedBlockNumber status powerChange owner { address }
  createdBlock { number } record { duels won lost drawn timedOut }`;
const QUERIES = [
  `{ wizards(orderBy: POWER_DESC) { totalCount nodes { ${WIZARD} activeDuel { ${DUEL} } duels { nodes { ${DUEL} } } } pageInfo { endCursor } } }`,
  `{ wizard(id: 1) { ${WIZARD} } duel(id: "0xd1") { ${DUEL} } }`,
  `{ duels(orderBy: START_BLOCK_DESC, filter: { wizardIds: [1, 2], endBlockFrom: 1 }) { edges { cursor node { ${DUEL} } } } }`,
  `{ wizards(filter: { minPower: 1, status: ALIVE, affinity: FIRE }) { nodes { owner { wizards { nodes { ${WIZARD} } } } } } }`,
  `{ blocks(from: 1, to: 5) { duelsStarted { nodes { ${DUEL} } } duelsEnded { totalCount } } }`,
];

const WIZARD_SERVICE_ERROR = /: UPSTREAM_BAD_RESPONSE The wizard service sent /;

const seed = newSeed();

test(`malformed JSON of the wizard service leaves correct values and errors in a response (seed ${seed})`, async () => {
  const draw = random(seed);
  const below = (n: number) => Math.floor(draw() * n);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const noise = (): unknown =>
    one<() => unknown>([
      () => null,
      () => one(['', '..', '__proto__', 'constructor', '1,2', '\u0000', '\ud800', '😀', '-0', '1e9', '0x', '9'.repeat(1e4)]),
      () => one([0, -1, 1.5, 1e308, 2 ** 53, true, false]),
      () => '@deep',
      () => ({ id: { id: 1 }, toString: 'no', length: -1 }),
      () => JSON.parse('{"__proto__":{"id":"1"},"constructor":null,"then":"now"}'),
    ])();
  const entry = (): unknown => {
    const sound: Record<string, unknown> = one([
      () => wizardFixture(1 + below(4)),
      () => duelFixture(1 + below(4), one([{}, DUEL_IN_PROGRESS, { wizard1Id: '3' }])),
    ])();
    for (let n = below(4); n > 0; n--) sound[one(Object.keys(sound))] = noise();
    return draw() < 0.1 ? noise() : sound;
  };
  const list = () => Array.from({ length: below(20) }, entry);
  const body = (): unknown =>
    one<() => unknown>([
      list,
      () => ({ wizards: list(), duels: list() }),
      () => ({ wizards: noise(), duels: noise() }),
      entry,
      noise,
    ])();
  graph.service.script = (_path, response) => {
    response.end(JSON.stringify(body()).replaceAll('"@deep"', `${'['.repeat(1e4)}${']'.repeat(1e4)}`));
    return 'handled';
  };
  for (let i = 0; i < runSize(60, 5_000); i++) {
    if (i % 5 === 0) await graph.mine(1);
    const { data, errors } = await graph.execute(one(QUERIES));
    expect([seed, i, errors.filter((error) => !WIZARD_SERVICE_ERROR.test(error))]).toEqual([seed, i, []]);
    expect([seed, i, data === null]).toEqual([seed, i, false]);
  }
});
