import type { FastifyInstance } from 'fastify';
import { GraphError } from '../../errors.ts';
import { NO_STORE } from '../requests/http-cache.ts';

/** Timeout of the readiness check. */
const PROBE_TIMEOUT_MS = 2_000;

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

/** Checks the upstreams that the server needs. Rejects with the reason when one is unavailable. */
export type ReadinessProbe = (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;

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
      const timeout = new AbortController();
      const timer = setTimeout(
        () => timeout.abort(new GraphError('TIMEOUT', `The readiness check took longer than ${PROBE_TIMEOUT_MS} ms.`)),
        PROBE_TIMEOUT_MS,
      );
      return { status: 'ready', ...(await probe(timeout.signal).finally(() => clearTimeout(timer))) };
    } catch (error) {
      const { code, message } =
        error instanceof GraphError ? error : new GraphError('INTERNAL_SERVER_ERROR', 'The readiness check failed.');
      return reply.code(503).send({ status: 'unavailable', code, message });
    }
  });
}
