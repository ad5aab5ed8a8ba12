import { LRUCache } from 'lru-cache';
import { ExpiringValue } from '../../lib/expiring-value.ts';
import { LogFilterDialect } from './log-filter-dialect.ts';
import { LogRangeLimit } from './log-range-limit.ts';

/** A kind of data that a node stores for a block, and can remove separately. */
export type HistoryResource = 'BLOCKS' | 'RECEIPTS' | 'LOGS' | 'STATE';

/** Time for which a height is valid: pruning raises it. */
const LIFETIME_MS = 60_000;

/** The heights of the oldest blocks that one endpoint serves, by resource, as the node has reported them or as probes have found them. */
export class OldestBlocks {
  readonly #heights = new Map<HistoryResource, ExpiringValue<number | null | undefined>>();
  readonly #report = new ExpiringValue<Promise<void> | undefined>(undefined);

  /** Returns the height; null when the endpoint does not serve the resource, undefined when the height is not known. */
  get(resource: HistoryResource): number | null | undefined {
    return this.#heights.get(resource)?.current;
  }

  set(resource: HistoryResource, height: number | null): void {
    const value = this.#heights.get(resource) ?? new ExpiringValue<number | null | undefined>(undefined);
    this.#heights.set(resource, value);
    value.set(height, LIFETIME_MS);
  }

  /**
   * Requests a report of the node, unless one was requested in the lifetime of a height: a node without reports
   * receives one call in this time. `request` must not reject; it resolves with false for a temporary failure, after
   * which the next caller requests a report again. Resolves when the report is received.
   */
  report(request: () => Promise<boolean>): Promise<void> {
    if (this.#report.current) return this.#report.current;
    const received = request().then((isConclusive) => {
      if (!isConclusive) this.#report.set(undefined, 0);
    });
    this.#report.set(received, LIFETIME_MS);
    return received;
  }
}

/**
 * Time for which a method counts as unsupported, and for which state is read by height before a read by hash is tried again,
 * because the node may have been replaced, or the fault was temporary.
 */
export const RETEST_MS = 60_000;
/**
 * Time after a read that failed both by hash and by height in which no other read is tried in both forms, because an
 * endpoint may fail at reads of either form.
 */
const FALLBACK_PAUSE_MS = 1_000;

/**
 * Detects whether an endpoint reads state at a block hash (EIP-1898). Nodes reject a hash with different errors, so an
 * error alone proves nothing: a read by hash counts as rejected when the read then succeeds by height.
 */
export class StateByHashSupport {
  #hasWorked = false;
  readonly #isUnsupported = new ExpiringValue(false);
  readonly #canTryHeight = new ExpiringValue(true);

  /** Whether to read state by height without trying the hash. */
  get isUnsupported(): boolean {
    return this.#isUnsupported.current;
  }

  /** Records a read by hash that succeeded. */
  recordSuccess(): void {
    this.#hasWorked = true;
  }

  /**
   * Records a read that failed by hash and succeeded by height. `isBlockMissing`: a node that accepts hashes but lags
   * reports this error, too.
   */
  recordRejection(isBlockMissing: boolean): void {
    if (!isBlockMissing || !this.#hasWorked) this.#isUnsupported.set(true, RETEST_MS);
  }

  /** Whether a read that has failed by hash may be tried by height. */
  get canTryHeight(): boolean {
    return this.#canTryHeight.current;
  }

  /** Records a read that failed both by hash and by height. */
  recordFallbackFailure(): void {
    this.#canTryHeight.set(false, FALLBACK_PAUSE_MS);
  }
}

/** Capabilities of one endpoint, as the operations that used it have detected them. */
export class EndpointCapabilities {
  /** Methods, and names of method families, that neither the endpoint nor the others of the node have supported. */
  readonly unsupportedMethods = new LRUCache<string, true>({ max: 100, ttl: RETEST_MS, ttlResolution: 0 });
  /** Whether the endpoint reads state at a block hash (EIP-1898). */
  readonly stateByHash = new StateByHashSupport();
  /**
   * Whether pending blocks of the node have hashes by which the node does not find them, so that a block with a hash
   * need not be mined. Expires, because a backend behind the endpoint may not have found a mined block yet.
   */
  readonly hasUnminedHashes = new ExpiringValue(false);
  /** Name of the block hash field in the endpoint's log filters. */
  readonly logFilterDialect = new LogFilterDialect();
  /** The oldest blocks that the endpoint serves. */
  readonly oldestBlocks = new OldestBlocks();
  /** Maximum number of blocks of a log search. */
  readonly logRangeLimit = new LogRangeLimit();
}
