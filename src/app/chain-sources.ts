import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import { withTimeout } from '../lib/abort.ts';
import { createChainFeed } from '../sync/feed.ts';
import { startFollower } from '../sync/head/follower.ts';
import { createHeadSchedule, trackFinalizedHeight } from '../sync/head/head-schedule.ts';
import { fullTransactionSubscriptions } from '../sync/pending/pending-transactions.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import { createRpcNode } from '../upstream/rpc/node.ts';
import type { NetworkDescription } from './network.ts';

/** How long the start waits for the chain id and the head of the node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/**
 * Creates the node that RPC_URL names, or the node of the embedded network, and follows its head. `firstHead` resolves when the chain id and the
 * first head are known, or after two seconds with a warning in the log.
 */
export function startChain(
  settings: CoreSettings,
  devnet: NetworkDescription | undefined,
  log: Logger,
  observer: UpstreamObserver,
) {
  const { RPC_URL, RPC_WS_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize, HEADER_CHECKS: headerChecks } = settings;
  const urls = RPC_URL ?? [devnet!.nodeService.http];
  const node = createRpcNode({ urls, maxBatchSize, timeoutMs, log, observer, headerChecks });
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((err) => {
    log.warn({ err }, 'the node has not responded to the chain id check at startup');
    return undefined;
  });
  const url = RPC_WS_URL ?? devnet?.nodeService.ws;
  const { createSession: createSource } = node;
  const shared = { createSource, timeoutMs, headerChecks: node.headerChecks, log };
  const follower = startFollower({ ...shared, url, chainId, maxBatchSize });
  // If the WebSocket serves another chain than before, HTTP results may be of another chain too.
  follower.ended.then((error) => error.code === 'UPSTREAM_CHAIN_CHANGED' && node.disable(error));
  const feed = createChainFeed({
    ...shared,
    follower,
    fullTransactionSubscriptions: fullTransactionSubscriptions(settings.NODE_METHODS),
  });
  const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready).catch((err) =>
    log.warn({ err }, 'the head of the chain is still unknown after startup'),
  );
  const lifetimes = { finalizedHeight: trackFinalizedHeight(follower), headSchedule: createHeadSchedule(follower) };
  return { node, follower, feed, lifetimes, firstHead: Promise.all([chainId, head]) };
}
