import { LogFilterDialect } from './log-filter-dialect.ts';
import { LogRangeLimit } from './log-range-limit.ts';

/** What a node stores of a block, and removes separately. */
export type HistoryResource = 'BLOCKS' | 'RECEIPTS' | 'LOGS' | 'STATE';

/** Time for which a height is valid: pruning raises it. */
const LIFETIME_MS = 60_000;

/** The heights of the oldest blocks that one endpoint serves, by resource, as the node has reported them or as probes have found them. */
export class OldestBlocks {
  readonly #entries = new Map<HistoryResource, { readonly height: number | null; readonly validUntil: number }>();
  #report: { readonly received: Promise<void>; readonly validUntil: number } | undefined;

  /** Returns the height; null when the endpoint does not serve the resource, undefined when the height is not known. */
  get(resource: HistoryResource): number | null | undefined {
    const entry = this.#entries.get(resource);
    return entry && performance.now() < entry.validUntil ? entry.height : undefined;
  }

  set(resource: HistoryResource, height: number | null): void {
    this.#entries.set(resource, { height, validUntil: performance.now() + LIFETIME_MS });
  }

  /**
   * Requests a report of the node, unless one was requested in the lifetime of a height: a node without reports receives one call in this
   * time. `request` must not reject; it resolves with false for a failure that may pass, after which the next caller requests again. Resolves
   * when the report is received.
   */
  report(request: () => Promise<boolean>): Promise<void> {
    const now = performance.now();
    if (this.#report && now < this.#report.validUntil) return this.#report.received;
    const received = request().then((isConclusive) => {
      if (!isConclusive) this.#report = undefined;
    });
    this.#report = { received, validUntil: now + LIFETIME_MS };
    return received;
  }
}

/** Number of consecutive rejections after which state is read by height. A read counts only if it was sent after the previous rejection. */
const MIN_REJECTIONS = 2;
/** Time until reads by hash are tried again: the node may have been replaced, or the rejections were a temporary fault. */
const RETEST_MS = 60_000;
/** Number of fallback reads by height that may fail. Each failed read by hash restores a tenth of one. */
const MAX_FALLBACK_CREDIT = 10;
const FALLBACK_CREDIT_PER_FAILURE = 0.1;

/**
 * Detects whether an endpoint reads state at a block hash (EIP-1898). Nodes reject a hash with different errors, so an error alone proves
 * nothing: a read by hash counts as rejected when the same read succeeds by height, twice in a row.
 */
export class StateByHashSupport {
  #rejections = 0;
  #retestAt = 0;
  #credit = MAX_FALLBACK_CREDIT;
  #hasWorked = false;

  /** Rejections in a row. Pass the value at the time of sending to `recordRejection`, so that reads sent together count once. */
  get rejections(): number {
    return this.#rejections;
  }

  /** Whether to read state by height without trying the hash. */
  get isUnsupported(): boolean {
    return this.#rejections >= MIN_REJECTIONS && performance.now() < this.#retestAt;
  }

  /** Whether a read by hash has ever succeeded. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** Records a read by hash that succeeded. */
  recordSuccess(): void {
    this.#rejections = 0;
    this.#hasWorked = true;
  }

  /**
   * Records a read that failed by hash and succeeded by height. `isExplicit`: the node reported invalid parameters; one such rejection is
   * enough.
   */
  recordRejection(rejectionsWhenSent: number, isExplicit: boolean): void {
    if (this.#rejections === rejectionsWhenSent) this.#rejections = isExplicit ? MIN_REJECTIONS : rejectionsWhenSent + 1;
    if (this.#rejections >= MIN_REJECTIONS) this.#retestAt = performance.now() + RETEST_MS;
  }

  /** Whether a read that failed by hash may be tried by height. Limited, because an endpoint may fail at reads of either form. */
  canTryHeight(): boolean {
    this.#credit = Math.min(MAX_FALLBACK_CREDIT, this.#credit + FALLBACK_CREDIT_PER_FAILURE);
    return this.#credit >= 1;
  }

  /** Records a read that failed in both forms. */
  recordFallbackFailure(): void {
    this.#credit -= 1;
  }
}

/** Capabilities of one endpoint, as the operations that used it have detected them. */
export class EndpointCapabilities {
  /** Methods, and names of method families, that the node has reported as unsupported. */
  readonly unsupportedMethods = new Set<string>();
  /** Whether the endpoint reads state at a block hash (EIP-1898). */
  readonly stateByHash = new StateByHashSupport();
  /** Whether the pending blocks of the node have hashes that it does not find by hash, so that a hash does not mean that a block is mined. */
  hasUnminedHashes = false;
  /** Name of the block hash field in the endpoint's log filters. */
  readonly logFilterDialect = new LogFilterDialect();
  /** The oldest blocks that the endpoint serves. */
  readonly oldestBlocks = new OldestBlocks();
  /** Maximum number of blocks of a log search. */
  readonly logRangeLimit = new LogRangeLimit();
}
