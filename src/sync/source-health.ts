import type { Logger } from 'pino';
import { GraphError } from '../lib/errors.ts';
import type { RpcSender } from '../upstream/rpc/rpc-call.ts';
import type { FollowerTiming } from './head/timing.ts';

/** Milliseconds of failure after which `/readyz` reports a subscription source. */
export const SOURCE_UNREADY_MS = 30_000;

/** The dependencies that the reads of a feed share. */
export interface FeedContext {
  /** Creates an RPC session, used when the connection of the follower cannot provide the data. */
  readonly createSource: (() => RpcSender) | undefined;
  readonly timing: FollowerTiming;
  /** Receives failures of reads. */
  readonly sourceHealth: SourceHealth;
  readonly log: Logger;
}

interface Failure {
  readonly since: number;
  /** By `performance.now()`: the time from which the failure no longer counts. */
  readonly until: number;
  readonly error: GraphError;
}

/**
 * Tracks failing subscription sources. A source, for example `logs`, provides the events of a subscription. A source that reads several
 * items concurrently, for example blocks, reports each item; its failure began with its oldest failing item.
 */
export class SourceHealth {
  /** The failures of each item of a source. */
  readonly #sources = new Map<string, Map<string, Failure>>();

  /**
   * Records a failed read. Returns the milliseconds since the first failure without a success in between. A failure counts until
   * the next success, and for at most `forMs` milliseconds after its last report.
   */
  report(source: string, error: GraphError, item = '', forMs = Number.POSITIVE_INFINITY): number {
    const now = performance.now();
    const failures = this.#sources.get(source) ?? new Map<string, Failure>();
    const before = failures.get(item);
    const since = before && before.until > now ? before.since : now;
    this.#sources.set(source, failures.set(item, { since, until: now + forMs, error }));
    return now - since;
  }

  /** Records a successful or cancelled read. */
  clear(source: string, item = ''): void {
    this.#sources.get(source)?.delete(item);
  }

  /** Returns the milliseconds for which a source has been failing; 0 if the source is not failing. */
  failingMs(source: string): number {
    return this.failing.find((failing) => failing.source === source)?.failingMs ?? 0;
  }

  /** The failing subscription sources, the duration of each failure, and its last error. */
  get failing() {
    const now = performance.now();
    return [...this.#sources].flatMap(([source, failures]) => {
      const [oldest] = [...failures.values()].filter(({ until }) => until > now).sort((a, b) => a.since - b.since);
      return oldest ? [{ source, failingMs: now - oldest.since, error: oldest.error }] : [];
    });
  }
}

/** Creates the error that ends a subscription whose source has failed for too long: the upstream's error, marked as retryable. */
export function sourceFailedError(source: string, error: GraphError): GraphError {
  const message = `The events of this subscription cannot be read (${source}). ${error.message}`;
  return new GraphError(error.code, message, { ...error.extensions, retryable: true, cause: error });
}
