import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toBeHex, toQuantity } from 'ethers';
import pino from 'pino';
import { startWizardService, type WizardService } from '../../src/devnet/wizard-service/index.ts';
import { developmentAccounts } from '../../src/devnet/world/accounts.ts';
import { seeded } from '../../src/devnet/world/random.ts';
import { startTellingChain, type Telling, type TellingChain } from '../support/subscriptions/tournament-events.ts';

const log = pino({ level: 'silent' });
const TOKEN = 'token';
const EMAIL = 'wizard@example.org';
const HEADERS = { 'content-type': 'application/json', 'x-api-token': TOKEN, 'x-email': EMAIL };
const people = developmentAccounts()
  .slice(0, 10)
  .map(({ address }) => address);
const word = (value: number) => toBeHex(value, 32);

let chain: TellingChain;

beforeAll(async () => {
  chain = await startTellingChain();
});

afterAll(async () => {
  await chain?.stop();
});

const start = (keptBlocks = 512) => {
  const { url: rpcUrl, contract } = chain;
  return startWizardService({ rpcUrl, contract, token: TOKEN, email: EMAIL, pollMs: 5, keptBlocks, log });
};

/** Everything that the service serves. */
const served = async ({ url }: WizardService) => {
  const answers = await Promise.all(['/wizards', '/duels'].map((path) => fetch(url + path, { headers: HEADERS })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  return Promise.all(answers.map((answer) => answer.json() as any));
};

/** Resolves when the service is at the chain's head, which does not move meanwhile. */
const caughtUp = async ({ control }: WizardService) => {
  const head = await chain.head();
  for (;;) {
    const state: any = await (await fetch(control)).json();
    if (state.head?.hash === head.hash) return;
  }
};

/** What a service tells that has never seen another branch. */
const servedAnew = async () => {
  const fresh = await start();
  try {
    await fresh.indexed;
    await caughtUp(fresh);
    return await served(fresh);
  } finally {
    await fresh.stop();
  }
};

/** Few wizards and few duels, so that most events change something, and some change the same thing twice in a block. */
function tellings(random: ReturnType<typeof seeded>): Telling[] {
  const one = (): Telling => {
    const [id, other, duel] = [random.below(9), random.below(9), word(random.below(9))];
    const powers = Array.from({ length: 4 }, () => random.below(1000));
    switch (random.below(7)) {
      case 0:
        return ['WizardCreated', id, random.pick(people), random.below(5), random.below(1000)];
      case 1:
        return ['Transfer', random.pick(people), random.pick(people), id];
      case 2:
        return ['WizardPowerChanged', id, random.below(1000)];
      case 3:
        return ['WizardEliminated', id];
      case 4:
        return [
          'DuelStart',
          duel,
          id,
          other,
          random.below(5),
          random.below(5),
          random.below(99),
          random.below(2) === 1,
          duel,
          duel,
        ];
      case 5:
        return ['DuelEnd', duel, id, other, word(random.below(99)), word(random.below(99)), ...powers];
      default:
        return ['DuelTimeOut', duel, id, other, ...powers];
    }
  };
  return Array.from({ length: random.below(6) }, one);
}

const mineSome = async (blocks: number, random: ReturnType<typeof seeded>) => {
  for (let mined = 0; mined < blocks; mined += 1) await chain.mine(...tellings(random));
};

/** Each replaces the last blocks by others: as many, fewer or more of them, or by nothing. */
const reorganisations: Record<string, (depth: number, random: ReturnType<typeof seeded>) => Promise<void>> = {
  async 'a reorganisation to the same height'(depth, random) {
    const placed = Array.from({ length: depth }, (_, place) => [chain.telling(tellings(random)), place]);
    await chain.rpc('anvil_reorg', depth, placed);
  },
  async 'a branch of another length'(depth, random) {
    await chain.rpc('anvil_rollback', depth);
    await mineSome(1 + random.below(2 * depth), random);
  },
  async 'a shorter chain'(depth) {
    await chain.rpc('anvil_rollback', depth);
  },
};

const anySeed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`after each of 24 random reorganisations it is as if the other branch had never been (seed ${anySeed})`, async () => {
  const random = seeded(anySeed);
  const service = await start();
  try {
    await mineSome(12, random);
    for (let round = 0; round < 24; round += 1) {
      await mineSome(random.below(5), random);
      // Half of the time the service sees the branch first, half of the time it may see any part of it.
      if (random.below(2) === 0) await caughtUp(service);
      const { number } = await chain.head();
      const kind = random.pick(Object.keys(reorganisations));
      await reorganisations[kind]!(1 + random.below(Math.min(8, number - 4)), random);
      await caughtUp(service);
      expect([round, kind, await served(service)]).toEqual([round, kind, await servedAnew()]);
    }
    const [{ wizards }, { duels }] = (await served(service)) as [any, any];
    expect(Math.min(wizards.length, duels.length)).toBeGreaterThan(0);
  } finally {
    await service.stop();
  }
});

test('a branch that begins below all that is kept is read anew', async () => {
  const random = seeded(7);
  const service = await start(3);
  try {
    await mineSome(20, random);
    await caughtUp(service);
    await reorganisations['a branch of another length']!(10, random);
    await caughtUp(service);
    expect(await served(service)).toEqual(await servedAnew());
  } finally {
    await service.stop();
  }
});

test('more blocks than are read at once are all indexed', async () => {
  await chain.rpc('anvil_mine', toQuantity(450));
  await mineSome(3, seeded(8));
  const [{ wizards }] = (await servedAnew()) as [any];
  const service = await start(2);
  try {
    await caughtUp(service);
    expect((await served(service))[0].wizards).toEqual(wizards);
  } finally {
    await service.stop();
  }
});

test('who asks all the time during reorganisations gets nothing but whole states of one branch', async () => {
  const random = seeded(9);
  const service = await start();
  /** Two wizards whose powers are the same after every block, on every branch. */
  const mineTwins = async () => {
    const power = 1 + random.below(1000);
    await chain.mine(['WizardPowerChanged', 1, power], ['WizardPowerChanged', 2, power]);
  };
  await chain.mine(['WizardCreated', 1, people[0], 2, 0], ['WizardCreated', 2, people[0], 2, 0]);
  await caughtUp(service);
  let over = false;
  const asking = (async () => {
    let answers = 0;
    for (; !over; answers += 1) {
      const [{ wizards }] = (await served(service)) as [any];
      const [one, two] = ['1', '2'].map((id) => wizards.find((wizard: any) => wizard.id === id));
      expect(one.power).toBe(two.power);
    }
    return answers;
  })();
  try {
    for (let round = 0; round < 10; round += 1) {
      for (let block = 0; block < 3; block += 1) await mineTwins();
      await caughtUp(service);
      await chain.rpc('anvil_rollback', 3);
      for (let block = 0; block < 3; block += 1) await mineTwins();
      await caughtUp(service);
    }
  } finally {
    over = true;
    expect(await asking).toBeGreaterThan(10);
    await service.stop();
  }
});
