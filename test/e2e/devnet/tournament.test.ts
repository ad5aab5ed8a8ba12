import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { type Devnet, type DevnetOptions, startDevnet } from '../../../src/devnet/index.ts';
import { tournamentAbi, tournamentCalls } from '../../../src/devnet/tournament/contract-calls.ts';
import { randomMoves, randomSecret } from '../../../src/devnet/tournament/moves.ts';
import { createSeededRandom } from '../../../src/devnet/world/random.ts';
import type { TransactionRequest } from '../../../src/devnet/world/transaction-requests.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';

/** The tournament that the embedded chain brings: its built history, and its life. */
const log = pino({ level: 'silent' });
const anySeed = Math.floor(Math.random() * 2 ** 31);

interface WireLog {
  readonly address: string;
  readonly blockNumber: string;
  readonly topics: string[];
  readonly data: string;
}

/** An event by name, with its arguments as text. */
interface DecodedEvent {
  readonly event: string;
  readonly block: number;
  readonly args: Readonly<Record<string, string>>;
}

function read({ topics, data, blockNumber }: WireLog): DecodedEvent {
  const { name, args } = tournamentAbi.parseLog({ topics, data })!;
  const entries = Object.entries(args.toObject()).map(([key, value]) => [key, String(value).toLowerCase()]);
  return { event: name, block: Number(blockNumber), args: Object.fromEntries(entries) };
}

async function eventsOf({ description: { endpoints, tournament } }: Devnet, from: number, to: number): Promise<DecodedEvent[]> {
  const filter = { address: tournament.address, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  return (await rpc<WireLog[]>(endpoints.http, 'eth_getLogs', [filter])).map(read);
}

async function readContract({ description: { endpoints, tournament } }: Devnet, name: string, ...args: unknown[]): Promise<any> {
  const data = tournamentAbi.encodeFunctionData(name, args);
  return tournamentAbi.decodeFunctionResult(
    name,
    await rpc(endpoints.http, 'eth_call', [{ to: tournament.address, data }, 'latest']),
  );
}

async function withDevnet<Value>(options: Omit<DevnetOptions, 'log'>, use: (devnet: Devnet) => Promise<Value>): Promise<Value> {
  const devnet = await startDevnet({ ...options, log });
  try {
    return await use(devnet);
  } finally {
    await devnet.stop();
  }
}

/** From this block on each has two to five transactions, or none after a reorganisation, and the contract refused no move. */
async function expectNoRevertedMove({ description: { endpoints, tournament } }: Devnet, from: number): Promise<void> {
  const height = Number(await rpc(endpoints.http, 'eth_blockNumber', []));
  for (let number = from; number <= height; number += 1) {
    const receipts: any[] = await rpc(endpoints.http, 'eth_getBlockReceipts', [toQuantity(number)]);
    if (receipts.length > 0) expect([2, 3, 4, 5]).toContain(receipts.length);
    expect(receipts.filter(({ to, status }) => to === tournament.address && status !== '0x1')).toEqual([]);
  }
}

/** Hears what a subscription tells until it has told enough. */
async function waitForNotification(devnet: Devnet, params: unknown[], isEnough: (told: any) => boolean): Promise<void> {
  const socket = new WebSocket(devnet.description.endpoints.ws);
  try {
    await once(socket, 'open');
    const enough = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (message) => {
        const { method, params: told } = JSON.parse(String(message));
        if (method === 'eth_subscription' && isEnough(told.result)) resolve();
      });
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
    await enough;
  } finally {
    socket.terminate();
  }
}

