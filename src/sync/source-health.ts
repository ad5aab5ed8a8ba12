import { GraphError } from '../errors.ts';

/** For how long a source of subscriptions may fail before `/readyz` names it. */
export const SOURCE_UNREADY_MS = 30_000;

/** A source of subscriptions that fails, since when, and why it failed last. */
export interface FailingSource {
  readonly source: string;
  readonly failingMs: number;
  readonly error: GraphError;
}

interface SourceFailure {
  readonly since: number;
  error: GraphError;
}

/**
 * Which sources of subscriptions fail now: a source is what the events of a subscription are read from, as `logs`. One that reads several
 * items at a time, as blocks, reports each under its own name, and fails for as long as the oldest of them does.
 */
export class SourceHealth {
  readonly #sources = new Map<string, Map<string, SourceFailure>>();

  /** Takes in that a read has failed. Gives how long it has been failing without a success, in milliseconds. */
  report(source: string, error: GraphError, item = ''): number {
    const items = this.#sources.get(source) ?? new Map<string, SourceFailure>();
    this.#sources.set(source, items);
    const failure = items.get(item) ?? { since: performance.now(), error };
    failure.error = error;
    items.set(item, failure);
    return performance.now() - failure.since;
  }

  /** Takes in that a read has succeeded, or that nobody waits for it. */
  clear(source: string, item = ''): void {
    this.#sources.get(source)?.delete(item);
  }

  /** How long a source has been failing, in milliseconds; 0 when it is not. */
  failingMs(source: string): number {
    const oldest = this.#oldest(source);
    return oldest ? performance.now() - oldest.since : 0;
  }

  /** All that fail now. */
  get failing(): readonly FailingSource[] {
    return [...this.#sources.keys()].flatMap((source) => {
      const oldest = this.#oldest(source);
      return oldest ? [{ source, failingMs: performance.now() - oldest.since, error: oldest.error }] : [];
    });
  }

  #oldest(source: string): SourceFailure | undefined {
    const [first, ...others] = this.#sources.get(source)?.values() ?? [];
    return first && others.reduce((oldest, one) => (one.since < oldest.since ? one : oldest), first);
  }
}

/** What a subscription ends with when its source has failed for too long: the upstream's error, which a client may try again. */
export const sourceFailedError = (source: string, error: GraphError): GraphError =>
  new GraphError(error.code, `The events of this subscription cannot be read (${source}). ${error.message}`, {
    ...error.extensions,
    retryable: true,
    cause: error,
  });
