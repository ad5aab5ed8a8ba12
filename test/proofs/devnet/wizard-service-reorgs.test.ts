import { beforeAll, expect, test } from '@jest/globals';
import { toBeHex } from 'ethers';
import { type DevnetWizardServer, startWizardService } from '../../../devnet/src/wizard-service/index.ts';
import { developmentAccounts } from '../../../devnet/src/world/accounts.ts';
import { createSeededRandom } from '../../../devnet/src/world/random.ts';
import { untilTestsEnd } from '../../support/cleanups.ts';
import { readSeed, runSize } from '../../support/random-tests.ts';
import { log } from '../../support/silent-log.ts';
import { type EmitterChain, type EventEmission, startEmitterChain } from '../../support/upstream/emitter-chain.ts';
import { waitUntil } from '../../support/wait-until.ts';

const TOKEN = 'token';
const EMAIL = 'wizard@example.org';
const HEADERS = { 'content-type': 'application/json', 'x-api-token': TOKEN, 'x-email': EMAIL };
const addresses = developmentAccounts()
  .slice(0, 10)
  .map(({ address }) => address);
const word = (value: number) => toBeHex(value, 32);

let chain: EmitterChain;

beforeAll(async () => {
  chain = await startEmitterChain();
});

const start = async (maxRollbackBlocks = 512) => {
  const { url: rpcUrl, contract } = chain;
  const options = { rpcUrl, contract, token: TOKEN, email: EMAIL, pollMs: 5, maxRollbackBlocks, log };
  return untilTestsEnd(await startWizardService(options));
};

/** Every resource of the service. */
const readLists = async ({ url }: DevnetWizardServer) => {
  const answers = await Promise.all(['/wizards', '/duels'].map((path) => fetch(url + path, { headers: HEADERS })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  return Promise.all(answers.map((answer) => answer.json()));
};

/** Resolves when the service has indexed the chain's head. */
const waitForServiceHead = async ({ control }: DevnetWizardServer) => {
  const head = await chain.head();
  const isIndexed = async () => ((await (await fetch(control)).json()) as any).head?.hash === head.hash;
  await waitUntil(isIndexed, `the service has indexed block ${head.number}`);
};

/** The resources of a new service, which has never seen another branch. */
const readListsFromFreshService = async () => {
  const fresh = await start();
  try {
    await fresh.indexed;
    await waitForServiceHead(fresh);
    return await readLists(fresh);
  } finally {
    await fresh.stop();
  }
};

/** Few wizards and duels, so that most events change something, and some change it twice in a block. */
function randomEmissions(random: ReturnType<typeof createSeededRandom>): EventEmission[] {
  const one = (): EventEmission => {
    const [id, other, duel] = [random.nextInt(9), random.nextInt(9), word(random.nextInt(9))];
    const powers = Array.from({ length: 4 }, () => random.nextInt(1000));
    switch (random.nextInt(7)) {
      case 0:
        return ['WizardCreated', id, random.pick(addresses), random.nextInt(5), random.nextInt(1000)];
      case 1:
        return ['Transfer', random.pick(addresses), random.pick(addresses), id];
      case 2:
        return ['WizardPowerChanged', id, random.nextInt(1000)];
      case 3:
        return ['WizardEliminated', id];
      case 4:
        return [
          'DuelStart',
          duel,
          id,
          other,
          random.nextInt(5),
          random.nextInt(5),
          random.nextInt(99),
          random.nextInt(2) === 1,
          duel,
          duel,
        ];
      case 5:
        return ['DuelEnd', duel, id, other, word(random.nextInt(99)), word(random.nextInt(99)), ...powers];
      default:
        return ['DuelTimeOut', duel, id, other, ...powers];
    }
  };
  return Array.from({ length: random.nextInt(6) }, one);
}

const mineSome = async (blocks: number, random: ReturnType<typeof createSeededRandom>) => {
  for (let mined = 0; mined < blocks; mined += 1) await chain.mine(...randomEmissions(random));
};

/** Each reorg replaces the last blocks by an equal number of blocks, by fewer, by more or by none. */
const reorgCount: Record<string, (depth: number, random: ReturnType<typeof createSeededRandom>) => Promise<void>> = {
  async 'a reorganisation to the same height'(depth, random) {
    const placed = Array.from({ length: depth }, (_, place) => [chain.emitTransaction(randomEmissions(random)), place]);
    await chain.rpc('anvil_reorg', depth, placed);
  },
  async 'a branch of another length'(depth, random) {
    await chain.rpc('anvil_rollback', depth);
    await mineSome(1 + random.nextInt(2 * depth), random);
  },
  async 'a shorter chain'(depth) {
    await chain.rpc('anvil_rollback', depth);
  },
};

const REORGS = runSize(8, 24);

test(`wizard service equals a new one after each of ${REORGS} random reorgs`, async () => {
  const random = createSeededRandom(readSeed());
  const service = await start();
  // Below every reorg, so that the lists are not empty in all rounds.
  await chain.mine(
    ['WizardCreated', 1, addresses[0], 1, 10],
    ['WizardCreated', 2, addresses[1], 1, 10],
    ['DuelStart', word(1), 1, 2, 1, 1, 99, false, word(1), word(1)],
  );
  await waitForServiceHead(service);
  const created = (await readLists(service)) as [any, any];
  expect([created[0].wizards.length, created[1].duels.length]).toEqual([2, 1]);
  await mineSome(12, random);
  for (let round = 0; round < REORGS; round += 1) {
    await mineSome(random.nextInt(5), random);
    // In half of the rounds the service has indexed the whole branch, in the other half any part of it.
    if (random.nextInt(2) === 0) await waitForServiceHead(service);
    const { number } = await chain.head();
    const kind = random.pick(Object.keys(reorgCount));
    await reorgCount[kind]!(1 + random.nextInt(Math.min(8, number - 4)), random);
    await waitForServiceHead(service);
    expect([round, kind, await readLists(service)]).toEqual([round, kind, await readListsFromFreshService()]);
  }
});

test('wizard service reindexes a branch that forks below its retained blocks', async () => {
  const random = createSeededRandom(7);
  const service = await start(3);
  await mineSome(20, random);
  await waitForServiceHead(service);
  await reorgCount['a branch of another length']!(10, random);
  await waitForServiceHead(service);
  expect(await readLists(service)).toEqual(await readListsFromFreshService());
});
