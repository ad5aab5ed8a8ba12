import { Histogram } from 'prom-client';

/** A number at `/metrics`, read when it is scraped. */
export interface Metric {
  /**
   * Name without the prefix `grimoire_`. A name that ends in `_total` belongs to a counter, any other name to a gauge.
   */
  readonly name: string;
  readonly help: string;
  /** Undefined omits the metric from the scrape. */
  readonly value: () => number | undefined;
  /** How the values of the processes of a server become one. @default sum */
  readonly aggregator?: MetricAggregator | undefined;
}

type MetricAggregator = 'sum' | 'min' | 'max';
type MetricRow = readonly [help: string, value: Metric['value'], aggregator?: MetricAggregator];

/** Creates metrics from their help texts and values by name. */
export const metricTable = (rows: Readonly<Record<string, MetricRow>>, shared?: MetricAggregator): readonly Metric[] =>
  Object.entries(rows).map(([name, [help, value, aggregator = shared]]) => ({ name, help, value, aggregator }));

/** A tree of counters with one level for each label: a joined key would cost more than the increment. */
interface LabelNode {
  readonly children: Map<string, LabelNode>;
  counter: { count: number } | undefined;
}

/** Counters by labels, incremented in place: prom-client takes half a microsecond to find the labels of each increment. */
export class CounterFamily {
  readonly options: Pick<Metric, 'name' | 'help'> & { readonly labelNames: readonly string[] };
  readonly series: { readonly labels: readonly string[]; readonly counter: { readonly count: number } }[] = [];
  readonly #root: LabelNode = { children: new Map(), counter: undefined };

  constructor(options: CounterFamily['options']) {
    this.options = options;
  }

  /** Returns the counter with these label values, in the order of `labelNames`; creates it at 0. */
  with(...labels: readonly string[]): { count: number } {
    let node = this.#root;
    for (const label of labels) {
      const child = node.children.get(label) ?? { children: new Map(), counter: undefined };
      node.children.set(label, child);
      node = child;
    }
    if (!node.counter) {
      node.counter = { count: 0 };
      this.series.push({ labels, counter: node.counter });
    }
    return node.counter;
  }
}

/** Creates a histogram of durations in seconds; `createRegistry` registers it. */
export const durationHistogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
  new Histogram({
    name: `grimoire_${name}`,
    help,
    labelNames,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  });

/** The metrics of one chain. */
export interface ChainMetrics {
  /** The value of the label `chain`, read when the metrics are scraped. */
  readonly label: () => string;
  readonly metrics: readonly AnyMetric[];
}

/** The metrics of the chains of a server: each series has the label `chain`, and each name one help text. */
export interface MetricsOfChains {
  readonly chains: readonly ChainMetrics[];
}

/** The metrics of the chains of a server. `hasLabels`: whether they name their chain. */
export const metricsOfChains = (chains: readonly ChainMetrics[], hasLabels: boolean): readonly AnyMetric[] =>
  hasLabels ? [{ chains }] : chains.flatMap(({ metrics }) => metrics);

/** Every kind of metric that `/metrics` renders. */
export type AnyMetric = Metric | CounterFamily | Histogram | MetricsOfChains;
