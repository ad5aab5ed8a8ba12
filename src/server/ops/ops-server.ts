import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { withTimeout } from '../../lib/abort.ts';
import { GraphError } from '../../lib/errors.ts';
import { type AppOptions, createApp } from '../app.ts';
import type { ReadinessProbe } from '../context.ts';
import { listen } from '../listen.ts';
import { NO_STORE } from '../requests/http-errors.ts';
import { registerMetrics } from './metrics.ts';

/** Timeout of the readiness check. */
const PROBE_TIMEOUT_MS = 2_000;

const timeoutError = () => new GraphError('TIMEOUT', `The readiness check took longer than ${PROBE_TIMEOUT_MS} ms.`);

/** A balancer that removes a server because of `/readyz` requests it at least this often. */
const MAX_POLL_INTERVAL_MS = 30_000;

/** Whether balancers may route new connections to this server. */
export class Readiness {
  isWithdrawn = false;
  #polledAt = Number.NEGATIVE_INFINITY;

  /** Whether a balancer has requested `/readyz` recently, so that withdrawing the readiness takes effect. */
  get isPolled(): boolean {
    return performance.now() - this.#polledAt < MAX_POLL_INTERVAL_MS;
  }

  recordPoll(): void {
    this.#polledAt = performance.now();
  }
}

/**
 * Serves `/healthz`, which is 200 while the process runs, and `/readyz`, which requests the upstreams: 200 if they respond, 503 with an
 * error code if not or after the readiness has been withdrawn.
 */
export function registerHealth(app: FastifyInstance, probe: ReadinessProbe, readiness: Readiness): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    readiness.recordPoll();
    reply.header('cache-control', NO_STORE);
    try {
      if (readiness.isWithdrawn) throw new GraphError('SHUTTING_DOWN', 'The server is shutting down.');
      return { status: 'ready', ...(await withTimeout(PROBE_TIMEOUT_MS, probe, timeoutError)) };
    } catch (error) {
      const { code, message } =
        error instanceof GraphError ? error : new GraphError('INTERNAL_SERVER_ERROR', 'The readiness check failed.');
      return reply.code(503).send({ status: 'unavailable', code, message });
    }
  });
}

export interface OpsServerOptions extends Pick<AppOptions, 'origins' | 'acceptsHost' | 'log'> {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly registry: Registry;
  readonly probe: ReadinessProbe;
  readonly readiness: Readiness;
}

/** Starts a server for monitoring systems, on a port of its own, with `/metrics`, `/healthz` and `/readyz`. Rejects with BAD_USER_INPUT when it cannot listen. */
export async function startOpsServer({ host, port, registry, probe, readiness, ...options }: OpsServerOptions) {
  const app = createApp(options);
  registerHealth(app, probe, readiness);
  registerMetrics(app, registry);
  const listener = await listen(app, host, port, 'Set METRICS_PORT to a free port.');
  return {
    /** Without a path. */
    url: listener.url,
    async stop(): Promise<void> {
      listener.close();
      // A monitoring system that reads slowly must not delay the end of the process.
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
