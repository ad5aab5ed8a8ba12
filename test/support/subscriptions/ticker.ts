import { GraphError } from '../../../src/errors.ts';
import type { SourceEventBatch, SourceStream, SourceStreamListener } from '../../../src/graphql/stream.ts';

/** What a tick is in the graph. */
export interface Tick {
  readonly n: number;
  readonly text: string;
}

/** A source of numbered events that a test drives. It counts who listens. */
export class Ticker {
  /** Streams that are open, and how often one was opened. */
  openStreams = 0;
  openedStreams = 0;
  /** Backlogs that somebody still reads. */
  activeBacklogs = 0;
  /** Waited for before each batch of a backlog. */
  beforeReplay: () => Promise<unknown> = async () => {};
  readonly #batches: SourceEventBatch[] = [];
  readonly #listeners = new Set<SourceStreamListener>();
  #last = 0;

  /** Tells of so many further events at once; each is behind the cursor that is its number. */
  emit(count = 1, size = 8, block?: string): void {
    const batch = Array.from({ length: count }, () => {
      const n = ++this.#last;
      return { root: { ticks: { n, text: 'x'.repeat(size) } }, block, cursor: String(n) };
    });
    this.#batches.push(batch);
    for (const listener of [...this.#listeners]) listener.next(batch);
  }

  end(error?: GraphError): void {
    for (const listener of [...this.#listeners]) listener.end(error);
  }

  /** The stream for whoever goes on behind `after`, a number; without it nothing is missed. */
  stream(after?: string): SourceStream {
    return {
      subscribe: (listener) => {
        this.openStreams++;
        this.openedStreams++;
        this.#listeners.add(listener);
        return () => {
          this.openStreams--;
          this.#listeners.delete(listener);
        };
      },
      ...(after !== undefined && {
        backlog: (signal: AbortSignal) => this.#backlog(Number(after), this.#batches.length, signal),
      }),
    };
  }

  async *#backlog(after: number, end: number, signal: AbortSignal): AsyncGenerator<SourceEventBatch> {
    this.activeBacklogs++;
    try {
      if (after < 0) throw new GraphError('CURSOR_EXPIRED', 'This cursor is too old.');
      for (const batch of this.#batches.slice(0, end)) {
        await this.beforeReplay();
        if (signal.aborted) return;
        const missed = batch.filter(({ cursor }) => Number(cursor) > after);
        if (missed.length > 0) yield missed;
      }
    } finally {
      this.activeBacklogs--;
    }
  }
}
