/** A number at `/metrics`, read when it is scraped. */
export interface Metric {
  /** Without the prefix `grimoire_`; counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  /** Undefined omits the metric from the scrape. */
  readonly value: () => number | undefined;
}
