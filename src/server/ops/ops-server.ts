import type { Registry } from 'prom-client';
import { type AppOptions, createApp } from '../app.ts';
import { listen } from '../listen.ts';
import { type Readiness, type ReadinessProbe, registerHealth } from './health.ts';
import { registerMetrics } from './metrics.ts';

export interface OpsServerOptions extends Pick<AppOptions, 'origins' | 'acceptsHost' | 'log'> {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly registry: Registry;
  readonly probe: ReadinessProbe;
  readonly readiness: Readiness;
}

/** A server for monitoring systems, on a port of its own. */
export interface OpsServer {
  /** Without a path. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server with `/metrics`, `/healthz` and `/readyz`. Rejects with BAD_USER_INPUT when it cannot listen. */
export async function startOpsServer({
  host,
  port,
  registry,
  probe,
  readiness,
  ...options
}: OpsServerOptions): Promise<OpsServer> {
  const app = createApp({ ...options, hasEndedOperations: () => false });
  registerHealth(app, probe, readiness);
  registerMetrics(app, registry);
  const listener = await listen(app, host, port, 'Set METRICS_PORT to a free port.');
  return {
    url: listener.url,
    async stop() {
      listener.close();
      // A monitoring system that reads slowly must not delay the end of the process.
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
