import { afterEach } from '@jest/globals';
import { pino } from 'pino';
import { type Feed, type FeedOptions, openFeed } from '../../../src/sync/feed.ts';
import { type Follower, startFollower } from '../../../src/sync/head/follower.ts';
import { type Node, openNode } from '../../../src/upstream/rpc/node.ts';
import type { SimChain } from '../simulator/chain.ts';
import { type SimNode, type SimNodeOptions, startSimNode } from '../simulator/node.ts';

const log = pino({ level: 'silent' });

/** So that a run spends its time on the chain, and not on waits. */
export const QUICK = {
  backoffFirst: 1,
  backoffMost: 20,
  ping: 40,
  recheckFirst: 2,
  recheckMost: 20,
  standIn: 20,
  pollLeast: 10,
  pollMost: 20,
};

export interface FeedWorld {
  readonly node: SimNode;
  /** The node over HTTP, as operations use it. */
  readonly upstream: Node;
  readonly follower: Follower;
  readonly feed: Feed;
}

export interface FeedWorldOptions extends Omit<SimNodeOptions, 'chain'>, Partial<Omit<FeedOptions, 'follower' | 'open'>> {
  /** `ws` has no other way to the node, `http` polls, `both` has a WebSocket and falls back on HTTP; with `polls` only the follower has HTTP. */
  readonly ways?: 'ws' | 'http' | 'both' | 'polls';
  /** Whether to wait for a first head. */
  readonly ready?: boolean;
}

const leftOver: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of leftOver.splice(0).reverse()) await stop();
});

/** A feed over a simulated node; all of it ends with the test. */
export async function feedOver(
  chain: SimChain,
  { ways = 'ws', ready = true, ...options }: FeedWorldOptions = {},
): Promise<FeedWorld> {
  const { dialect, chainId, backends, timing: given, ...rest } = options;
  const timing = { ...QUICK, ...given };
  const node = await startSimNode({
    chain,
    ...(dialect && { dialect }),
    ...(chainId && { chainId }),
    ...(backends && { backends }),
  });
  leftOver.push(() => node.stop());
  const upstream: Node = openNode({ urls: [node.url], batch: 100, timeoutMs: 2_000, log });
  leftOver.push(() => upstream.close());
  const url = ways === 'http' || ways === 'polls' ? undefined : node.wsUrl;
  const open = ways === 'ws' ? undefined : upstream.open;
  const follower = startFollower({ url, open, timeoutMs: 2_000, batch: 100, log, timing });
  leftOver.push(() => follower.stop());
  if (ready) await follower.ready(AbortSignal.timeout(60_000));
  const feed = openFeed({
    follower,
    open: ways === 'polls' ? undefined : open,
    timeoutMs: 2_000,
    log,
    timing,
    lingerMs: 20,
    ...rest,
  });
  leftOver.push(() => feed.stop());
  return { node, upstream, follower, feed };
}

/** Resolves when something has come to be so, which no event tells. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}
