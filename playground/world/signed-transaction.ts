import { devnet } from './devnet.ts';
import { readGraph } from './graph.ts';
import { recentBlock } from './recent-block.ts';

/** Value of the signed transfer in wei: 0.01 ether. */
const VALUE = 10n ** 16n;

const SENDER = `query PlaygroundSender($address: Address!) {
  chainID gasPrice account(address: $address) { transactionCount }
}`;

interface Sender {
  readonly chainID: string;
  readonly gasPrice: string;
  readonly account: { readonly transactionCount: string };
}

/**
 * A signed transaction that can be submitted: over the embedded network a new transfer of its account `guest`, otherwise a transaction of a recent
 * block, which the node already has. Undefined when neither exists.
 */
export async function signedTransaction(): Promise<string | undefined> {
  const accounts = (await devnet())?.accounts;
  const [guest, recipient] = [accounts?.at(-1), accounts?.[0]];
  if (!guest || !recipient) return minedTransaction();
  const sender = await readGraph<Sender>(SENDER, { address: guest.address });
  if (!sender) return undefined;
  // Loaded on demand: it is needed over the embedded network only.
  const { privateKeyToAccount } = await import('viem/accounts');
  return privateKeyToAccount(guest.privateKey as `0x${string}`).signTransaction({
    chainId: Number(sender.chainID),
    nonce: Number(sender.account.transactionCount),
    gasPrice: 2n * BigInt(sender.gasPrice),
    gas: 21_000n,
    to: recipient.address as `0x${string}`,
    value: VALUE,
  });
}

async function minedTransaction(): Promise<string | undefined> {
  const hash = (await recentBlock())?.transactions[0]?.hash;
  if (hash === undefined) return undefined;
  const query = 'query PlaygroundRaw($hash: Bytes32!) { transaction(hash: $hash) { raw } }';
  return (await readGraph<{ readonly transaction: { readonly raw: string } | null }>(query, { hash }))?.transaction?.raw;
}
