import { setTimeout as delay } from 'node:timers/promises';
import { toQuantity } from 'ethers';
import type { Logger } from 'pino';
import type { ReadWriteLock } from '../anvil/read-write-lock.ts';
import type { AnvilRpc } from '../anvil/rpc.ts';
import { type ContractLog, decodeTournamentEvent } from './events.ts';
import type { IndexedBlock, TournamentIndex } from './tournament-index.ts';

export interface TournamentIndexerOptions {
  readonly rpc: AnvilRpc;
  /** Runs one poll of the chain. */
  readonly withSharedLock: ReadWriteLock['shared'];
  readonly contract: string;
  readonly state: TournamentIndex;
  /** Number of blocks to stay behind the chain's head. */
  readonly lag: () => number;
  readonly pollMs: number;
  readonly log: Logger;
}

export interface TournamentIndexer {
  /** Whether the index has the state at its head. False before the first complete read, and while the whole chain is read again. */
  readonly isConsistent: boolean;
  /** Resolves when the index is complete for the first time; stays pending until then. */
  readonly indexed: Promise<void>;
  /** Reads the chain. Resolves when the index has its state, or the chain cannot be read. */
  catchUp(): Promise<void>;
  /** Stops reading. The caller must end the calls in flight. */
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

/** Blocks of one read. */
const BLOCKS_PER_READ = 200;

/** The chain changed during a read. */
class ChainChangedError extends Error {
  override readonly name = 'ChainChangedError';
}

/** Updates the index to the head of the chain repeatedly. If the node does not respond, the index is unchanged and the read is repeated. */
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
  const { promise: indexed, resolve: resolveIndexed } = deferred();
  let isConsistent = false;
  let isUnavailable = false;

  const headerAt = (block: number | 'latest') =>
    rpc.call<Header | null>('eth_getBlockByNumber', typeof block === 'number' ? toQuantity(block) : block, false);

  const findTarget = async (): Promise<Header> => {
    const latest = await headerAt('latest');
    const target = latest && lag() > 0 ? await headerAt(Math.max(0, Number(latest.number) - lag())) : latest;
    if (!target) throw new ChainChangedError();
    return target;
  };

  /** Height of the common ancestor; undefined if it is below all indexed blocks, or before the first block. */
  const commonAncestor = async (target: Header): Promise<number | undefined> => {
    let number = Math.min(state.head?.number ?? 0, Number(target.number));
    for (let known = state.hashAt(number); known !== undefined; known = state.hashAt(number)) {
      const header = number === Number(target.number) ? target : await headerAt(number);
      if (header?.hash === known) return number;
      number -= 1;
    }
    return undefined;
  };

  /** Reads consecutive blocks of one chain with their events. */
  const read = async (from: number, to: number): Promise<IndexedBlock[]> => {
    const numbers = Array.from({ length: to - from + 1 }, (_, offset) => toQuantity(from + offset));
    const headers = await rpc.batch<Header | null>(numbers.map((number) => ['eth_getBlockByNumber', number, false]));
    const filter = { address: contract, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const logs = await rpc.call<ChainLog[]>('eth_getLogs', filter);
    // If the last block has not changed while the logs were read, all logs are of its chain. Anvil returns no logs for
    // a block during a reorg, where another node would return an error.
    const last = await headerAt(to);
    const hashes = new Set(headers.map((header) => header?.hash));
    if (last?.hash !== headers.at(-1)?.hash || logs.some(({ blockHash }) => !hashes.has(blockHash)))
      throw new ChainChangedError();
    return headers.map((header, index) => {
      if (!header || (index > 0 && header.parentHash !== headers[index - 1]?.hash)) throw new ChainChangedError();
      const own = logs.filter(({ blockHash }) => blockHash === header.hash);
      const inOrder = own.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
      const events = inOrder.map(decodeTournamentEvent).filter((event) => event !== undefined);
      return { number: Number(header.number), hash: header.hash, parentHash: header.parentHash, events };
    });
  };

  const follow = async () => {
    const target = await findTarget();
    if (isConsistent && target.hash === state.head?.hash) return;
    const height = Number(target.number);
    const common = await commonAncestor(target);
    if (common === undefined) {
      isConsistent = false;
      state.reset();
    }
    // The chain has become shorter, so there is nothing to read.
    if (common === height) state.rollBackTo(target.hash);
    for (let from = (common ?? -1) + 1; from <= height; from += BLOCKS_PER_READ) {
      const blocks = await read(from, Math.min(from + BLOCKS_PER_READ - 1, height));
      // The index applies the new blocks in one turn, so that no request reads the state in between.
      if (state.head && !state.rollBackTo(blocks[0]!.parentHash)) throw new ChainChangedError();
      for (const block of blocks) state.apply(block);
    }
    isConsistent = true;
    resolveIndexed();
  };

  const poll = async () => {
    try {
      await withSharedLock(follow);
      isUnavailable = false;
    } catch (err) {
      if (stopping.signal.aborted) return;
      // Logged once for each outage.
      if (!(err instanceof ChainChangedError) && !isUnavailable) log.warn({ err }, 'the wizard service cannot read the chain');
      isUnavailable ||= !(err instanceof ChainChangedError);
    }
  };

  // One poll at a time. A caller during a poll waits for the next poll, because the current poll may have read an older
  // chain.
  let inFlight: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  const catchUp = () => {
    waiting ??= inFlight.then(() => {
      waiting = undefined;
      inFlight = poll();
      return inFlight;
    });
    return waiting;
  };

  const pollUntilStopped = async () => {
    while (!stopping.signal.aborted) {
      await catchUp();
      await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = pollUntilStopped();

  return {
    get isConsistent() {
      return isConsistent;
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
