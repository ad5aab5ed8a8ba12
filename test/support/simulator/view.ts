import { random } from '../random-tests.ts';

/** An immutable block of the simulated chain. A view decides which blocks are canonical. */
export interface SimBlock {
  readonly hash: string;
  readonly height: number;
  readonly parent: SimBlock | undefined;
  /** The full header as geth returns it, including the hash. */
  readonly header: Readonly<Record<string, string>>;
  readonly transactions: readonly string[];
  /** The bloom of the logs of each transaction. */
  readonly blooms: readonly string[];
  readonly logs: readonly SimLog[];
}

export interface SimLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly logIndex: string;
  readonly removed: boolean;
}

/** A change of a view: `removed` descending from the old head, `added` ascending to the new head. */
export interface SimChange {
  readonly removed: readonly SimBlock[];
  readonly added: readonly SimBlock[];
}

/** The canonical chain of one backend. Emits a change whenever its head moves. */
export class SimView {
  head: SimBlock;
  readonly #heights: SimBlock[];
  readonly #listeners = new Set<(change: SimChange) => void>();
  /** The blocks that the backend has imported; undefined for a backend that has all blocks. */
  readonly importedBlocks: WeakSet<SimBlock> | undefined;

  constructor(head: SimBlock, isLagging = false) {
    const branch: SimBlock[] = [];
    for (let block: SimBlock | undefined = head; block; block = block.parent) branch.push(block);
    this.head = head;
    this.#heights = branch.reverse();
    this.importedBlocks = isLagging ? new WeakSet(branch) : undefined;
  }

  at(height: number): SimBlock | undefined {
    return height <= this.head.height ? this.#heights[height] : undefined;
  }

  onChange(listener: (change: SimChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  moveTo(head: SimBlock): SimChange {
    const added: SimBlock[] = [];
    let fork = head;
    while (this.at(fork.height) !== fork) {
      added.unshift(fork);
      fork = fork.parent!;
    }
    const removed = this.#heights.slice(fork.height + 1).reverse();
    this.#heights.splice(fork.height + 1, removed.length, ...added);
    for (const block of added) this.importedBlocks?.add(block);
    this.head = head;
    for (const listener of this.#listeners) listener({ removed, added });
    return { removed, added };
  }
}

/** The number of backends, the maximum number of blocks each may lag, and the random seed. */
export interface BackendOptions {
  readonly count: number;
  readonly lag: number;
  readonly seed: number;
}

/** Creates backends that import blocks late. Each catches up independently and never returns to an older head. */
export function createLaggingViews(main: SimView, { count, lag, seed }: BackendOptions): SimView[] {
  const draw = random(seed);
  const heads = [main.head];
  const views = Array.from({ length: count }, () => new SimView(main.head, true));
  const importedIndexes = views.map(() => 0);
  main.onChange(() => {
    heads.push(main.head);
    views.forEach((view, i) => {
      const target = heads.length - 1 - Math.floor(draw() * (lag + 1));
      if (target <= importedIndexes[i]!) return;
      importedIndexes[i] = target;
      view.moveTo(heads[target]!);
    });
  });
  return views;
}
