import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { type Devnet, type DevnetOptions, startDevnet } from '../../../src/devnet/index.ts';
import { tournamentAbi, tournamentCalls } from '../../../src/devnet/tournament/contract-calls.ts';
import { randomMoves, randomSecret } from '../../../src/devnet/tournament/moves.ts';
import { createSeededRandom } from '../../../src/devnet/world/random.ts';
import type { TransactionRequest } from '../../../src/devnet/world/transaction-requests.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { decodeEvent, eventsOf, readContract, type WireLog } from '../../support/tournament-contract.ts';

const log = pino({ level: 'silent' });
const anySeed = Math.floor(Math.random() * 2 ** 31);

async function withDevnet<Value>(options: Omit<DevnetOptions, 'log'>, use: (devnet: Devnet) => Promise<Value>): Promise<Value> {
  const devnet = await startDevnet({ ...options, log });
  try {
    return await use(devnet);
  } finally {
    await devnet.stop();
  }
}

/** Asserts that each block from `from` on has two to five transactions, or none after a reorg, and that no move reverted. */
async function expectNoRevertedMove({ description: { endpoints, tournament } }: Devnet, from: number): Promise<void> {
  const height = Number(await rpc(endpoints.http, 'eth_blockNumber', []));
  for (let number = from; number <= height; number += 1) {
    const receipts: any[] = await rpc(endpoints.http, 'eth_getBlockReceipts', [toQuantity(number)]);
    if (receipts.length > 0) expect([2, 3, 4, 5]).toContain(receipts.length);
    expect(receipts.filter(({ to, status }) => to === tournament.address && status !== '0x1')).toEqual([]);
  }
}

/** Subscribes and resolves when `isEnough` returns true for an event. */
async function waitForNotification(devnet: Devnet, params: unknown[], isEnough: (result: any) => boolean): Promise<void> {
  const socket = new WebSocket(devnet.description.endpoints.ws);
  try {
    await once(socket, 'open');
    const enough = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (message) => {
        const { method, params: notification } = JSON.parse(String(message));
        if (method === 'eth_subscription' && isEnough(notification.result)) resolve();
      });
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }));
    await enough;
  } finally {
    socket.terminate();
  }
}

test(`equal seeds play the same tournament during devnet activity, and other seeds another one (seeds ${anySeed}, ${anySeed + 1})`, async () => {
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

test(`devnet activity creates, transfers and eliminates wizards, and starts, ends and times out duels (seed ${anySeed})`, () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, landmarks } = devnet.description;
    const seen = new Map<string, number>();
    const expectedKinds = [
      'WizardCreated',
      'WizardEliminated',
      'WizardPowerChanged',
      'DuelStart',
      'DuelEnd',
      'DuelTimeOut',
      'gift',
    ];
    await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire: WireLog) => {
      const { event, args } = decodeEvent(wire);
      const kind = event === 'Transfer' && BigInt(args.from!) !== 0n ? 'gift' : event;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return expectedKinds.every((each) => (seen.get(each) ?? 0) >= 3);
    });

    await expectNoRevertedMove(devnet, landmarks.lastBlock + 1);
    const [living] = await readContract(devnet, 'living');
    expect(living.length).toBeGreaterThan(2);
    expect(living.length).toBeLessThanOrEqual(13);
    const [standoff] = await readContract(devnet, 'duel', landmarks.runningDuel);
    expect(standoff.status).toBe(1n);
  }));

test('devnet players continue after a reorg that removes their duels', () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, nodeService, endpoints, landmarks } = devnet.description;
    await waitForNotification(devnet, ['newHeads'], ({ number }) => Number(number) >= landmarks.lastBlock + 20);
    const init = { method: 'POST', body: JSON.stringify({ reorg: { depth: 12 } }) };
    const { reorg } = (await (await fetch(nodeService.control, init)).json()) as any;
    expect(reorg.removed).toHaveLength(12);
    const kinds = new Set<string>();
    await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire: WireLog & { removed: boolean }) => {
      if (!wire.removed) kinds.add(decodeEvent(wire).event);
      return kinds.has('DuelStart') && kinds.has('DuelEnd');
    });
    await expectNoRevertedMove(devnet, Number((await rpc(endpoints.http, 'eth_getBlockByHash', [reorg.added[0], false])).number));
  }));

test('devnet players accept the challenge of a user and reveal their moves', () =>
  withDevnet({ seed: anySeed, blockTime: 0.02 }, async (devnet) => {
    const { tournament, accounts, endpoints } = devnet.description;
    // An account outside the devnet's activity.
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

    // A challenged player may be busy by then, or forget to reveal: repeat.
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
