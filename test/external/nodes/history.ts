import { getCreateAddress } from 'ethers';
import { type DevnetToken, thousandths, tokenDeployments } from '../../../devnet/src/world/tokens.ts';
import {
  accessListTransfer,
  approve,
  contractCreation,
  etherTransfer,
  type TransactionRequest,
  transfer,
  transferFrom,
} from '../../../devnet/src/world/transaction-requests.ts';
import type { KINDS, OtherNode } from './node.ts';

/** What a history has put on the chain. */
export interface History {
  readonly people: readonly string[];
  readonly tokens: readonly DevnetToken[];
  /** Contracts, accounts with a balance, and an unused account. */
  readonly addresses: readonly string[];
}

const ETHER = 10n ** 18n;

/** Sends a transaction of an account whose key the node has. The node mines a transaction whose execution fails, too. */
export async function send(node: OtherNode, draft: TransactionRequest & { gasPrice?: string }): Promise<void> {
  const before = await node.call('eth_getTransactionCount', draft.from, 'pending');
  try {
    await node.call('eth_sendTransaction', draft);
  } catch (error) {
    const after = await node.call('eth_getTransactionCount', draft.from, 'pending');
    if (after === before) throw error;
  }
}

/** Mines contracts, transfers of every kind and outcome, empty blocks and a block of many transactions. */
export async function makeHistory(node: OtherNode, { manual, automatic }: (typeof KINDS)[number]): Promise<History> {
  const people = await node.call('eth_accounts');
  const [alice, bob, carol, dave] = people as [string, string, string, string];
  const all = tokenDeployments(people);
  for (const { creation } of all) await send(node, creation);
  const tokens = all.map(({ token }) => token);
  const [mana, crown, rune, bare] = tokens as [DevnetToken, DevnetToken, DevnetToken, DevnetToken];
  const some = (token: DevnetToken, count: number) => thousandths(token, count);

  await send(node, etherTransfer(alice, bob, ETHER));
  await send(node, { ...etherTransfer(bob, carol, 5n), gasPrice: '0x77359400' });
  await send(node, transfer(alice, mana.address, bob, some(mana, 1_500)));
  await send(node, accessListTransfer(alice, mana.address, carol, some(mana, 2)));
  await send(node, transfer(bob, crown.address, dave, some(crown, 7)));
  await send(node, transfer(carol, rune.address, alice, some(rune, 9)));
  await send(node, transfer(dave, bare.address, alice, some(bare, 11)));
  await send(node, approve(alice, mana.address, bob, some(mana, 100)));
  await send(node, transferFrom(bob, mana.address, alice, dave, some(mana, 40)));
  // These two fail: the amount exceeds the balance, and the allowance is used up.
  await send(node, transfer(dave, mana.address, alice, 10n ** 30n));
  await send(node, transferFrom(carol, mana.address, alice, dave, 1n));
  for (let i = 0; i < 3; i++) await node.call('evm_mine');

  await node.call(...(manual as [string]));
  for (let i = 0; i < 4; i++) {
    await send(node, transfer(alice, mana.address, bob, some(mana, 1 + i)));
    await send(node, etherTransfer(bob, carol, BigInt(1 + i)));
    await send(node, transfer(carol, mana.address, dave, 10n ** 30n));
  }
  await send(node, contractCreation(dave, 'Token', 'Late', 'LATE', 0, 1_000n));
  const late = getCreateAddress({ from: dave, nonce: Number(await node.call('eth_getTransactionCount', dave, 'pending')) - 1 });
  await node.call('evm_mine');
  await node.call(...(automatic as [string]));
  await send(node, etherTransfer(dave, alice, 3n));

  const unused = `0x${'5'.repeat(40)}`;
  return {
    people,
    tokens,
    addresses: [...people.slice(0, 5), ...tokens.map(({ address }) => address), late.toLowerCase(), unused],
  };
}
