import { expect, test } from '@jest/globals';
import { AggregatorRegistry } from 'prom-client';
import { CounterFamily, durationHistogram, metricsOfChains, metricTable } from '../../../src/lib/metrics.ts';
import { createRegistry } from '../../../src/server/ops.ts';

/** The metrics of a chain with values that its number determines; the first chain alone has a metric `alone`. */
function metricsOf(number: number) {
  const calls = new CounterFamily({ name: 'calls_total', help: 'Calls.', labelNames: ['method'] });
  calls.with('eth_call').count = number;
  const durations = durationHistogram('duration_seconds', 'Durations.', ['route']);
  durations.observe({ route: 'POST' }, number);
  const values = metricTable({
    height: ['Height.', () => number, 'max'],
    ...(number === 1 ? { alone: ['Of one chain.', () => 1] } : {}),
  });
  return [calls, durations, ...values];
}

let idOfFirst = 'default';
const chains = [
  { label: () => idOfFirst, metrics: metricsOf(1) },
  { label: () => '5', metrics: metricsOf(5) },
];

/** The lines about the chains, without the buckets and without the metrics of the process. */
const linesOf = (text: string) => text.split('\n').filter((line) => line.includes('grimoire_') && !line.includes('_bucket'));

test('the metrics of several chains have the label chain, and each name its help once', async () => {
  const registry = createRegistry(metricsOfChains(chains, true));
  const series = (id: string) => [
    '# HELP grimoire_calls_total Calls.',
    '# TYPE grimoire_calls_total counter',
    `grimoire_calls_total{chain="${id}",method="eth_call"} 1`,
    'grimoire_calls_total{chain="5",method="eth_call"} 5',
    '# HELP grimoire_duration_seconds Durations.',
    '# TYPE grimoire_duration_seconds histogram',
    `grimoire_duration_seconds_sum{chain="${id}",route="POST"} 1`,
    `grimoire_duration_seconds_count{chain="${id}",route="POST"} 1`,
    'grimoire_duration_seconds_sum{chain="5",route="POST"} 5',
    'grimoire_duration_seconds_count{chain="5",route="POST"} 1',
    '# HELP grimoire_height Height.',
    '# TYPE grimoire_height gauge',
    `grimoire_height{chain="${id}"} 1`,
    'grimoire_height{chain="5"} 5',
    '# HELP grimoire_alone Of one chain.',
    '# TYPE grimoire_alone gauge',
    `grimoire_alone{chain="${id}"} 1`,
  ];
  expect(linesOf(await registry.metrics())).toEqual(series('default'));
  idOfFirst = '1';
  expect(linesOf(await registry.metrics())).toEqual(series('1'));
  expect(await registry.metrics()).toContain('grimoire_duration_seconds_bucket{chain="5",le="5",route="POST"} 1\n');
});

test('the metrics of several processes become one for each chain', async () => {
  const registry = createRegistry(metricsOfChains(chains, true));
  const processes = [await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()];
  const text = await AggregatorRegistry.aggregate(processes as never).metrics();
  expect(text).toContain('grimoire_calls_total{chain="5",method="eth_call"} 10\n');
  expect(text).toContain('grimoire_duration_seconds_count{chain="5",route="POST"} 2\n');
  expect(text).toContain('grimoire_height{chain="5"} 5\n');
});

test('without CHAINS the metrics are those of the chain, without a label', async () => {
  const [chain] = chains as [(typeof chains)[0]];
  const text = await createRegistry(metricsOfChains([chain], false)).metrics();
  expect(linesOf(text)).toEqual(linesOf(await createRegistry(chain.metrics).metrics()));
  expect(text).not.toContain('chain="');
});

test('the lag of the event loops of several processes is that of the slowest', async () => {
  const metrics = await createRegistry([]).getMetricsAsJSON();
  const lagging = (value: number) =>
    metrics
      .filter(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')
      .map((metric) => ({ ...metric, values: [{ value, labels: {} }] }));
  const sum = AggregatorRegistry.aggregate([0.5, 0.01, 0.01, 0.01].map(lagging) as never);
  expect(await sum.metrics()).toContain('\nnodejs_eventloop_lag_p99_seconds 0.5\n');
});
