import { setTimeout as delay } from 'node:timers/promises';
import { toQuantity } from 'ethers';
import type { Logger } from 'pino';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import type { AnvilRpc } from '../anvil/rpc.ts';
import { type ContractLog, decodeTournamentEvent } from './events.ts';
import type { IndexedBlock, TournamentIndex } from './tournament-index.ts';

export interface TournamentIndexerOptions {
  readonly rpc: AnvilRpc;
  /** Runs one look at the chain. */
  readonly withSharedLock: ReadWriteLock['shared'];
  readonly contract: string;
  readonly state: TournamentIndex;
  /** How many blocks behind the chain's head to stay. */
  readonly lag: () => number;
  readonly pollMs: number;
  readonly log: Logger;
}

export interface TournamentIndexer {
  /** Whether the state is that of a whole chain. False before the first look, and while everything is read anew. */
  readonly isConsistent: boolean;
  /** Resolves when the state is whole for the first time. Stays pending when it never is. */
  readonly indexed: Promise<void>;
  /** Looks at the chain, and resolves when the state is what was found there, or it could not be read. */
  catchUp(): Promise<void>;
  /** Resolves when nothing is asked of the node any more. The calls on their way have to be ended from outside. */
  stop(): Promise<void>;
}

interface Header {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
}

interface ChainLog extends ContractLog {
  readonly blockHash: string;
  readonly logIndex: string;
}

/** Blocks that are read at once. */
const BLOCKS_PER_READ = 200;

/** The chain has changed while it was read. */
class ChainChangedError extends Error {
  override readonly name = 'Moved';
}

/** Keeps the state at the head of the node's chain. A node that does not answer is asked again, and meanwhile the state stays. */
export function startTournamentIndexer({
  rpc,
  withSharedLock,
  contract,
  state,
  lag,
  pollMs,
  log,
}: TournamentIndexerOptions): TournamentIndexer {
  const stopping = new AbortController();
  const { promise: indexed, resolve: tellIndexed } = deferred();
  let isWhole = false;
  let isAway = false;

  const headerAt = (block: number | 'latest') =>
    rpc.call<Header | null>('eth_getBlockByNumber', typeof block === 'number' ? toQuantity(block) : block, false);

  const findTarget = async (): Promise<Header> => {
    const latest = await headerAt('latest');
    const target = latest && lag() > 0 ? await headerAt(Math.max(0, Number(latest.number) - lag())) : latest;
    if (!target) throw new ChainChangedError();
    return target;
  };

  /** The highest block that both chains have, by walking back; undefined when it lies below all that is kept, or there is none yet. */
  const commonBlock = async (target: Header): Promise<number | undefined> => {
    let number = Math.min(state.head?.number ?? 0, Number(target.number));
    for (let known = state.hashAt(number); known !== undefined; known = state.hashAt(number)) {
      const header = number === Number(target.number) ? target : await headerAt(number);
      if (header?.hash === known) return number;
      number -= 1;
    }
    return undefined;
  };

  /** Blocks of one chain, each the parent of the next. */
  const read = async (from: number, to: number): Promise<IndexedBlock[]> => {
    const numbers = Array.from({ length: to - from + 1 }, (_, place) => toQuantity(from + place));
    const headers = await rpc.batch<Header | null>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
    const filter = { address: contract, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const logs = await rpc.call<ChainLog[]>('eth_getLogs', filter);
    // The last block was there before the logs were read and still is, so all of this is of its chain: anvil tells no logs of a block
    // that it is just taking back, where another node would fail.
    const last = await headerAt(to);
    const hashes = new Set(headers.map((header) => header?.hash));
    if (last?.hash !== headers.at(-1)?.hash || logs.some(({ blockHash }) => !hashes.has(blockHash)))
      throw new ChainChangedError();
    return headers.map((header, place) => {
      if (!header || (place > 0 && header.parentHash !== headers[place - 1]?.hash)) throw new ChainChangedError();
      const own = logs.filter(({ blockHash }) => blockHash === header.hash);
      const inOrder = own.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
      const events = inOrder.map(decodeTournamentEvent).filter((event) => event !== undefined);
      return { number: Number(header.number), hash: header.hash, parentHash: header.parentHash, events };
    });
  };

  const follow = async () => {
    const target = await findTarget();
    if (isWhole && target.hash === state.head?.hash) return;
    const height = Number(target.number);
    const common = await commonBlock(target);
    if (common === undefined) {
      isWhole = false;
      state.reset();
    }
    // Nothing to read: the chain has become shorter.
    if (common === height) state.rollBackTo(target.hash);
    for (let from = (common ?? -1) + 1; from <= height; from += BLOCKS_PER_READ) {
      const blocks = await read(from, Math.min(from + BLOCKS_PER_READ - 1, height));
      // Only now, and without a pause before the new branch: nobody sees the state in between.
      if (state.head && !state.rollBackTo(blocks[0]!.parentHash)) throw new ChainChangedError();
      for (const block of blocks) state.apply(block);
    }
    isWhole = true;
    tellIndexed();
  };

  const look = async () => {
    try {
      await withSharedLock(follow);
      isAway = false;
    } catch (err) {
      if (stopping.signal.aborted) return;
      // Once an outage, not once a look.
      if (!(err instanceof ChainChangedError) && !isAway) log.warn({ err }, 'the wizard service cannot read the chain');
      isAway ||= !(err instanceof ChainChangedError);
    }
  };

  // One look at a time. Whoever comes during one waits for the next, since that one may have seen the chain before.
  let underway: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  const catchUp = () => {
    waiting ??= underway.then(() => {
      waiting = undefined;
      underway = look();
      return underway;
    });
    return waiting;
  };

  const forever = async () => {
    while (!stopping.signal.aborted) {
      await catchUp();
      await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = forever();

  return {
    get isConsistent() {
      return isWhole;
    },
    indexed,
    catchUp,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
