import { beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress, getCreateAddress, ZeroAddress, ZeroHash } from 'ethers';
import { type AnvilRpc, createAnvilRpc } from '../../../devnet/src/anvil/rpc.ts';
import { tournamentAbi, tournamentCalls, tournamentCreation } from '../../../devnet/src/tournament/contract-calls.ts';
import {
  commitmentHash,
  counterMove,
  type DuelSecret,
  type Move,
  randomMoves,
  randomSecret,
} from '../../../devnet/src/tournament/moves.ts';
import { developmentAccounts } from '../../../devnet/src/world/accounts.ts';
import { createSeededRandom } from '../../../devnet/src/world/random.ts';
import type { TransactionRequest } from '../../../devnet/src/world/transaction-requests.ts';
import type { RpcReceipt } from '../../../src/ethereum/rpc-types.ts';
import { startTestAnvil } from '../../support/anvil.ts';
import { untilTestsEnd } from '../../support/cleanups.ts';
import { readSeed as newSeed, runSize } from '../../support/random-tests.ts';

/** A chain with only the tournament contract, one transaction per block. */
let rpc: AnvilRpc;
const [alice, bob, carol, dave] = developmentAccounts().map(({ address }) => address) as [string, string, string, string];
const address = getCreateAddress({ from: alice, nonce: 0 }).toLowerCase();
const players = tournamentCalls(address);
const seed = newSeed();
const random = createSeededRandom(seed);
const UNIT = 10n ** 18n;

const [F, W] = [2, 3] as const;
const [NEUTRAL, FIRE, WATER] = [1, 2, 4];
const FIRES: Move[] = [F, F, F, F, F];
const WINDS: Move[] = [W, W, W, W, W];

beforeAll(async () => {
  rpc = untilTestsEnd(createAnvilRpc((await startTestAnvil()).url));
  expect((await send(tournamentCreation(alice))).status).toBe('0x1');
});

const mine = (blocks: number) => rpc.call('anvil_mine', `0x${blocks.toString(16)}`);
const height = async () => Number(await rpc.call<string>('eth_blockNumber'));

/** An event with its arguments as strings, addresses in lower case. */
type ExpectedEvent = readonly [event: string, ...args: string[]];

async function send(draft: TransactionRequest): Promise<{ status: string; events: ExpectedEvent[] }> {
  const hash = await rpc.call<string>('eth_sendTransaction', draft);
  await rpc.call('evm_mine');
  const { status, logs } = await rpc.call<RpcReceipt>('eth_getTransactionReceipt', hash);
  const events = logs.map((log): ExpectedEvent => {
    const { name, args } = tournamentAbi.parseLog(log)!;
    return [name, ...args.map((arg) => String(arg).toLowerCase())];
  });
  return { status: status!, events };
}

/** Returns the events of a successful transaction. */
async function events(draft: TransactionRequest): Promise<ExpectedEvent[]> {
  const { status, events } = await send(draft);
  expect(status).toBe('0x1');
  return events;
}

/** Checks that a call reverts with the reason, and that the mined transaction fails without events. */
async function expectRevert(draft: TransactionRequest, reason: string): Promise<void> {
  await expect(rpc.call('eth_call', draft, 'pending')).rejects.toThrow(`reverted: ${reason}`);
  expect(await send(draft)).toEqual({ status: '0x0', events: [] });
}

const call = (from: string, name: string, ...args: unknown[]): TransactionRequest => ({
  from,
  to: address,
  data: tournamentAbi.encodeFunctionData(name, args),
  gas: '0x61a80',
});

async function read(name: string, ...args: unknown[]) {
  const result = await rpc.call<string>('eth_call', call(alice, name, ...args), 'latest');
  return tournamentAbi.decodeFunctionResult(name, result)[0];
}
async function powerOf(wizardId: bigint): Promise<bigint> {
  const result = await rpc.call<string>('eth_call', call(alice, 'wizard', wizardId), 'latest');
  return tournamentAbi.decodeFunctionResult('wizard', result).power;
}