describe.each([1, anySeed])('the tournament in the history that seed %i builds', (seed) => {
  let devnet: Devnet;
  let told: DecodedEvent[];
  const about = (duel: 'finishedDuel' | 'timedOutDuel' | 'runningDuel' | 'ascensionDuel') =>
    told.filter(({ args }) => args.duelId === devnet.description.landmarks[duel]);
  const events = (list: DecodedEvent[]) => list.map(({ event }) => event);

  beforeAll(async () => {
    devnet = await startDevnet({ seed, hasActivity: false, log });
    told = await eventsOf(devnet, 0, devnet.description.landmarks.lastBlock);
  });
  afterAll(() => devnet?.stop());

  test('was created where the description says', async () => {
    const { endpoints, tournament } = devnet.description;
    const { contractAddress, blockNumber, status } = await rpc(endpoints.http, 'eth_getTransactionReceipt', [
      tournament.transactionHash,
    ]);
    expect({ address: contractAddress, blockNumber: Number(blockNumber), status }).toEqual({
      address: '0xbded0d2bf404bdcba897a74e6657f1f12e5c6fb6',
      blockNumber: tournament.blockNumber,
      status: '0x1',
    });
    expect(tournament.address).toBe(contractAddress);
  });

  test('has wizards of every development account, and one that changed hands', async () => {
    const { accounts } = devnet.description;
    const created = told.filter(({ event }) => event === 'WizardCreated').map(({ args }) => [args.wizardId, args.owner]);
    expect(created).toEqual(accounts.slice(0, 10).map(({ address }, index) => [String(index + 1), address]));
    const moved = told.filter(({ event, args }) => event === 'Transfer' && BigInt(args.from!) !== 0n);
    expect(moved.map(({ args }) => args)).toEqual([{ from: accounts[7]!.address, to: accounts[8]!.address, tokenId: '8' }]);
  });

  test('has a duel that ended, and the wizard that it eliminated', async () => {
    const { eliminatedWizard } = devnet.description.landmarks;
    const [start, end] = about('finishedDuel');
    expect(events([start!, end!])).toEqual(['DuelStart', 'DuelEnd']);
    expect(start!.args.isAscensionBattle).toBe('false');
    expect(end!.args).toMatchObject({ wizardId2: eliminatedWizard, endPower2: '0' });
    expect(told).toContainEqual({ event: 'WizardEliminated', block: end!.block, args: { wizardId: eliminatedWizard } });
    expect((await readContract(devnet, 'wizard', eliminatedWizard)).power).toBe(0n);
  });

  test('has a duel that timed out, and cost the silent one some power', () => {
    const [start, end] = about('timedOutDuel');
    expect(events([start!, end!])).toEqual(['DuelStart', 'DuelTimeOut']);
    expect(end!.block).toBeGreaterThan(Number(start!.args.timeoutBlock));
    const { startPower1, endPower1 } = end!.args;
    expect(BigInt(endPower1!)).toBeLessThan(BigInt(startPower1!));
    expect(BigInt(endPower1!)).toBeGreaterThan(0n);
  });

  test('has a duel that goes on for long', async () => {
    expect(events(about('runningDuel'))).toEqual(['DuelStart']);
    const [duel] = await readContract(devnet, 'duel', devnet.description.landmarks.runningDuel);
    expect(duel.status).toBe(1n);
    expect(Number(duel.timeoutBlock)).toBeGreaterThan(1_000_000);
  });

  test('has an ascension battle that left one wizard', () => {
    const [start, end] = about('ascensionDuel');
    expect(events([start!, end!])).toEqual(['DuelStart', 'DuelEnd']);
    expect(start!.args.isAscensionBattle).toBe('true');
    expect([end!.args.endPower1, end!.args.endPower2]).toContain('0');
  });

  test('tells nothing but what the wizards are in the end', async () => {
    const power = new Map<string, bigint>();
    const owner = new Map<string, string>();
    for (const { event, args } of told) {
      if (event === 'WizardCreated' || event === 'WizardPowerChanged') power.set(args.wizardId!, BigInt(args.power!));
      if (event === 'Transfer') owner.set(args.tokenId!, args.to!);
    }
    for (const id of power.keys()) {
      const wizard = await readContract(devnet, 'wizard', id);
      expect([id, wizard.power, wizard.owner.toLowerCase()]).toEqual([id, power.get(id), owner.get(id)]);
    }
    const [living] = await readContract(devnet, 'living');
    expect([...living].map(String).sort()).toEqual([...power.keys()].filter((id) => power.get(id)! > 0n).sort());
  });
});

test(`the same seed plays the same tournament, also while it lives, and another seed another one (seeds ${anySeed}, ${anySeed + 1})`, async () => {
  const play = (seed: number) =>
    withDevnet({ seed, blockTime: 0.02 }, async (devnet) => {
      const end = devnet.description.landmarks.lastBlock + 60;
      await waitForNotification(devnet, ['newHeads'], ({ number }) => Number(number) >= end);
      return eventsOf(devnet, 0, end);
    });
  const [one, again, other] = await Promise.all([play(anySeed), play(anySeed), play(anySeed + 1)]);
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
});

