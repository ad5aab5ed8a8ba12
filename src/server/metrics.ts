import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';

/** A number that can be watched, read when somebody looks. */
export interface Metric {
  /** Without the prefix that all have; counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  /** Undefined while there is nothing to tell. */
  readonly value: () => number | undefined;
}

/** `/metrics` in the text format of Prometheus. */
export function registerMetrics(app: FastifyInstance, metrics: readonly Metric[]): void {
  const registry = new Registry();
  for (const { name, help, kind, value } of metrics) {
    const options = { name: `grimoire_${name}`, help, registers: [registry] };
    const read = (set: (number: number) => void, forget: () => void): void => {
      const number = value();
      forget();
      if (number !== undefined) set(number);
    };
    if (kind === 'gauge')
      new Gauge({
        ...options,
        collect() {
          read(
            (number) => this.set(number),
            () => this.remove(),
          );
        },
      });
    else
      new Counter({
        ...options,
        collect() {
          read(
            (number) => this.inc(number),
            () => this.remove(),
          );
        },
      });
  }
  app.get('/metrics', async (_request, reply) => {
    reply.header('cache-control', 'no-store').type(registry.contentType);
    return registry.metrics();
  });
}
