import { type ChainArgs, labelOfChain, startChain, stopChain } from '../app/chain.ts';
import type { Quantity } from '../ethereum/hex.ts';
import { withTimeout } from '../lib/abort.ts';
import { GraphError } from '../lib/errors.ts';
import type { AnyMetric } from '../lib/metrics.ts';
import { areProven } from '../sync/logs/log-fetcher.ts';
import { nodeMetrics } from '../upstream/rpc/node-metrics.ts';
import { ChainPublisher } from './chain-publisher.ts';
import { type ChainChannel, encodeError } from './channel.ts';
import type { ChainPrimaryHandlers, ChainWorkerHandlers } from './protocol.ts';
import { ResultDirectory } from './result-directory.ts';

/** Time that the start of a worker waits for the chain id, which the node has returned before unless it is down. */
const CHAIN_ID_TIMEOUT_MS = 500;

/** A worker that a chain is published to. */
interface ChainWorker {
  readonly id: number;
  readonly channel: ChainChannel<ChainWorkerHandlers>;
  kill(): void;
  /** Called before the worker receives the chain. */
  onJoin(): void;
  hasEnded(): boolean;
}

/** Follows a chain for all workers. Resolves when its first head, or the failure of its node, is known. */
export async function startPrimaryChain(sources: ChainArgs, upstreamMetrics: readonly AnyMetric[], id?: Quantity) {
  const chain = startChain(sources, id);
  const { node, feed, follower } = chain;
  const httpFailure = await chain.firstHead;
  const publisher = new ChainPublisher(chain);
  const channels = new Map<number, ChainChannel<ChainWorkerHandlers>>();
  const directory = new ResultDirectory(channels);
  const stopController = new AbortController();
  return {
    chainId: () => follower.status.chainId,
    metrics: { label: () => labelOfChain(follower, id), metrics: [...upstreamMetrics, ...nodeMetrics(node)] },

    /** The handlers for a worker, and the function that ends its subscriptions. */
    serveWorker({ id: worker, channel, kill, onJoin, hasEnded }: ChainWorker) {
      let stopPending: (() => void) | undefined;
      const handlers: ChainPrimaryHandlers = {
        chainId: async () => (await withTimeout(CHAIN_ID_TIMEOUT_MS, node.chainId).catch(() => null)) ?? undefined,
        async join() {
          // Before, the worker handles no messages: they would be lost, and requests would wait for their replies forever.
          onJoin();
          channels.set(worker, channel);
          await publisher.add(worker, channel, kill);
          // The worker may have ended while it waited for its turn.
          if (hasEnded()) publisher.remove(worker);
          return httpFailure && encodeError(httpFailure);
        },
        async logsOf(head, isRemoved) {
          const logs = await feed.logsOf(head, stopController.signal, isRemoved);
          return { logs, areProven: areProven(logs) };
        },
        startPending() {
          stopPending?.();
          stopPending = feed.subscribePendingTransactions({
            next: (transaction) => channel.send('addPending', transaction),
            end: (error) => channel.send('endPending', encodeError(error)),
          });
        },
        stopPending: () => stopPending?.(),
        claim: (keys) => directory.claim(worker, keys),
        learned(keys, hashes) {
          directory.addCached(worker, keys);
          if (hashes.length === 0) return;
          for (const [other, target] of channels) if (other !== worker) target.send('recordHashes', hashes);
        },
        released: (key) => directory.release(worker, key),
        result: (...result) => directory.pass(worker, ...result),
      };
      const remove = (): void => {
        publisher.remove(worker);
        stopPending?.();
        channels.delete(worker);
        directory.remove(worker);
      };
      return { handlers, remove };
    },

    async stop(): Promise<void> {
      stopController.abort(new GraphError('SHUTTING_DOWN', 'The server is shutting down.'));
      publisher.stop();
      await stopChain(chain);
    },
  };
}
