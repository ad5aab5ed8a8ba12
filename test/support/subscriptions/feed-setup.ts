import { type ChainFeed, type ChainFeedOptions, createChainFeed } from '../../../src/sync/feed.ts';
import { type Follower, startFollower } from '../../../src/sync/head/follower.ts';
import type { HeaderChecksMode } from '../../../src/upstream/rpc/header-check-policy.ts';
import { createRpcNode, type RpcNode } from '../../../src/upstream/rpc/node.ts';
import { cleanups } from '../cleanups.ts';
import { log } from '../silent-log.ts';
import type { SimChain } from '../simulator/chain.ts';
import { type SimNode, type SimNodeOptions, startSimNode } from '../simulator/node.ts';

/** Short delays, so that a run does not wait for timers. */
export const FAST_TIMING = {
  minBackoffMs: 1,
  maxBackoffMs: 20,
  pingIntervalMs: 40,
  minRecheckMs: 2,
  maxRecheckMs: 20,
  pollingFallbackDelayMs: 20,
  minPollIntervalMs: 10,
  maxPollIntervalMs: 20,
  sourceRetryMs: 20,
};

export interface FeedSetup {
  readonly node: SimNode;
  /** The node over HTTP, as operations use it. */
  readonly upstream: RpcNode;
  readonly follower: Follower;
  readonly feed: ChainFeed;
}

export interface FeedSetupOptions extends Omit<SimNodeOptions, 'chain'>, Partial<Omit<ChainFeedOptions, 'follower'>> {
  readonly headerChecks?: HeaderChecksMode;
  /** `ws`: a WebSocket alone. `http`: the follower and the feed poll. `both`: a WebSocket, with HTTP as fallback. `polls`: the follower polls; the feed has no source. */
  readonly transports?: 'ws' | 'http' | 'both' | 'polls';
  /** Whether to wait for a first head. */
  readonly ready?: boolean;
}

/** A feed over a simulated node; both stop after the test. */
export async function startFeed(chain: SimChain, options: FeedSetupOptions = {}): Promise<FeedSetup> {
  const { dialect, chainId, backends, hasBlockReceipts } = options;
  const node = await startSimNode({
    chain,
    ...(dialect && { dialect }),
    ...(chainId !== undefined && { chainId }),
    ...(backends && { backends }),
    ...(hasBlockReceipts && { hasBlockReceipts }),
  });
  cleanups.push(() => node.stop());
  return { node, ...(await startFeedOver(node, options)) };
}

/** A feed over a node; it stops after the test. */
export async function startFeedOver(
  node: { readonly url: string; readonly wsUrl: string },
  { transports = 'ws', ready = true, timing: given, headerChecks: mode = 'on', ...rest }: FeedSetupOptions,
): Promise<Omit<FeedSetup, 'node'>> {
  const timing = { ...FAST_TIMING, ...given };
  const upstream: RpcNode = createRpcNode({
    urls: [node.url],
    maxBatchSize: 100,
    timeoutMs: 2_000,
    log,
    headerChecks: mode,
  });
  const { headerChecks } = upstream;
  cleanups.push(() => upstream.close());
  const url = transports === 'http' || transports === 'polls' ? undefined : node.wsUrl;
  const createSource = transports === 'ws' ? undefined : upstream.createSession;
  const follower = startFollower({ url, createSource, timeoutMs: 2_000, maxBatchSize: 100, headerChecks, log, timing });
  cleanups.push(() => follower.stop());
  if (ready) await follower.ready(AbortSignal.timeout(60_000));
  const feed = createChainFeed({
    follower,
    createSource: transports === 'polls' ? undefined : createSource,
    timeoutMs: 2_000,
    log,
    timing,
    lingerMs: 20,
    ...rest,
  });
  cleanups.push(() => feed.stop());
  return { upstream, follower, feed };
}

/** Polls until the condition is true, for conditions that no event reports. */
export async function pollUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
