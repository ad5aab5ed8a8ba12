import { beforeAll, expect, test } from '@jest/globals';
import { toQuantity } from 'ethers';
import type { Anvil } from '../../../../devnet/src/anvil/process.ts';
import { type AnvilRpc, createAnvilRpc } from '../../../../devnet/src/anvil/rpc.ts';
import { type NotificationService, startNotificationService } from '../../../../devnet/src/notification-service/index.ts';
import { developmentAccounts } from '../../../../devnet/src/world/accounts.ts';
import { tokenDeployments } from '../../../../devnet/src/world/tokens.ts';
import { etherTransfer, type TransactionRequest, transfer } from '../../../../devnet/src/world/transaction-requests.ts';
import { startTestAnvil } from '../../../support/anvil.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { startTestDevnet } from '../../../support/devnet.ts';
import { log } from '../../../support/silent-log.ts';
import { startReceiver } from './receiver.ts';

const TOKEN = 'a'.repeat(64);
const people = developmentAccounts().map(({ address }) => address);
const [alice, bob, carol, dave, erin] = people as [string, string, string, string, string];
const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`;
const ofType = (bodies: readonly any[], type: string) => bodies.filter(({ webhookType }) => webhookType === type);

let anvil: Anvil;
let rpc: AnvilRpc;

beforeAll(async () => {
  anvil = await startTestAnvil();
  rpc = untilTestsEnd(createAnvilRpc(anvil.url));
});

/** Mines these transactions as one block, in their order; returns their hashes. */
async function mine(...requests: readonly TransactionRequest[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const [index, request] of requests.entries()) {
    // Anvil orders a block by fee.
    const maxPriorityFeePerGas = toQuantity(2_000_000_000 - index * 1_000_000);
    const fees = { maxFeePerGas: toQuantity(20_000_000_000), maxPriorityFeePerGas };
    hashes.push(await rpc.call<string>('eth_sendTransaction', { ...request, ...fees }));
  }
  await rpc.call('evm_mine');
  return hashes;
}

const start = async (addresses: readonly string[]): Promise<NotificationService> => {
  const service = untilTestsEnd(
    startNotificationService({
      rpcUrl: anvil.url,
      app: 'test',
      token: TOKEN,
      network: 'testnet',
      addresses,
      pollIntervalMs: 10,
      log,
    }),
  );
  await service.following;
  return service;
};

test('the notification service delivers every notification of an unavailable receiver in order', async () => {
  const [{ token: mana, creation }] = tokenDeployments([carol, bob, dave, erin]) as [ReturnType<typeof tokenDeployments>[0]];
  const [earlier] = await mine(etherTransfer(alice, bob, 1n));
  const receiver = await startReceiver(TOKEN, 503, 503);
  const service = await start([alice.toUpperCase().replace('0X', '0x')]);
  service.deliverTo(receiver.url);
  await mine(creation);
  const sent = [];
  for (let amount = 1n; amount <= 5n; amount += 1n) {
    sent.push(
      ...(await mine(
        etherTransfer(alice, bob, amount * 10n ** 17n),
        transfer(carol, mana.address, alice, amount * 10n ** 18n),
        etherTransfer(dave, erin, 1n),
      )),
    );
  }
  const hashes = sent.filter((_, index) => index % 3 === 0);
  await receiver.until((accepted) => accepted.some(({ fullTransaction }) => fullTransaction?.hash === hashes.at(-1)));
  const accepted = receiver.accepted().filter(({ webhookType }) => webhookType !== 'GAS_PRICE');

  expect(receiver.requests.slice(0, 3).map(({ status }) => status)).toEqual([503, 503, 200]);
  expect(new Set(receiver.requests.slice(0, 3).map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(
    receiver.requests.every(({ method, contentType, isSigned }) => {
      return method === 'POST' && contentType === 'application/json' && isSigned;
    }),
  ).toBe(true);
  expect(accepted.every(({ app, network }) => app === 'test' && network === 'testnet')).toBe(true);
  expect(accepted.map(({ webhookType }) => webhookType)).toEqual(hashes.flatMap(() => ['ADDRESS_ACTIVITY', 'MINED_TRANSACTION']));
  const mined = ofType(accepted, 'MINED_TRANSACTION').map(({ fullTransaction }) => fullTransaction.hash);
  expect(mined).toEqual(hashes);
  expect(mined).not.toContain(earlier);
  const activities = ofType(accepted, 'ADDRESS_ACTIVITY').map(({ activity }) => activity);
  expect(activities.map(([, { value }]) => value)).toEqual([1, 2, 3, 4, 5]);
  expect(ofType(receiver.accepted(), 'GAS_PRICE')).toHaveLength(1);
});

test('the notification service sends the transactions of the new blocks of a reorg, and none twice', async () => {
  const receiver = await startReceiver(TOKEN);
  const service = await start([bob]);
  service.deliverTo(receiver.url);
  const [first] = await mine(etherTransfer(bob, dave, 1n));
  await receiver.until((accepted) => ofType(accepted, 'MINED_TRANSACTION').length === 1);
  await rpc.call('anvil_reorg', 1, []);
  const [second] = await mine(etherTransfer(bob, dave, 2n));
  const isSecond = ({ fullTransaction }: any) => fullTransaction?.hash === second;
  await receiver.until((accepted) => accepted.some(isSecond));
  const hashes = ofType(receiver.accepted(), 'MINED_TRANSACTION').map(({ fullTransaction }) => fullTransaction.hash);
  expect(hashes[0]).toBe(first);
  expect(hashes.filter((hash) => hash === second)).toHaveLength(1);
});

test('the embedded network notifies of the generated transactions and of the guest', async () => {
  const devnet = await startTestDevnet({ blockTime: 0.2, hasActivity: true });
  const { app, token, addresses } = devnet.description.notificationService!;
  const receiver = await startReceiver(token);
  const guest = devnet.description.accounts.at(-1)!.address;
  expect(addresses).toEqual([...devnet.description.accounts.slice(0, 3).map(({ address }) => address), guest]);
  devnet.deliverNotificationsTo(receiver.url);
  await receiver.until((accepted) =>
    ['ADDRESS_ACTIVITY', 'MINED_TRANSACTION', 'GAS_PRICE'].every((type) => ofType(accepted, type).length > 0),
  );
  expect(receiver.requests.every(({ isSigned, body }) => isSigned && body.app === app)).toBe(true);
  const activity = ofType(receiver.accepted(), 'ADDRESS_ACTIVITY').flatMap((body) => body.activity);
  const isRegistered = ({ fromAddress, toAddress }: any) =>
    addresses.some((address) => [fromAddress, toAddress].includes(padded(address)));
  expect(activity.every(isRegistered)).toBe(true);
});