async function summon(owner: string, affinity: number = NEUTRAL, power = 100n * UNIT): Promise<bigint> {
  const emitted = await events(players.createWizard(owner, affinity, power));
  return BigInt(emitted.at(-1)![1]!);
}

/** Creates wizards of carol, several per block, until there are `count`. */
async function summonUntil(count: number): Promise<void> {
  for (let made = Number(await read('wizardCount')); made < count; ) {
    const size = Math.min(50, count - made);
    const creation = players.createWizard(carol, NEUTRAL, 100n * UNIT);
    await rpc.batch(Array.from({ length: size }, () => ['eth_sendTransaction', creation] as const));
    await rpc.call('evm_mine');
    made += size;
    expect(Number(await read('wizardCount'))).toBe(made);
  }
}

interface Side {
  readonly owner: string;
  readonly id: bigint;
  readonly secret: DuelSecret;
}

/** Combines a wizard with its owner and secret moves. */
const side = (owner: string, id: bigint, moves: readonly Move[] = randomMoves(random)): Side => ({
  owner,
  id,
  secret: randomSecret(id, moves, random),
});

/** Starts a duel. Returns its id and the emitted events. */
async function start(one: Side, other: Side, duration = 20): Promise<{ duelId: string; emitted: ExpectedEvent[] }> {
  expect(await events(players.challenge(one.owner, other.id, one.secret, duration))).toEqual([]);
  const emitted = await events(players.accept(other.owner, one.id, commitmentHash(one.secret), other.secret));
  return { duelId: emitted[0]![1]!, emitted };
}

const reveal = (duelId: string, { owner, secret }: Side) => events(players.reveal(owner, duelId, secret));

/** Runs a duel to its end. Returns the events of the last transaction. */
async function fight(one: Side, other: Side): Promise<ExpectedEvent[]> {
  const { duelId } = await start(one, other);
  await reveal(duelId, one);
  return reveal(duelId, other);
}

/** Creates wizards of alice and bob with these moves. */
const pair = async (moves1: Move[], moves2: Move[], power1 = 100n * UNIT, power2 = 100n * UNIT) =>
  [side(alice, await summon(alice, NEUTRAL, power1), moves1), side(bob, await summon(bob, NEUTRAL, power2), moves2)] as const;

test('duel starts when both owners agree, and its wizards cannot be transferred until it ends', async () => {
  const one = side(alice, await summon(alice, FIRE), FIRES);
  const other = side(bob, await summon(bob, WATER), WINDS);
  const { duelId, emitted } = await start(one, other, 7);
  const timeoutBlock = (await height()) + 7;
  const [commit1, commit2] = [commitmentHash(one.secret), commitmentHash(other.secret)];
  const ids = [String(one.id), String(other.id)];
  expect(emitted).toEqual([['DuelStart', duelId, ...ids, '2', '4', String(timeoutBlock), 'false', commit1, commit2]]);
  expect((await read('duel', duelId)).toObject()).toEqual({
    status: 1n,
    isAscensionBattle: false,
    wizardId1: one.id,
    wizardId2: other.id,
    timeoutBlock: BigInt(timeoutBlock),
    commit1,
    commit2,
    moveSet1: ZeroHash,
    moveSet2: ZeroHash,
  });
  await expectRevert(players.transfer(alice, carol, one.id), 'in a duel');
  await expectRevert(players.challenge(bob, one.id, other.secret, 5), 'in a duel');
  await reveal(duelId, one);
  expect((await read('duel', duelId)).moveSet1).toBe(one.secret.moveSet);
  await reveal(duelId, other);
  await expect(read('duel', duelId)).rejects.toThrow('no such duel');
  await expectRevert(players.transfer(bob, carol, other.id), 'eliminated');
  await events(players.transfer(alice, carol, one.id));
});

