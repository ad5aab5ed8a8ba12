import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { toQuantity } from 'ethers';
import type { Logger } from 'pino';
import type { PrunedHistory } from '../node-service/behaviour/pruned-history.ts';
import type { AnvilRpc } from './rpc.ts';

/** Number of blocks between two prunings. */
const PRUNE_INTERVAL_BLOCKS = 256;
/** Number of newest blocks that are never pruned: more than any follower needs for a reorg. */
const RECENT_BLOCKS = 512;
/** Number of states that anvil stores: enough that it evicts none of the generated history between two prunings. */
export const MAX_ANVIL_STATES = 400;

/** The fields of anvil's dump that pruning changes. */
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
  /** Height up to which blocks are never removed. */
  readonly historyBlock: number;
  /** Heights of older blocks that are not pruned; none by default. */
  readonly retainedHeights?: () => Iterable<number>;
  /** Called after the pruned chain was loaded. */
  readonly afterLoad: () => Promise<unknown>;
  /** Called if the chain cannot be loaded after its reset. It has no blocks then and must be stopped. */
  readonly onChainLost: () => void;
  readonly log: Logger;
}

export interface HistoryPruner {
  /** The blocks and states that were pruned so far. */
  readonly pruned: PrunedHistory;
  /**
   * Prunes the chain if it is due; to be called before each block. `exclusive` must delay all other requests to anvil, which has no blocks
   * while the chain is pruned.
   */
  pruneIfDue(height: number, exclusive: (task: () => Promise<void>) => Promise<void>): Promise<void>;
}

/** Removes deleted slots, which anvil stores as zero in each state. The EVM reads the same zero without them. */
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
 * Bounds the memory of anvil, which has no option to remove old blocks and transactions. Every 256 blocks the chain is dumped and loaded
 * again with the generated history, the last 512 blocks and those of `retainedHeights`. Hashes, balances, the states of the history and the
 * pool stay; states between the history and the head are removed.
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
  let nextPruneHeight = historyBlock + PRUNE_INTERVAL_BLOCKS;
  let historyStates: AnvilDump['historical_states'] | undefined;

  /** Reads the states of the history. Anvil stores the state of a block when it mines the next block, which must exist. */
  const readHistoryStates = async (): Promise<AnvilDump['historical_states']> => {
    const numbers = Array.from({ length: historyBlock + 1 }, (_, number) => toQuantity(number));
    const blocks = await rpc.batch<{ hash: string }>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
    const hashes = new Set(blocks.map(({ hash }) => hash));
    const { historical_states } = await decodeDump(await rpc.call<string>('anvil_dumpState', true));
    return historical_states.filter(([hash]) => hashes.has(hash));
  };

  /** Reads the signed transactions of the pool by ascending nonce, because a reset empties it. */
  const poolTransactions = async (): Promise<string[]> => {
    const { pending, queued } = await rpc.call<{ pending: PoolContent; queued: PoolContent }>('txpool_content');
    const all = [pending, queued].flatMap((bySender) => Object.values(bySender).flatMap((byNonce) => Object.values(byNonce)));
    all.sort((a, b) => Number(a.nonce) - Number(b.nonce));
    return rpc.batch<string>(all.map(({ hash }) => ['eth_getRawTransactionByHash', hash]));
  };

  const load = async (dump: string, timestamp: string): Promise<void> => {
    await rpc.call('anvil_loadState', dump);
    await afterLoad();
    // The reset set the clock to the genesis.
    await rpc.call('evm_setTime', Math.max(Math.floor(Date.now() / 1000), Number(timestamp)));
  };

  const prune = async () => {
    const { number, timestamp } = await rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    const height = Number(number);
    const lastPruned = Math.max(pruned.lastBlock, height - RECENT_BLOCKS);
    const retained = new Set(retainedHeights());
    const isRetained = (at: number) => at <= historyBlock || at > lastPruned || retained.has(at);
    const dump = await decodeDump(await rpc.call<string>('anvil_dumpState'));
    const prunedDump = await encodeDump({
      ...dump,
      accounts: withoutEmptySlots(dump.accounts),
      blocks: dump.blocks.filter(({ header }) => isRetained(Number(header.number))),
      transactions: dump.transactions.filter(({ block_number }) => isRetained(Number(block_number))),
      historical_states: historyStates,
    });
    const pool = await poolTransactions();
    try {
      await rpc.call('anvil_reset');
      await load(prunedDump, timestamp);
    } catch (error) {
      onChainLost();
      throw error;
    }
    pruned.lastBlock = lastPruned;
    // A pruned block stays pruned, even if `retainedHeights` names it now.
    pruned.retainedHeights = new Set(dump.blocks.map(({ header }) => Number(header.number)).filter((at) => retained.has(at)));
    pruned.lastState = height - 1;
    nextPruneHeight = height + PRUNE_INTERVAL_BLOCKS;
    for (const raw of pool) {
      await rpc
        .call('eth_sendRawTransaction', raw)
        .catch((err: unknown) => log.warn({ err }, 'pruning the embedded chain lost a pool transaction'));
    }
  };

  return {
    pruned,
    async pruneIfDue(height, exclusive) {
      if (height > historyBlock) historyStates ??= await readHistoryStates();
      if (height >= nextPruneHeight) await exclusive(prune);
    },
  };
}
