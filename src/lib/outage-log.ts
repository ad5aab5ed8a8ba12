import type { Logger } from 'pino';
import type { GraphError } from './errors.ts';

/**
 * Logs the first failure of an outage as a warning, and its end as one line. Both lines name the endpoint. Without a log,
 * it only keeps the last failure.
 */
export function createOutageLog(log: Pick<Logger, 'warn' | 'info'> | undefined, failed: string, recovered: string) {
  const outage = {
    /** The last failure; undefined while there is no outage. */
    failure: undefined as GraphError | undefined,
    /** Records a failure, or with undefined a success. `err` is logged with its stack. */
    record(failure: GraphError | undefined, err?: unknown): void {
      const { code, message: reason, endpoint } = failure ?? {};
      if (failure && !outage.failure) log?.warn({ endpoint, code, reason, err }, failed);
      if (!failure && outage.failure) log?.info({ endpoint: outage.failure.endpoint }, recovered);
      outage.failure = failure;
    },
  };
  return outage;
}
