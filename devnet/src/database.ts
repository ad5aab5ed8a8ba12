import type { Logger } from 'pino';
import { startPostgres } from './postgres/server.ts';

/** A PostgreSQL server that starts in the background. */
export interface DatabaseProcess {
  /** URL with its password. Rejects if PostgreSQL cannot start, or if the network was stopped before it has started. */
  readonly url: Promise<string>;
  /** Ends the server, also while it starts. May be called twice. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL in the background: a failed start is logged and does not end the network. Files are temporary without a directory. */
export function startDatabase(directory: string | undefined, log: Logger): DatabaseProcess {
  const stopping = new AbortController();
  const started = startPostgres({ ...(directory !== undefined && { directory }), signal: stopping.signal });
  started.then(
    ({ exited }) => exited.then(() => log.error('the embedded database has exited')),
    (err: unknown) => stopping.signal.aborted || log.error({ err }, 'the embedded database did not start'),
  );
  const url = started.then((server) => server.url);
  // The failure is logged, and `url` may have no reader.
  url.catch(() => {});
  return {
    url,
    async stop() {
      stopping.abort();
      await started.then(
        (server) => server.stop(),
        () => {},
      );
    },
  };
}
