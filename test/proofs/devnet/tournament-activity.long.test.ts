import { once } from 'node:events';
import { beforeAll, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import { WebSocket } from 'ws';
import type { Devnet } from '../../../devnet/src/index.ts';
import type { RpcLog } from '../../../src/ethereum/rpc-types.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { readSeed } from '../../support/random-tests.ts';
import { decodeEvent, readContract } from '../../support/tournament-contract.ts';

/** Each test continues the tournament where the test before it ended. */
let devnet: Devnet;

beforeAll(async () => {
  devnet = await startTestDevnet({ seed: readSeed() % 2 ** 31, blockTime: 0.02, hasActivity: true });
});

const headOf = async ({ description }: Devnet): Promise<number> =>
  Number(await rpc(description.endpoints.http, 'eth_blockNumber', []));

/** Asserts that each block from `from` on has two to five transactions, or none after a reorg, and that no move reverted. */
async function expectNoRevertedMove(devnet: Devnet, from: number): Promise<void> {
  const { endpoints, tournament } = devnet.description;
  const height = await headOf(devnet);
  for (let number = from; number <= height; number += 1) {
    const receipts = await rpc(endpoints.http, 'eth_getBlockReceipts', [toQuantity(number)]);
    // A reorg has just removed the height.
    if (receipts === null) continue;
    if (receipts.length > 0) expect([2, 3, 4, 5]).toContain(receipts.length);
    expect(receipts.filter(({ to, status }) => to === tournament.address && status !== '0x1')).toEqual([]);
  }
}

/** Subscribes and resolves when `isEnough` returns true for an event. */
async function waitForNotification<Event = RpcLog>(
  devnet: Devnet,
  params: unknown[],
  isEnough: (event: Event) => boolean,
): Promise<void> {
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

test('devnet activity creates, transfers and eliminates wizards, and starts, ends and times out duels', async () => {
  const { tournament, landmarks } = devnet.description;
  const from = (await headOf(devnet)) + 1;
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
  await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire) => {
    const { event, args } = decodeEvent(wire);
    const kind = event === 'Transfer' && BigInt(args.from!) !== 0n ? 'gift' : event;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    return expectedKinds.every((each) => (seen.get(each) ?? 0) >= 3);
  });

  await expectNoRevertedMove(devnet, from);
  const [living] = await readContract(devnet, 'living');
  expect(living.length).toBeGreaterThan(2);
  expect(living.length).toBeLessThanOrEqual(17);
  const [standoff] = await readContract(devnet, 'duel', landmarks.runningDuel);
  expect(standoff.status).toBe(1n);
});

/** Replaces the last `depth` blocks, as soon as their states are complete: anvil's history may have been pruned a moment ago. */
async function reorgChain({ description }: Devnet, depth: number): Promise<{ removed: string[]; added: string[] }> {
  for (;;) {
    const height = await headOf(devnet);
    const init = { method: 'POST', body: JSON.stringify({ reorg: { depth } }) };
    const { reorg, error } = (await (await fetch(description.nodeService.control, init)).json()) as {
      reorg?: { removed: string[]; added: string[] };
      error?: string;
    };
    if (reorg) return reorg;
    expect(error).toMatch(/needs a state that was pruned at block/);
    await waitForNotification(devnet, ['newHeads'], ({ number }: { number: string }) => Number(number) > height + depth);
  }
}

test('devnet players continue after a reorg that removes their duels', async () => {
  const { tournament, endpoints } = devnet.description;
  const reorg = await reorgChain(devnet, 12);
  expect(reorg.removed).toHaveLength(12);
  const kinds = new Set<string>();
  await waitForNotification(devnet, ['logs', { address: tournament.address }], (wire) => {
    if (!wire.removed) kinds.add(decodeEvent(wire).event);
    return kinds.has('DuelStart') && kinds.has('DuelEnd');
  });
  await expectNoRevertedMove(devnet, Number((await rpc(endpoints.http, 'eth_getBlockByHash', [reorg.added[0], false])).number));
});
