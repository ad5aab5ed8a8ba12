import { random } from '../random-tests.ts';

/** A block of the simulated chain. It stays what it is; which blocks are canonical, a view says. */
export interface SimBlock {
  readonly hash: string;
  readonly height: number;
  readonly parent: SimBlock | undefined;
  /** The whole header as geth tells it, the hash included. */
  readonly header: Readonly<Record<string, string>>;
  readonly transactions: readonly string[];
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

/** How a view has moved: `removed` from its old head down, `added` up to its new one. */
export interface SimChange {
  readonly removed: readonly SimBlock[];
  readonly added: readonly SimBlock[];
}

/** One backend's idea of the chain. It moves from head to head, and tells how. */
export class SimView {
  head: SimBlock;
  readonly #heights: SimBlock[];
  readonly #listeners = new Set<(change: SimChange) => void>();
  /** What it has imported so far; undefined where it has everything that there is. */
  readonly importedBlocks: WeakSet<SimBlock> | undefined;

  constructor(head: SimBlock, lags = false) {
    const line: SimBlock[] = [];
    for (let block: SimBlock | undefined = head; block; block = block.parent) line.push(block);
    this.head = head;
    this.#heights = line.reverse();
    this.importedBlocks = lags ? new WeakSet(line) : undefined;
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

/** How many backends there are, how many blocks each may be behind, and what decides it. */
export interface BackendOptions {
  readonly count: number;
  readonly lag: number;
  readonly seed: number;
}

/** Backends that import what the chain does some blocks later: each catches up by itself and never goes back to less. */
export function createLaggingViews(main: SimView, { count, lag, seed }: BackendOptions): SimView[] {
  const draw = random(seed);
  const heads = [main.head];
  const views = Array.from({ length: count }, () => new SimView(main.head, true));
  const reached = views.map(() => 0);
  main.onChange(() => {
    heads.push(main.head);
    views.forEach((view, i) => {
      const goal = heads.length - 1 - Math.floor(draw() * (lag + 1));
      if (goal <= reached[i]!) return;
      reached[i] = goal;
      view.moveTo(heads[goal]!);
    });
  });
  return views;
}