test(`life goes on for ever: wizards come, change hands and go, duels start, end and time out (seed ${anySeed})`, () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, landmarks } = devnet.description;
    const seen = new Map<string, number>();
    const often = ['WizardCreated', 'WizardEliminated', 'WizardPowerChanged', 'DuelStart', 'DuelEnd', 'DuelTimeOut', 'gift'];
    await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire: WireLog) => {
      const { event, args } = read(wire);
      const kind = event === 'Transfer' && BigInt(args.from!) !== 0n ? 'gift' : event;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return often.every((each) => (seen.get(each) ?? 0) >= 3);
    });

    await expectNoRevertedMove(devnet, landmarks.lastBlock + 1);
    const [living] = await readContract(devnet, 'living');
    expect(living.length).toBeGreaterThan(2);
    expect(living.length).toBeLessThanOrEqual(13);
    const [standoff] = await readContract(devnet, 'duel', landmarks.runningDuel);
    expect(standoff.status).toBe(1n);
  }));

test('players go on after a reorganisation that takes their duels back', () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, nodeService, endpoints, landmarks } = devnet.description;
    await waitForNotification(devnet, ['newHeads'], ({ number }) => Number(number) >= landmarks.lastBlock + 20);
    const init = { method: 'POST', body: JSON.stringify({ reorg: { depth: 12 } }) };
    const { reorg } = (await (await fetch(nodeService.control, init)).json()) as any;
    expect(reorg.removed).toHaveLength(12);
    const kinds = new Set<string>();
    await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire: WireLog & { removed: boolean }) => {
      if (!wire.removed) kinds.add(read(wire).event);
      return kinds.has('DuelStart') && kinds.has('DuelEnd');
    });
    await expectNoRevertedMove(devnet, Number((await rpc(endpoints.http, 'eth_getBlockByHash', [reorg.added[0], false])).number));
  }));

test('players accept the challenge of a user, and reveal their moves in it', () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, accounts, endpoints } = devnet.description;
    // Somebody whose wizard nobody else moves.
    const user = `0x${'5e'.repeat(20)}`;
    await rpc(endpoints.http, 'anvil_setBalance', [user, toQuantity(10n ** 20n)]);
    await rpc(endpoints.http, 'anvil_impersonateAccount', [user]);
    const players = tournamentCalls(tournament.address);
    const send = (draft: TransactionRequest) => rpc(endpoints.http, 'eth_sendTransaction', [draft]);
    const nextBlock = () => waitForNotification(devnet, ['newHeads'], () => true);
    await send(players.createWizard(user, 1, 1n));
    while ((await readContract(devnet, 'balanceOf', user))[0] === 0n) await nextBlock();
    const wizards = [];
    for (let id = (await readContract(devnet, 'wizardCount'))[0]; id > 0n; id -= 1n)
      wizards.push([id, (await readContract(devnet, 'wizard', id)).owner]);
    const [mine] = wizards.find(([, owner]) => owner.toLowerCase() === user)!;
    const random = createSeededRandom(anySeed);
    const secret = randomSecret(mine, randomMoves(random), random);
    const end = tournamentAbi.encodeFilterTopics('DuelEnd', [null, mine]);

    // Whoever is asked may be busy by then, and whoever accepts may forget: then it is tried again.
    while ((await rpc(endpoints.http, 'eth_getLogs', [{ fromBlock: '0x0', topics: end }])).length === 0) {
      const { duelId } = await readContract(devnet, 'wizard', mine);
      if (BigInt(duelId) !== 0n) {
        if (BigInt((await readContract(devnet, 'duel', duelId))[0].moveSet1) === 0n)
          await send(players.reveal(user, duelId, secret));
      } else {
        for (const id of (await readContract(devnet, 'living'))[0]) {
          const other = await readContract(devnet, 'wizard', id);
          const isFree = BigInt(other.duelId) === 0n && accounts.some(({ address }) => address === other.owner.toLowerCase());
          if (isFree) await send(players.challenge(user, id, secret, 30));
        }
      }
      await nextBlock();
    }
  }));
