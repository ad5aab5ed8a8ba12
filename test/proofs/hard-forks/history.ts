import { getCreateAddress, sha256, type TransactionRequest, Wallet } from 'ethers';
import type { DevnetAccount } from '../../../devnet/src/world/accounts.ts';
import type { CallNode } from '../../support/graph/rpc.ts';

/** The hard forks of anvil, in order. */
export const FORKS =
  `frontier homestead dao tangerine spuriousdragon byzantium constantinople petersburg istanbul muirglacier berlin london
  arrowglacier grayglacier paris shanghai cancun prague osaka bpo1 bpo2`.split(/\s+/);

const isSince = (fork: string, first: string): boolean => FORKS.indexOf(fork) >= FORKS.indexOf(first);

/**
 * A contract with instructions that all forks have, except REVERT. A call with a word stores the word, logs it with two topics
 * and returns it. A call without data reverts with the word 42; before Byzantium, REVERT is an invalid instruction.
 */
const RUNTIME_CODE = '3615601c576000358060005560005233600160206000a260206000f35b602a60005260206000fd';
const CREATION_CODE = `0x602780600b6000396000f3${RUNTIME_CODE}`;

/** The argument of a call that succeeds. */
export const WORD = `0x${'7'.padStart(64, '0')}`;

/** What a history has put on the chain. */
export interface ForkHistory {
  readonly contract: string;
  readonly people: readonly string[];
  /** Contracts, senders, recipients and an unused account. */
  readonly addresses: readonly string[];
}

/** The point at infinity, which is the commitment and the proof of a blob of zeros. */
const INFINITY = `0xc0${'00'.repeat(47)}`;

/** A blob of zeros, so that no library needs to compute its commitment. */
const zeroBlob = () => {
  const data = `0x${'00'.repeat(131_072)}`;
  const blobVersionedHashes = [`0x01${sha256(INFINITY).slice(4)}`];
  return { blobs: [{ data, commitment: INFINITY, proof: INFINITY }], blobVersionedHashes };
};

/** Mines four blocks with a transaction of each type of the fork, a failed one and a creation. Leaves a transaction in the pool. */
export async function mineForkHistory(call: CallNode, fork: string, accounts: readonly DevnetAccount[]): Promise<ForkHistory> {
  const wallets = accounts.map(({ privateKey }) => new Wallet(privateKey)) as [Wallet, Wallet, Wallet, Wallet, Wallet];
  const [alice, bob, carol, dave, erin] = wallets;
  const gasPrice = 10n ** 11n;
  const legacy = { type: 0, gasLimit: 200_000n, gasPrice };
  const feeMarket = { gasLimit: 200_000n, maxFeePerGas: gasPrice, maxPriorityFeePerGas: 10n ** 9n };
  const send = async (wallet: Wallet, request: TransactionRequest) => {
    const nonce = Number(await call('eth_getTransactionCount', wallet.address, 'pending'));
    await call('eth_sendRawTransaction', await wallet.signTransaction({ chainId: 31337, nonce, ...request }));
  };
  const contract = getCreateAddress({ from: alice.address, nonce: 0 }).toLowerCase();
  const addresses = wallets.map(({ address }) => address.toLowerCase());

  await send(alice, { ...legacy, data: CREATION_CODE });
  await call('evm_mine');

  await send(bob, { ...legacy, to: carol.address, value: 5n });
  await send(alice, { ...legacy, to: contract, data: WORD });
  await send(carol, { ...legacy, to: contract });
  await call('evm_mine');

  const accessList = [{ address: contract, storageKeys: [`0x${'0'.repeat(64)}`] }];
  if (isSince(fork, 'berlin')) await send(bob, { ...legacy, type: 1, to: contract, data: WORD, accessList });
  if (isSince(fork, 'london')) await send(carol, { ...feeMarket, type: 2, to: dave.address, value: 7n });
  if (fork === 'cancun' || fork === 'prague') {
    await send(dave, { ...feeMarket, type: 3, to: bob.address, maxFeePerBlobGas: 10n ** 9n, ...zeroBlob() });
  }
  if (isSince(fork, 'prague')) {
    const authorizationList = [erin.authorizeSync({ address: contract, nonce: 0, chainId: 31337 })];
    await send(alice, { ...feeMarket, type: 4, to: erin.address, data: WORD, authorizationList });
  }
  await call('evm_mine');

  await call('evm_mine');
  await send(bob, { ...legacy, to: contract, data: WORD, value: 0n });
  return { contract, people: addresses, addresses: [...addresses, contract, `0x${'5'.repeat(40)}`] };
}
