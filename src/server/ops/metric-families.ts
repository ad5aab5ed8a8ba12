import type { Histogram, Registry } from 'prom-client';
import { type CounterFamily, DURATION_BUCKETS, type DurationHistogram, type HistogramFamily } from '../../metrics.ts';

/** One line of a scrape, as prom-client renders it. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name of the family unless set. */
  readonly metricName?: string;
}

/** Registers a family of counters or histograms. */
export function registerFamily(registry: Registry, family: CounterFamily | HistogramFamily): void {
  const name = `grimoire_${family.name}`;
  const { help, kind: type } = family;
  const get = async () => ({ name, help, type, aggregator: 'sum', values: samplesOf(family, name) });
  // The registry uses only the name and `get` of a metric.
  registry.registerMetric({ name, get } as unknown as Histogram);
}

function samplesOf(family: CounterFamily | HistogramFamily, name: string): Sample[] {
  const labelsOf = (values: readonly string[]) => Object.fromEntries(family.labelNames.map((label, i) => [label, values[i]!]));
  return family.kind === 'counter'
    ? [...family.series].map(({ labels, value }) => ({ labels: labelsOf(labels), value: value.count }))
    : [...family.series].flatMap(({ labels, value }) => histogramSamples(name, labelsOf(labels), value));
}

function histogramSamples(name: string, labels: Sample['labels'], { counts, sumSeconds }: DurationHistogram): Sample[] {
  let count = 0;
  const buckets = counts.map((inBucket, i) => {
    count += inBucket;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: DURATION_BUCKETS[i] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