test('reveal accepts committed moves from any account, once and before the timeout', async () => {
  const [one, other] = await pair(FIRES, FIRES);
  await expectRevert(players.reveal(alice, ZeroHash, one.secret), 'no such duel is running');
  const { duelId } = await start(one, other, 12);
  const { moveSet } = side(alice, one.id, WINDS).secret;
  await expectRevert(players.reveal(alice, duelId, { ...one.secret, moveSet }), 'not what was committed to');
  await expectRevert(players.reveal(alice, duelId, { ...one.secret, salt: ZeroHash }), 'not what was committed to');
  await expectRevert(players.reveal(bob, duelId, { ...one.secret, wizardId: other.id }), 'not what was committed to');
  await expectRevert(players.reveal(bob, duelId, { ...one.secret, wizardId: 1n }), 'not in this duel');
  expect(await events(players.reveal(dave, duelId, one.secret))).toEqual([]);
  await expectRevert(players.reveal(alice, duelId, one.secret), 'revealed before');
  await mine(12);
  await expectRevert(players.reveal(bob, duelId, other.secret), 'timed out');
});

test('end of a duel emits DuelEnd, then the power changes, then the elimination', async () => {
  const [one, other] = await pair(FIRES, WINDS, 900n, 5n);
  const { duelId } = await start(one, other);
  expect(await reveal(duelId, other)).toEqual([]);
  const [first, second] = [String(one.id), String(other.id)];
  expect(await reveal(duelId, one)).toEqual([
    ['DuelEnd', duelId, first, second, one.secret.moveSet, other.secret.moveSet, '900', '5', '905', '0'],
    ['WizardPowerChanged', first, '905'],
    ['WizardPowerChanged', second, '0'],
    ['WizardEliminated', second],
  ]);
  expect(await read('living')).not.toContain(other.id);
  await expectRevert(players.challenge(bob, one.id, other.secret, 5), 'eliminated');
  await expectRevert(players.challenge(alice, other.id, one.secret, 5), 'no such opponent');
  await expectRevert(players.transfer(bob, carol, other.id), 'eliminated');
  expect((await read('ownerOf', other.id)).toLowerCase()).toBe(bob);
});

test('timeOut reverts in the timeout block and succeeds after it', async () => {
  const [one, other] = await pair(FIRES, WINDS);
  const { duelId } = await start(one, other, 2);
  await mine(1);
  await expectRevert(players.timeOut(dave, duelId), 'not timed out');
  expect((await events(players.timeOut(dave, duelId)))[0]![0]).toBe('DuelTimeOut');
  await expectRevert(players.timeOut(dave, ZeroHash), 'no such duel is running');
});

describe('tournament contract: ascension battles', () => {
  /** Creates a wizard with power 1500, the ascension threshold, and one with power 100. */
  async function ascending(moves1: Move[], moves2: Move[]) {
    const [one, other] = await pair(FIRES, WINDS, 1000n * UNIT, 500n * UNIT);
    await fight(one, other);
    return [side(alice, one.id, moves1), side(carol, await summon(carol), moves2)] as const;
  }

  test.each<[string, Move[], Move[], bigint, bigint]>([
    ['gives the stronger winner all power', FIRES, [W, F, F, F, F], 1600n, 0n],
    ['gives the weaker winner all power', [W, F, F, F, F], FIRES, 0n, 1600n],
    ['changes no power in a draw', FIRES, FIRES, 1500n, 100n],
  ])('ascension battle %s', async (_case, moves1, moves2, end1, end2) => {
    const [one, other] = await ascending(moves1, moves2);
    const { duelId, emitted } = await start(one, other);
    expect(emitted[0]![7]).toBe('true');
    expect((await read('duel', duelId)).isAscensionBattle).toBe(true);
    await reveal(duelId, one);
    await reveal(duelId, other);
    expect([await powerOf(one.id), await powerOf(other.id)]).toEqual([end1 * UNIT, end2 * UNIT]);
  });
});

