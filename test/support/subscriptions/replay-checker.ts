import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import type { SimChain } from '../simulator/chain.ts';
import { matchesWireFilter, respondTo, type SimLogFilter } from '../simulator/rpc-simulator.ts';
import type { SimBlock, SimLog } from '../simulator/view.ts';

/** The state of a subscriber that applies each event. `take` throws at an inconsistent event. */
export interface ReplayChecker {
  apply(event: any): void;
  /** Whether the state is complete up to the head. Cheap: `take` has checked every earlier event. */
  readonly isComplete: boolean;
  /** All differences from the chain, compared from the start. */
  differences(): string[];
}

const assertReplay = (fits: boolean, what: () => string): void => {
  if (!fits) throw new Error(what());
};

/** The equivalent filter of `eth_getLogs`. */
export const toWireFilter = ({ addresses, topics }: LogFilter): SimLogFilter => ({
  ...(addresses?.length && { address: addresses }),
  topics: (topics ?? []).map((some) => (some.length > 0 ? some : null)),
});

const nameOf = (log: SimLog | undefined): string =>
  log ? `log ${Number(log.logIndex)} of ${Number(log.blockNumber)} ${log.blockHash.slice(0, 10)}` : 'nothing';

/**
 * The logs that pass a filter, from the first block on; at first those that there are. A log that comes must be the next one on its own branch
 * after the last that is there, and a log that goes must be the last one.
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

  apply({ blockHash, index, removed, ...emitted }: any): void {
    const block = this.#chain.block(blockHash);
    const log = block?.logs[Number(index)];
    if (!block || !log) throw new Error(`a log that there is none of: ${index} of ${blockHash}`);
    assertReplay(matchesWireFilter(log, this.#filter), () => `${nameOf(log)} does not pass the filter`);
    assertReplay(isSame(log, emitted), () => `${nameOf(log)} is told as ${JSON.stringify(emitted)}`);
    if (removed) {
      const last = this.#logs.pop();
      assertReplay(last === log, () => `${nameOf(log)} goes, and the last one is ${nameOf(last)}`);
      this.counts.removed += 1;
    } else {
      const [before, last] = [this.#lastOf(block, Number(index)), this.#logs.at(-1)];
      assertReplay(before === last, () => `${nameOf(log)} comes after ${nameOf(before)}, and the last one is ${nameOf(last)}`);
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
    const real = this.#canonical();
    const [own, theirs] = [new Set(this.#logs), new Set(real)];
    const apart = [
      ...this.#logs.filter((log) => !theirs.has(log)).map(nameOf),
      ...real.filter((log) => !own.has(log)).map((log) => `lacks ${nameOf(log)}`),
    ];
    const isSameList = real.length === this.#logs.length && real.every((log, i) => log === this.#logs[i]);
    return isSameList || apart.length > 0 ? apart : ['something twice, or in another order'];
  }

  /** The logs of the node. */
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

const isSame = (log: SimLog, { account, topics, data, transactionHash, blockNumber }: any): boolean =>
  log.address === account.address &&
  log.data === data &&
  log.transactionHash === transactionHash &&
  log.blockNumber === blockNumber &&
  String(log.topics) === String(topics);

/** The chain, by the heads that are told; at first what there is of it. A head grows on the last one, or on one that is given up all that lies above. */
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

  apply({ hash, number, parentHash }: any): void {
    const block = this.#chain.block(hash);
    if (!block) throw new Error(`a head that there is none of: ${number} ${hash}`);
    assertReplay(Number(number) === block.height && parentHash === block.parent?.hash, () => `${hash} is told otherwise`);
    assertReplay(this.#blocks[block.height] !== block, () => `${number} ${hash} comes twice`);
    assertReplay(this.#blocks[block.height - 1] === block.parent, () => `${number} ${hash} comes, and its parent is not there`);
    const gone = this.#blocks.splice(block.height).reverse();
    this.dropped.push(...gone.map((one) => one.hash));
    this.#blocks.push(block);
    this.counts.added += 1;
    this.counts.removed += gone.length;
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

/** The reorgs that are told. Each must be one: blocks of a line that go, and blocks of another line from the same ancestor on. */
export class ReorgReplayChecker implements ReplayChecker {
  readonly counts = { added: 0, removed: 0 };
  readonly dropped: string[] = [];
  readonly isComplete = true;
  readonly #chain: SimChain;

  constructor(chain: SimChain) {
    this.#chain = chain;
  }

  apply({ depth, commonAncestor, dropped, added }: any): void {
    const gone = dropped.map(({ hash }: any) => hash);
    const came = added.map(({ hash }: any) => hash);
    assertReplay(depth === gone.length && depth > 0, () => `a reorg of depth ${depth} drops ${gone.length}`);
    for (const line of [gone.toReversed(), came]) {
      let parent = commonAncestor.hash;
      for (const hash of line) {
        assertReplay(this.#chain.block(hash)?.parent?.hash === parent, () => `${hash} does not grow on ${parent}`);
        parent = hash;
      }
    }
    this.dropped.push(...gone);
    this.counts.added += came.length;
    this.counts.removed += gone.length;
  }

  differences(): string[] {
    return [];
  }
}
