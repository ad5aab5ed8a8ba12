/** A number at `/metrics`, read when it is scraped. */
export interface Metric {
  /** Without the prefix `grimoire_`. A name that ends in `_total` is that of a counter, any other of a gauge. */
  readonly name: string;
  readonly help: string;
  /** Undefined omits the metric from the scrape. */
  readonly value: () => number | undefined;
}

/** Creates metrics from their help texts and values by name. */
export const metricTable = (rows: Readonly<Record<string, readonly [help: string, value: Metric['value']]>>): readonly Metric[] =>
  Object.entries(rows).map(([name, [help, value]]) => ({ name, help, value }));

/** Numbers at `/metrics` with one name and different labels. */
interface MetricFamily extends Pick<Metric, 'name' | 'help'> {
  readonly labelNames: readonly string[];
}

/** A tree of series with one level for each label: a joined key would cost more than the increment. */
interface LabelNode<T> {
  readonly children: Map<string, LabelNode<T>>;
  value: T | undefined;
}

/** The series of a family, by the values of their labels. */
abstract class SeriesByLabels<T> implements MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly #series: { readonly labels: readonly string[]; readonly value: T }[] = [];
  readonly #root: LabelNode<T> = { children: new Map(), value: undefined };

  constructor({ name, help, labelNames }: MetricFamily) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** Returns the series with these label values, in the order of `labelNames`; creates it at 0. */
  with(...labels: readonly string[]): T {
    let node = this.#root;
    for (const label of labels) {
      let child = node.children.get(label);
      if (!child) {
        child = { children: new Map(), value: undefined };
        node.children.set(label, child);
      }
      node = child;
    }
    if (node.value === undefined) {
      node.value = this.create();
      this.#series.push({ labels, value: node.value });
    }
    return node.value;
  }

  get series(): Iterable<{ readonly labels: readonly string[]; readonly value: T }> {
    return this.#series;
  }

  protected abstract readonly create: () => T;
}

/** Counters that are incremented in place: prom-client takes half a microsecond to find the labels of each increment. */
export class CounterFamily extends SeriesByLabels<{ count: number }> {
  readonly kind = 'counter';
  protected override readonly create = () => ({ count: 0 });
}

/** Upper bounds of the buckets of durations in seconds; the last bucket has none. */
export const DURATION_BUCKETS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Durations by buckets. */
export class DurationHistogram {
  sumSeconds = 0;
  /** Number of durations in each bucket alone, not cumulative. */
  readonly counts: number[] = new Array(DURATION_BUCKETS.length + 1).fill(0);

  observe(seconds: number): void {
    this.sumSeconds += seconds;
    let bucket = 0;
    while (bucket < DURATION_BUCKETS.length && seconds > DURATION_BUCKETS[bucket]!) bucket++;
    this.counts[bucket]! += 1;
  }
}

/** Histograms of durations in seconds. */
export class HistogramFamily extends SeriesByLabels<DurationHistogram> {
  readonly kind = 'histogram';
  protected override readonly create = () => new DurationHistogram();
}

/** Every kind of metric that `/metrics` renders. */
export type AnyMetric = Metric | CounterFamily | HistogramFamily;
