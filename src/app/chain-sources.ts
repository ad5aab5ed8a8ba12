import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { withTimeout } from '../lib/abort.ts';
import { createChainFeed } from '../sync/feed.ts';
import { startFollower } from '../sync/head/follower.ts';
import { createHeadSchedule, trackFinalizedHeight } from '../sync/head/head-schedule.ts';
import { fullTransactionSubscriptions } from '../sync/pending/pending-transactions.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import { createRpcNode, type RpcNode } from '../upstream/rpc/node.ts';
import type { NetworkDescription } from './network.ts';

/** How long the start waits for the chain id and the head of the node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/** The node that RPC_URL names, or the node of the embedded network. */
export const createNode = (
  settings: CoreSettings,
  devnet: NetworkDescription | undefined,
  log: Logger,
  observer: UpstreamObserver,
): RpcNode =>
  createRpcNode({
    urls: settings.RPC_URL ?? [devnet!.nodeService.http],
    maxBatchSize: settings.RPC_BATCH,
    timeoutMs: settings.RPC_TIMEOUT_MS,
    log,
    observer,
    headerChecks: settings.HEADER_CHECKS,
  });

/** `firstHead` resolves when the chain id and the first head are known, or after two seconds with a warning in the log. */
export function startHeadTracking(settings: CoreSettings, devnet: NetworkDescription | undefined, node: RpcNode, log: Logger) {
  const { RPC_WS_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize } = settings;
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((err) => {
    log.warn({ err }, 'the node has not responded to the chain id check at startup');
    return undefined;
  });
  const url = RPC_WS_URL ?? devnet?.nodeService.ws;
  const { createSession: createSource, headerChecks } = node;
  const follower = startFollower({ url, createSource, chainId, timeoutMs, maxBatchSize, headerChecks, log });
  // If the WebSocket serves another chain than before, HTTP results may be of another chain too.
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const finalizedHeight = trackFinalizedHeight(follower);
  const headSchedule = createHeadSchedule(follower);
  const feed = createChainFeed({
    follower,
    createSource,
    fullTransactionSubscriptions: fullTransactionSubscriptions(settings.NODE_METHODS),
    timeoutMs,
    log,
  });
  const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready).catch((err) =>
    log.warn({ err }, 'the head of the chain is still unknown after startup'),
  );
  return { follower, feed, finalizedHeight, headSchedule, firstHead: Promise.all([chainId, head]) };
}
