import type { ChainFeed } from '../../../sync/feed.ts';

/** The changes of the head, for a task that reads the head itself. */
export class HeadChanges {
  readonly #feed: Pick<ChainFeed, 'subscribeHeads'>;
  #unsubscribe: () => void;
  #resolve: () => void = () => {};

  constructor(feed: Pick<ChainFeed, 'subscribeHeads'>) {
    this.#feed = feed;
    this.#unsubscribe = this.#subscribe();
  }

  /** Resolves at the next change after this call. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  stop(): void {
    this.#unsubscribe();
  }

  #subscribe(): () => void {
    return this.#feed.subscribeHeads({
      next: () => this.#resolve(),
      end: (error) => {
        // The blocks of the gap are read from the node.
        if (error.code !== 'GAP_TOO_LARGE') return;
        this.#unsubscribe = this.#subscribe();
        this.#resolve();
      },
    });
  }
}
