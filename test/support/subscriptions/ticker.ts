import type { SourceEventBatch, SourceStream, SourceStreamListener } from '../../../src/graphql/stream.ts';
import { GraphError } from '../../../src/lib/errors.ts';

/** A tick as the graph resolves it. */
export interface Tick {
  readonly n: number;
  readonly text: string;
}

/** A source of numbered events that a test emits. It counts its listeners. */
export class Ticker {
  /** Open streams, and how many were opened in all. */
  openStreams = 0;
  openedStreams = 0;
  /** Backlogs that are being read. */
  activeBacklogs = 0;
  /** Awaited before each batch of a backlog. */
  beforeReplay: () => Promise<unknown> = async () => {};
  readonly #batches: SourceEventBatch[] = [];
  readonly #listeners = new Set<SourceStreamListener>();
  #last = 0;

  /** Emits this many events at once; the number of an event is its cursor. */
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

  /** The stream after the cursor `after`, or of new events without it. */
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
