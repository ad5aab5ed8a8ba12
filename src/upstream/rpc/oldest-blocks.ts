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
