import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Logger } from 'pino';
import type { PrunedHistory } from '../node-service/behaviour/pruned-history.ts';
import type { AnvilRpc } from './rpc.ts';

/** Blocks between two trims. */
const PRUNE_INTERVAL_BLOCKS = 256;
/** Number of the last blocks that a trim keeps: more than any follower walks back. */
const RECENT_BLOCKS = 512;
/** Number of states that anvil has to keep so that those of the built history are never evicted between two trims. */
export const MAX_ANVIL_STATES = 400;

/** The part of anvil's dump that is changed here. */
interface AnvilDump {
  accounts: Readonly<Record<string, { readonly storage: Readonly<Record<string, string>> }>>;
  blocks: readonly { readonly header: { readonly number: string } }[];
  transactions: readonly { readonly block_number: number | string }[];
  historical_states: readonly (readonly [hash: string, state: unknown])[];
}

/** Transactions of the pool by sender and nonce. */
type PoolContent = Readonly<Record<string, Readonly<Record<string, { readonly hash: string; readonly nonce: string }>>>>;

export interface HistoryPrunerOptions {
  readonly rpc: AnvilRpc;
  /** Blocks up to this one are never removed. */
  readonly historyBlock: number;
  /** Heights of older blocks that a trim keeps as well; none when left out. */
  readonly retainedHeights?: () => Iterable<number>;
  /** Applied to the chain after it has been loaded again. */
  readonly afterLoad: () => Promise<unknown>;
  /** Called when the chain could not be loaded again after it was reset: it has no blocks, and has to end. */
  readonly onChainLost: () => void;
  readonly log: Logger;
}

export interface HistoryPruner {
  /** What the trims until now have removed. */
  readonly pruned: PrunedHistory;
  /**
   * Trims the chain when its next trim is due; called before each block. No other request may reach anvil meanwhile: for a moment it has no blocks.
   */
  pruneIfDue(height: number, exclusive: (task: () => Promise<void>) => Promise<void>): Promise<void>;
}

/** Anvil stores a deleted slot as zero, in each state; without the slot the EVM reads the same zero. */
const withoutEmptySlots = (accounts: AnvilDump['accounts']): AnvilDump['accounts'] =>
  Object.fromEntries(
    Object.entries(accounts).map(([address, account]) => [
      address,
      { ...account, storage: Object.fromEntries(Object.entries(account.storage).filter(([, value]) => BigInt(value) !== 0n)) },
    ]),
  );

const encodeDump = async (dump: object): Promise<string> => `0x${(await promisify(gzip)(JSON.stringify(dump))).toString('hex')}`;
const decodeDump = async (text: string): Promise<AnvilDump> =>
  JSON.parse((await promisify(gunzip)(Buffer.from(text.slice(2), 'hex'))).toString());

/**
 * Bounds what anvil stores: it has no option to forget old blocks and transactions, and each of its states has the hashes of all blocks. Every 256
 * blocks the chain is dumped, and loaded again with its built history, the last 512 blocks and those of `keptHeights`. Hashes, balances, the history's states and the
 * transactions in the pool stay; states between the history and the head are removed.
 */
export function createHistoryPruner({
  rpc,
  historyBlock,
  retainedHeights = () => [],
  afterLoad,
  onChainLost,
  log,
}: HistoryPrunerOptions): HistoryPruner {
  const pruned = {
    first: historyBlock + 1,
    retainedHeights: new Set<number>() as ReadonlySet<number>,
    lastBlock: historyBlock,
    lastState: historyBlock,
  };
  let due = historyBlock + PRUNE_INTERVAL_BLOCKS;
  let historyStates: AnvilDump['historical_states'] | undefined;

  /** The states of the history. Anvil stores the state of a block when it mines the next one, so one more block has to be there. */
  const readHistoryStates = async (): Promise<AnvilDump['historical_states']> => {
    const numbers = Array.from({ length: historyBlock + 1 }, (_, number) => `0x${number.toString(16)}`);
    const blocks = await rpc.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
    const hashes = new Set(blocks.map(({ hash }) => hash));
    const { historical_states } = await decodeDump(await rpc.call<string>('anvil_dumpState', true));
    return historical_states.filter(([hash]) => hashes.has(hash));
  };

  /** The signed transactions of the pool by ascending nonce: a reset empties it. */
  const poolTransactions = async (): Promise<string[]> => {
    const { pending, queued } = await rpc.call<{ pending: PoolContent; queued: PoolContent }>('txpool_content');
    const all = [pending, queued].flatMap((part) => Object.values(part).flatMap((byNonce) => Object.values(byNonce)));
    all.sort((a, b) => Number(a.nonce) - Number(b.nonce));
    return rpc.batch<string>(all.map(({ hash }) => ['eth_getRawTransactionByHash', hash]));
  };

  const load = async (dump: string, timestamp: string): Promise<void> => {
    await rpc.call('anvil_loadState', dump);
    await afterLoad();
    // The reset has put the clock back to the genesis.
    await rpc.call('evm_setTime', Math.max(Math.floor(Date.now() / 1000), Number(timestamp)));
  };

  const trim = async () => {
    const { number, timestamp } = await rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    const height = Number(number);
    const lastPruned = Math.max(pruned.lastBlock, height - RECENT_BLOCKS);
    const named = new Set(retainedHeights());
    const isKept = (at: number) => at <= historyBlock || at > lastPruned || named.has(at);
    const dump = await decodeDump(await rpc.call<string>('anvil_dumpState'));
    const trimmed = await encodeDump({
      ...dump,
      accounts: withoutEmptySlots(dump.accounts),
      blocks: dump.blocks.filter(({ header }) => isKept(Number(header.number))),
      transactions: dump.transactions.filter(({ block_number }) => isKept(Number(block_number))),
      historical_states: historyStates,
    });
    const pool = await poolTransactions();
    try {
      await rpc.call('anvil_reset');
      await load(trimmed, timestamp);
    } catch (error) {
      onChainLost();
      throw error;
    }
    pruned.lastBlock = lastPruned;
    // A block that an earlier trim has removed does not come back when it is named again.
    pruned.retainedHeights = new Set(dump.blocks.map(({ header }) => Number(header.number)).filter((at) => named.has(at)));
    pruned.lastState = height - 1;
    due = height + PRUNE_INTERVAL_BLOCKS;
    for (const raw of pool) {
      await rpc
        .call('eth_sendRawTransaction', raw)
        .catch((err: unknown) => log.warn({ err }, 'the embedded chain lost a transaction of its pool when it was trimmed'));
    }
  };

  return {
    pruned,
    async pruneIfDue(height, exclusive) {
      if (height > historyBlock) historyStates ??= await readHistoryStates();
      if (height >= due) await exclusive(trim);
    },
  };
}
