import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { toQuantity } from 'ethers';
import type { Logger } from 'pino';
import type { AnvilRpc } from './rpc.ts';

/** The fields of anvil's dump that this program reads or changes. */
export interface AnvilDump {
  readonly accounts: Readonly<Record<string, { readonly storage: Readonly<Record<string, string>> }>>;
  readonly blocks: readonly { readonly header: { readonly number: string } }[];
  readonly transactions: readonly { readonly block_number: number | string }[];
  /** States by the hash of their block. The state of the head is `accounts`. */
  readonly historical_states: readonly (readonly [hash: string, state: unknown])[];
}

/** Transactions of the pool by sender and nonce. */
type PoolContent = Readonly<Record<string, Readonly<Record<string, { readonly hash: string; readonly nonce: string }>>>>;

/**
 * Removes deleted slots, which anvil stores as zero in each state. The EVM also reads zero from a slot that is absent.
 */
export const withoutEmptySlots = (accounts: AnvilDump['accounts']): AnvilDump['accounts'] =>
  Object.fromEntries(
    Object.entries(accounts).map(([address, account]) => [
      address,
      { ...account, storage: Object.fromEntries(Object.entries(account.storage).filter(([, value]) => BigInt(value) !== 0n)) },
    ]),
  );

export const compressJson = (value: unknown): Promise<Buffer> => promisify(gzip)(JSON.stringify(value));
export const decompressJson = async <Value>(data: Uint8Array): Promise<Value> =>
  JSON.parse((await promisify(gunzip)(data)).toString());

/**
 * Dumps the chain as compressed JSON. The dump contains the states of older blocks only if the caller requests them.
 */
export async function dumpChain(rpc: AnvilRpc, options: { readonly hasStates?: boolean } = {}): Promise<Buffer> {
  const text = await rpc.call<string>('anvil_dumpState', options.hasStates === true);
  return Buffer.from(text.slice(2), 'hex');
}

/**
 * Loads a compressed dump into a chain that has only its genesis, and sets the clock to the current time, or to the
 * timestamp of the head if that timestamp is later. Returns the height of the head.
 */
export async function loadChain(rpc: AnvilRpc, dump: Buffer, afterLoad: () => Promise<unknown>): Promise<number> {
  await rpc.call('anvil_loadState', `0x${dump.toString('hex')}`);
  await afterLoad();
  const { number, timestamp } = await rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  await rpc.call('evm_setTime', Math.max(Math.floor(Date.now() / 1000), Number(timestamp)));
  return Number(number);
}

/**
 * Reads the states of the blocks up to `historyBlock`. Anvil stores the state of a block when it mines the next block;
 * until then the state of the last block is absent.
 */
export async function readHistoryStates(rpc: AnvilRpc, historyBlock: number): Promise<AnvilDump['historical_states']> {
  const numbers = Array.from({ length: historyBlock + 1 }, (_, number) => toQuantity(number));
  const blocks = await rpc.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
  const hashes = new Set(blocks.map(({ hash }) => hash));
  const { historical_states } = await decompressJson<AnvilDump>(await dumpChain(rpc, { hasStates: true }));
  return historical_states.filter(([hash]) => hashes.has(hash));
}

/** Reads the signed transactions of the pool by ascending nonce. Dumps do not contain them. */
export async function readPool(rpc: AnvilRpc): Promise<string[]> {
  const { pending, queued } = await rpc.call<{ pending: PoolContent; queued: PoolContent }>('txpool_content');
  const all = [pending, queued].flatMap((bySender) => Object.values(bySender).flatMap((byNonce) => Object.values(byNonce)));
  all.sort((a, b) => Number(a.nonce) - Number(b.nonce));
  const raw = await rpc.batch<string | null>(all.map(({ hash }) => ['eth_getRawTransactionByHash', hash]));
  return raw.filter((transaction) => transaction !== null);
}

/** Submits transactions of a pool. Logs each transaction that the chain rejects. */
export async function submitPool(rpc: AnvilRpc, pool: readonly string[], log: Logger): Promise<void> {
  for (const raw of pool) {
    await rpc
      .call('eth_sendRawTransaction', raw)
      .catch((err: unknown) => log.warn({ err }, 'the embedded chain lost a pool transaction'));
  }
}
