import type { FastifyInstance } from 'fastify';
import { GraphError } from '../../errors.ts';

/** Longest wait for the node before the server counts as not ready. */
const PROBE_TIMEOUT_MS = 2_000;

/** What has to answer before this server can. Rejects with the reason when it does not. */
export type ReadinessProbe = (signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;

/**
 * `/healthz` says that the process runs; `/readyz` that an upstream really answers now, and 503 with the code of the failure
 * and a message when not, and while the server drains.
 */
export function registerHealth(app: FastifyInstance, probe: ReadinessProbe, isDraining: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      if (isDraining()) throw new GraphError('SHUTTING_DOWN', 'The server is shutting down.');
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(new GraphError('TIMEOUT', 'The node took too long.')), PROBE_TIMEOUT_MS);
      return { status: 'ready', ...(await probe(timeout.signal).finally(() => clearTimeout(timer))) };
    } catch (error) {
      const { code, message } =
        error instanceof GraphError ? error : new GraphError('INTERNAL_SERVER_ERROR', 'The check of readiness has failed.');
      return reply.code(503).send({ status: 'unavailable', code, message });
    }
  });
}
