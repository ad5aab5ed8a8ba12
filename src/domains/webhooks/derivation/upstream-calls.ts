import { onAbort } from '../../../lib/abort.ts';
import { GraphError } from '../../../lib/errors.ts';
import { ResponseDependencies } from '../../../operation/response-dependencies.ts';
import { Snapshot, type SnapshotSources } from '../../../snapshot/index.ts';

/** Time of one read with its retries. */
const READ_TIMEOUT_MS = 30_000;

/** Runs a read of the chain through a snapshot of its own. Rejects with the error of the node, or with the reason of the signal. */
export type ReadChain = <T>(signal: AbortSignal, read: (snapshot: Snapshot) => Promise<T>) => Promise<T>;

/** Creates the reads of the deriver. */
export function createChainReads(sources: SnapshotSources): ReadChain {
  return async (signal, read) => {
    const controller = new AbortController();
    const timer = setTimeout(
      () => controller.abort(new GraphError('UPSTREAM_TIMEOUT', 'The node did not respond in time.')),
      READ_TIMEOUT_MS,
    );
    const unregister = onAbort(signal, () => controller.abort(signal.reason));
    const operation = {
      requestId: 'webhookDerivation',
      signal: controller.signal,
      extensions: {},
      dependencies: new ResponseDependencies(),
    };
    try {
      return await read(new Snapshot(sources, operation));
    } finally {
      clearTimeout(timer);
      unregister();
    }
  };
}