/** Computes the end powers of a duel independently of the contract. */
function expected(sides: readonly [Fighter, Fighter], silent: readonly [boolean, boolean], ascension: boolean): [bigint, bigint] {
  const points = ([one, other]: readonly Fighter[]) =>
    one!.moves.reduce((sum, move, round) => {
      const won = counterMove(other!.moves[round]!) === move;
      return sum + (won ? (move === one!.affinity ? 3n : 2n) : 0n);
    }, 0n);
  const [a, b] = sides;
  const lead = silent[0] || silent[1] ? 10n * BigInt(Number(silent[1]) - Number(silent[0])) : points(sides) - points([b, a]);
  if (lead === 0n) return [a.power, b.power];
  const [winner, loser] = lead > 0n ? [a, b] : [b, a];
  const size = lead > 0n ? lead : -lead;
  const { power: stake } = a.power < b.power ? a : b;
  const taken = ascension ? loser.power : size >= 10n ? stake : (stake * size + 9n) / 10n;
  const end = (fighter: Fighter) => (fighter === winner ? fighter.power + taken : fighter.power - taken);
  return [end(a), end(b)];
}

interface Fighter {
  readonly affinity: number;
  readonly power: bigint;
  readonly moves: readonly Move[];
}

test(`total power is constant over random duels (seed ${seed})`, async () => {
  const people = [alice, bob, carol, dave];
  const wizards = new Map<bigint, { owner: string; affinity: number; power: bigint }>();
  const outsiders = new Set<bigint>(await read('living'));
  let total = 0n;
  let eliminated = 0;
  // Continues until a wizard is eliminated, so that every size has one.
  for (let round = 0; round < runSize(15, 60) || (eliminated === 0 && round < 200); round += 1) {
    while (wizards.size < 6) {
      const made = {
        owner: random.pick(people),
        affinity: 1 + random.nextInt(4),
        power: BigInt(1 + random.nextInt(1000)) * (random.nextInt(2) ? UNIT : 1n),
      };
      wizards.set(await summon(made.owner, made.affinity, made.power), made);
      total += made.power;
    }
    const ids = [...wizards.keys()];
    const id1 = random.pick(ids);
    const id2 = random.pick(ids.filter((id) => id !== id1));
    const fighters = [id1, id2].map((id) => ({ ...wizards.get(id)!, id, moves: randomMoves(random) })) as [any, any];
    const [one, other] = fighters.map(({ owner, id, moves }) => side(owner, id, moves)) as [Side, Side];
    const silent: [boolean, boolean] = [random.nextInt(6) === 0, random.nextInt(6) === 0];
    const { duelId, emitted } = await start(one, other, 3);
    if (!silent[0]) await reveal(duelId, one);
    if (!silent[1]) await reveal(duelId, other);
    if (silent[0] || silent[1]) {
      await mine(3);
      await events(players.timeOut(alice, duelId));
    }
    const ascension = fighters.some(({ power }) => power >= 1500n * UNIT);
    expect(emitted[0]![7]).toBe(String(ascension));
    const ends = expected(fighters, silent, ascension);
    expect([await powerOf(id1), await powerOf(id2)]).toEqual(ends);
    for (const [index, id] of [id1, id2].entries()) {
      wizards.set(id, { ...wizards.get(id)!, power: ends[index]! });
      if (ends[index] === 0n) eliminated += Number(wizards.delete(id));
    }
    const living = ([...(await read('living'))] as bigint[]).filter((id) => !outsiders.has(id));
    expect(new Set(living)).toEqual(new Set(wizards.keys()));
    let sum = 0n;
    for (const id of living) sum += await powerOf(id);
    expect(sum).toBe(total);
  }
  expect(eliminated).toBeGreaterThan(0);
});

test('eliminated wizard is burned after 256 more creations, and a living one is not', async () => {
  const [one, other] = await pair(FIRES, WINDS, 300n * UNIT, UNIT);
  await fight(one, other);
  expect(await powerOf(other.id)).toBe(0n);
  await summonUntil(Number(other.id) + 255);
  expect(await read('ownerOf', other.id)).toBe(getAddress(bob));
  const emitted = [
    ...(await events(players.createWizard(carol, FIRE, UNIT))),
    ...(await events(players.createWizard(carol, FIRE, UNIT))),
  ];
  expect(emitted.filter(([name, , to]) => name === 'Transfer' && to === ZeroAddress)).toEqual([
    ['Transfer', bob, ZeroAddress, String(other.id)],
  ]);
  await expect(read('ownerOf', other.id)).rejects.toThrow('no such wizard');
  expect(await powerOf(one.id)).toBeGreaterThan(0n);
});
