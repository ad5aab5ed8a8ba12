import type { LogFilter } from '../../../../src/ethereum/log-filters.ts';
import type { SimChain } from '../../simulator/chain.ts';
import { matchesWireFilter, type SimLogFilter } from '../../simulator/rpc-simulator.ts';
import type { SimBlock, SimLog } from '../../simulator/view.ts';
import { toWireFilter } from '../replay-checker.ts';

/** Number of blocks below the head in which a subscriber counts as caught up. */
const RECENT_BLOCKS = 256;

const check = (isConsistent: boolean, message: () => string): void => {
  if (!isConsistent) throw new Error(message());
};

/**
 * Checks the logs of a subscriber from a height. The only state is the last log: an added log must be the next matching log after it, and a
 * removed log must be the last log. So the subscriber has each log once.
 */
export class PastLogChecker {
  readonly counts = { added: 0, removed: 0 };
  readonly #chain: SimChain;
  readonly #from: number;
  readonly #filter: SimLogFilter;
  #last: SimLog | undefined;

  constructor(chain: SimChain, from: number, filter: LogFilter) {
    this.#chain = chain;
    this.#from = from;
    this.#filter = toWireFilter(filter);
  }

  apply({ blockHash, index, removed, topics }: { blockHash: string; index: string; removed: boolean; topics: string[] }): void {
    const block = this.#chain.block(blockHash);
    const log = block?.logs[Number(index)];
    if (!block || !log) throw new Error(`unknown log: ${index} of ${blockHash}`);
    check(String(topics) === String(log.topics), () => `${nameOf(log)} is emitted with the topics ${topics}`);
    const before = this.#lastOf(block, Number(index));
    if (removed) {
      check(this.#last === log, () => `${nameOf(log)} is removed, and the last one is ${nameOf(this.#last)}`);
      this.#last = before;
      this.counts.removed += 1;
    } else {
      check(matchesWireFilter(log, this.#filter), () => `${nameOf(log)} does not match the filter`);
      check(before === this.#last, () => `${nameOf(log)} is added after ${nameOf(this.#last)} and not after ${nameOf(before)}`);
      this.#last = log;
      this.counts.added += 1;
    }
  }

  get isComplete(): boolean {
    return this.#last === this.#lastOf(this.#chain.head);
  }

  get isCaughtUp(): boolean {
    const { head, main } = this.#chain;
    const expected = this.#lastOf(main.at(Math.max(0, head.height - RECENT_BLOCKS))!);
    return expected === undefined || Number(this.#last?.blockNumber ?? -1) >= Number(expected.blockNumber);
  }

  /** The last matching log of a branch, before a position in its last block. */
  #lastOf(last: SimBlock, before = last.logs.length): SimLog | undefined {
    for (let block: SimBlock | undefined = last; block && block.height >= this.#from; block = block.parent) {
      for (let i = (block === last ? before : block.logs.length) - 1; i >= 0; i--)
        if (matchesWireFilter(block.logs[i]!, this.#filter)) return block.logs[i];
    }
    return undefined;
  }
}

const nameOf = (log: SimLog | undefined): string =>
  log ? `log ${Number(log.logIndex)} of ${Number(log.blockNumber)} ${log.blockHash.slice(0, 10)}` : 'nothing';

/** Checks the heads of a subscriber from a height. A head must follow the last one, or replace it and the blocks above the parent of the head. */
export class PastHeadChecker {
  readonly counts = { added: 0, removed: 0 };
  readonly #chain: SimChain;
  readonly #from: number;
  #last: SimBlock | undefined;

  constructor(chain: SimChain, from: number) {
    this.#chain = chain;
    this.#from = from;
  }

  apply({ hash, number, parentHash }: { hash: string; number: string; parentHash: string }): void {
    const block = this.#chain.block(hash);
    if (!block) throw new Error(`unknown head: ${number} ${hash}`);
    check(
      Number(number) === block.height && parentHash === block.header.parentHash,
      () => `${hash} has another number or parent`,
    );
    check(
      this.#last !== undefined || block.height === this.#from,
      () => `the first head is ${block.height}, the start ${this.#from}`,
    );
    let parent = this.#last;
    for (; parent && parent.height >= block.height; parent = parent.parent) {
      check(parent !== block, () => `${number} ${hash} is emitted twice`);
      this.counts.removed += 1;
    }
    check(!this.#last || parent === block.parent, () => `${number} ${hash} follows ${parent?.height} ${parent?.hash}`);
    this.#last = block;
    this.counts.added += 1;
  }

  get isComplete(): boolean {
    return this.#last === this.#chain.head;
  }

  get isCaughtUp(): boolean {
    return (this.#last?.height ?? -1) >= this.#chain.head.height - RECENT_BLOCKS;
  }
}
