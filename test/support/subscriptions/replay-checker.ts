import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import type { RpcBlock } from '../../../src/ethereum/rpc-types.ts';
import type { DataOf } from '../graph/results.ts';
import type { SimChain } from '../simulator/chain.ts';
import { matchesWireFilter, respondTo, type SimLogFilter } from '../simulator/rpc-simulator.ts';
import type { SimBlock, SimLog } from '../simulator/view.ts';

/** The state of a subscriber that applies each event. `apply` throws at an inconsistent event. */
export interface ReplayChecker {
  apply(event: object): void;
  /**
   * Whether the state is complete up to the head; always true without a state. Cheap: `apply` has checked every earlier
   * event.
   */
  readonly isComplete: boolean;
  /** All differences from the chain, compared from the start. */
  differences(): string[];
}

type EmittedLog =
  DataOf<'subscription { logs { removed index blockHash blockNumber data topics transactionHash account { address } } }'>['logs'];
type EmittedContents = Omit<EmittedLog, 'removed' | 'index' | 'blockHash'>;

const check = (isConsistent: boolean, message: () => string): void => {
  if (!isConsistent) throw new Error(message());
};

/** The equivalent filter of `eth_getLogs`. */
export const toWireFilter = ({ addresses, topics }: LogFilter): SimLogFilter => ({
  ...(addresses?.length && { address: addresses }),
  topics: (topics ?? []).map((some) => (some.length > 0 ? some : null)),
});

const nameOf = (log: SimLog | undefined): string =>
  log ? `log ${Number(log.logIndex)} of ${Number(log.blockNumber)} ${log.blockHash.slice(0, 10)}` : 'nothing';

/**
 * The logs that match the filter, from the first block on; initially the canonical logs. An added log must follow the
 * last log of its branch, and a removed log must be the last log.
 */
export class LogReplayChecker implements ReplayChecker {
  readonly counts = { added: 0, removed: 0 };
  readonly #chain: SimChain;
  readonly #filter: SimLogFilter;
  readonly #logs: SimLog[];
  #expected: { readonly head: SimBlock; readonly last: SimLog | undefined } | undefined;

  constructor(chain: SimChain, filter: LogFilter) {
    this.#chain = chain;
    this.#filter = toWireFilter(filter);
    this.#logs = this.#canonical();
  }

  get size(): number {
    return this.#logs.length;
  }

  apply({ blockHash, index, removed, ...emitted }: EmittedLog): void {
    const block = this.#chain.block(blockHash);
    const log = block?.logs[Number(index)];
    if (!block || !log) throw new Error(`unknown log: ${index} of ${blockHash}`);
    check(matchesWireFilter(log, this.#filter), () => `${nameOf(log)} does not match the filter`);
    check(isSame(log, emitted), () => `${nameOf(log)} is emitted as ${JSON.stringify(emitted)}`);
    if (removed) {
      const last = this.#logs.pop();
      check(last === log, () => `${nameOf(log)} is removed, and the last one is ${nameOf(last)}`);
      this.counts.removed += 1;
    } else {
      const [before, last] = [this.#lastOf(block, Number(index)), this.#logs.at(-1)];
      check(before === last, () => `${nameOf(log)} is added after ${nameOf(before)}, and the last one is ${nameOf(last)}`);
      this.#logs.push(log);
      this.counts.added += 1;
    }
  }

  get isComplete(): boolean {
    const { head } = this.#chain;
    if (this.#expected?.head !== head) this.#expected = { head, last: this.#lastOf(head) };
    return this.#logs.at(-1) === this.#expected.last;
  }

  differences(): string[] {
    const canonical = this.#canonical();
    const [own, expected] = [new Set(this.#logs), new Set(canonical)];
    const differences = [
      ...this.#logs.filter((log) => !expected.has(log)).map(nameOf),
      ...canonical.filter((log) => !own.has(log)).map((log) => `missing ${nameOf(log)}`),
    ];
    const isEqual = canonical.length === this.#logs.length && canonical.every((log, i) => log === this.#logs[i]);
    return isEqual || differences.length > 0 ? differences : ['duplicate logs, or another order'];
  }

  /** The canonical logs that match the filter. */
  #canonical(): SimLog[] {
    const filter = { ...this.#filter, fromBlock: '0x0', toBlock: 'latest' };
    return respondTo(this.#chain.main, (hash) => this.#chain.block(hash), '', 'eth_getLogs', [filter]) as SimLog[];
  }

  /** The last matching log of a branch, before a position in its last block. */
  #lastOf(block: SimBlock, before = block.logs.length): SimLog | undefined {
    for (let at: SimBlock | undefined = block, from = before - 1; at; at = at.parent, from = at ? at.logs.length - 1 : 0) {
      for (let i = from; i >= 0; i--) if (matchesWireFilter(at.logs[i]!, this.#filter)) return at.logs[i];
    }
    return undefined;
  }
}

const isSame = (log: SimLog, { account, topics, data, transactionHash, blockNumber }: EmittedContents): boolean =>
  log.address === account.address &&
  log.data === data &&
  log.transactionHash === transactionHash &&
  log.blockNumber === blockNumber &&
  String(log.topics) === String(topics);

/** The chain of the emitted heads; initially the canonical chain. A head replaces all blocks above its parent. */
export class HeadReplayChecker implements ReplayChecker {
  readonly counts = { added: 0, removed: 0 };
  /** Hashes of removed blocks, in the order of removal. */
  readonly dropped: string[] = [];
  readonly #chain: SimChain;
  readonly #blocks: SimBlock[];

  constructor(chain: SimChain) {
    this.#chain = chain;
    this.#blocks = canonicalBlocks(chain);
  }

  get tip(): SimBlock {
    return this.#blocks.at(-1)!;
  }

  apply({ hash, number, parentHash }: Pick<RpcBlock, 'hash' | 'number' | 'parentHash'>): void {
    const block = this.#chain.block(hash);
    if (!block) throw new Error(`unknown head: ${number} ${hash}`);
    check(Number(number) === block.height && parentHash === block.parent?.hash, () => `${hash} has another number or parent`);
    check(this.#blocks[block.height] !== block, () => `${number} ${hash} is emitted twice`);
    check(this.#blocks[block.height - 1] === block.parent, () => `${number} ${hash} is emitted without its parent`);
    const dropped = this.#blocks.splice(block.height).reverse();
    this.dropped.push(...dropped.map((one) => one.hash));
    this.#blocks.push(block);
    this.counts.added += 1;
    this.counts.removed += dropped.length;
  }

  get isComplete(): boolean {
    return this.tip === this.#chain.head;
  }

  differences(): string[] {
    const real = canonicalBlocks(this.#chain);
    const length = Math.max(real.length, this.#blocks.length);
    return Array.from({ length }, (_none, i) => i).flatMap((i) => (real[i] === this.#blocks[i] ? [] : [`another block ${i}`]));
  }
}

const canonicalBlocks = ({ main }: SimChain): SimBlock[] =>
  Array.from({ length: main.head.height + 1 }, (_none, i) => main.at(i)!);
