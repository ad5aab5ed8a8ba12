import { type AnyMetric, CounterFamily, HistogramFamily } from '../lib/metrics.ts';
import type { ObservedRequest, UpstreamObserver } from '../upstream/http-request.ts';

/** Counts requests to upstreams and JSON-RPC calls by their outcomes, and measures the durations of requests. */
export class UpstreamMetrics implements UpstreamObserver {
  readonly #requests = new CounterFamily({
    name: 'upstream_requests_total',
    help: 'Requests to upstreams over HTTP, retries included, by route and outcome: `ok` or an error code.',
    labelNames: ['upstream', 'route', 'outcome'],
  });
  readonly #durations = new HistogramFamily({
    name: 'upstream_request_duration_seconds',
    help: 'Time from sending a request to an upstream to its complete response or failure.',
    labelNames: ['upstream', 'route'],
  });
  readonly #calls = new CounterFamily({
    name: 'node_calls_total',
    help: 'JSON-RPC calls sent over HTTP, retries included, by method and outcome: `ok` or an error code.',
    labelNames: ['method', 'outcome'],
  });

  get metrics(): readonly AnyMetric[] {
    return [this.#requests, this.#durations, this.#calls];
  }

  start({ upstream, route, trace }: ObservedRequest) {
    const startedAt = performance.now();
    return {
      trace,
      end: (outcome: string): void => {
        this.#requests.with(upstream, route, outcome).count += 1;
        this.#durations.with(upstream, route).observe((performance.now() - startedAt) / 1_000);
      },
    };
  }

  /** The methods are those of the server's own tables, so their number is limited. */
  recordCall(method: string, outcome: string): void {
    this.#calls.with(method, outcome).count += 1;
  }
}
