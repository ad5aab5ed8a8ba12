import type { Logger } from 'pino';
import type { CoreSettings } from '../config/core-settings.ts';
import type { Quantity } from '../ethereum/hex.ts';
import { withTimeout } from '../lib/abort.ts';
import type { GraphError } from '../lib/errors.ts';
import type { ResultSharing, RpcResultCache } from '../snapshot/rpc-result-cache.ts';
import { createChainFeed } from '../sync/feed.ts';
import { type Follower, startFollower } from '../sync/head/follower.ts';
import { createHeadSchedule, trackFinalizedHeight } from '../sync/head/head-schedule.ts';
import { errorLogFields } from '../sync/head/rpc-queries.ts';
import { fullTransactionSubscriptions } from '../sync/pending/pending-transactions.ts';
import type { UpstreamObserver } from '../upstream/http-request.ts';
import { createRpcNode, type RpcNode } from '../upstream/rpc/node.ts';
import type { NetworkDescription } from './network.ts';

/** Time that the start waits for the chain id and the head of the node. */
const STARTUP_CHECK_TIMEOUT_MS = 2_000;

/** What the chain is created from; undefined without the embedded network. */
export type ChainArgs = [settings: CoreSettings, devnet: NetworkDescription | undefined, log: Logger, observer: UpstreamObserver];

/** Creates the node that RPC_URL names, or the node of the embedded network. */
export function createNode([settings, devnet, log, observer]: ChainArgs, chainId?: Quantity): RpcNode {
  const { RPC_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize, HEADER_CHECKS: headerChecks } = settings;
  const urls = RPC_URL ?? [devnet!.nodeService.http];
  return createRpcNode({ urls, maxBatchSize, timeoutMs, log, observer, headerChecks, chainId });
}

/**
 * Creates the node and follows its head. `firstHead` resolves when the chain id and the first head are known, or after
 * two seconds; with the failure of HTTP if the node responds over its WebSocket only.
 */
export function startChain(sources: ChainArgs, chainIdOfNode?: Quantity) {
  const [settings, devnet, log] = sources;
  const { RPC_WS_URL, RPC_TIMEOUT_MS: timeoutMs, RPC_BATCH: maxBatchSize } = settings;
  const node = createNode(sources, chainIdOfNode);
  let httpFailure: GraphError | undefined;
  const chainId = withTimeout(STARTUP_CHECK_TIMEOUT_MS, node.chainId).catch((error) => {
    httpFailure = error as GraphError;
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
  // Without a head, the follower logs the failure.
  const head = withTimeout(STARTUP_CHECK_TIMEOUT_MS, follower.ready).catch(() => {});
  const firstHead = Promise.all([chainId, head]).then(() => {
    if (!httpFailure || !follower.head || follower.status.transport === 'polling') return undefined;
    log.warn({ endpoint: httpFailure.endpoint, ...errorLogFields(httpFailure) }, 'the node responds over its WebSocket only');
    return httpFailure;
  });
  const lifetimes = { finalizedHeight: trackFinalizedHeight(follower), headSchedule: createHeadSchedule(follower) };
  return { node, follower, feed, lifetimes, firstHead };
}

/** The node and its chain: heads, live events, and what determines the lifetimes of responses. */
export interface Chain extends ReturnType<typeof startChain> {
  /** Shares the cached results with the other processes of the server. */
  readonly results?: { readonly sharing: ResultSharing; attach(cache: RpcResultCache | undefined): void };
}

/** The value of the label `chain` of a chain's metrics. `id`: as CHAINS states it. */
export const labelOfChain = ({ status }: Follower, id = status.chainId): string =>
  id === undefined ? 'default' : String(BigInt(id));

/** Stops the parts of a chain, each before the parts that it uses. */
export async function stopChain({ node, follower, feed, lifetimes }: Chain): Promise<void> {
  lifetimes.finalizedHeight.stop();
  await feed.stop();
  await follower.stop();
  await node.close();
}
