import type { Logger } from 'pino';
import type { Quantity } from '../../ethereum/hex.ts';
import { GraphError } from '../../lib/errors.ts';
import { requestChainId } from '../../upstream/rpc/chain-id.ts';
import type { RpcSender } from '../../upstream/rpc/rpc-call.ts';
import type { NodeConnectionOptions } from '../../upstream/rpc/websocket/connection.ts';
import { createFollowerView } from './follower-view.ts';
import { createHeadPolling } from './head-polling.ts';
import { HeadState } from './head-state.ts';
import { followSessions } from './head-subscription.ts';
import { errorLogFields } from './rpc-queries.ts';
import { FOLLOWER_TIMING, type FollowerTiming } from './timing.ts';

export type { ChainChange } from '../chain/canonical-chain.ts';
export type { Head, RpcHeader } from '../chain/rpc-header.ts';

export interface FollowerOptions extends Pick<NodeConnectionOptions, 'timeoutMs' | 'maxBatchSize' | 'headerChecks'> {
  /** WebSocket endpoint of the node. Without a WebSocket endpoint, the follower polls the chain. */
  readonly url?: string | undefined;
  /**
   * Creates the RPC session of one poll (`RpcNode.createSession`). Polling is also the fallback while the WebSocket is
   * disconnected.
   */
  readonly createSource?: ((options?: { readonly skip: number }) => RpcSender) | undefined;
  /** The chain id that the node must serve. @default the first chain id that the node returns */
  readonly chainId?: Quantity | Promise<Quantity | null | undefined> | undefined;
  readonly log: Logger;
  /** Timeouts and intervals that differ from the default. @default `FOLLOWER_TIMING` */
  readonly timing?: Partial<FollowerTiming>;
}

/** Starts to follow the chain until it is stopped or a fatal error occurs: UPSTREAM_CHAIN_CHANGED. */
export function startFollower(options: FollowerOptions) {
  const { url, createSource, chainId, log } = options;
  if (url === undefined && createSource === undefined)
    throw new GraphError('BAD_USER_INPUT', 'The follower has no endpoint. Pass `url`, `createSource` or both.');
  const timing = { ...FOLLOWER_TIMING, ...options.timing };
  const headState = new HeadState(log, timing, options.headerChecks?.refuses);
  const { signal } = headState;

  const fail = (reason: GraphError) => {
    if (signal.aborted) return;
    const message = 'following the chain ended with a fatal error; correct the endpoint and restart the server';
    log.fatal({ endpoint: reason.endpoint, ...errorLogFields(reason) }, message);
    headState.fail(reason);
  };

  /**
   * Reads the chain id of the node, if the node has a chain id. Rejects with UPSTREAM_CHAIN_CHANGED when the chain id
   * has changed. Source: `eth_chainId`.
   */
  const checkChain = async (source: RpcSender & { readonly label?: string }, callSignal: AbortSignal) => {
    headState.chainId ??= (await chainId) ?? undefined;
    const found = (await requestChainId((calls) => source.send(calls, callSignal))) ?? headState.chainId;
    if (headState.chainId !== undefined && found !== headState.chainId)
      throw chainChangedError(headState.chainId, found!, source.label);
    headState.chainId = found;
  };
  const context = { headState, timing, signal, log, checkChain };
  const delayMs = url === undefined ? 0 : timing.pollingFallbackDelayMs;
  const polling = createSource && createHeadPolling({ ...context, createSource }, delayMs, fail);
  polling?.start();
  const following = url && followSessions({ ...options, ...context, url, polling }).catch(fail);

  const transport = () => (url === undefined || polling?.isRunning ? 'polling' : 'websocket');
  return createFollowerView(headState, transport, async () => {
    await following;
    await polling?.stop();
  });
}

function chainChangedError(served: Quantity, found: Quantity, endpoint: string | undefined): GraphError {
  const message = `The node has an endpoint of chain ${Number(found)} instead of chain ${Number(served)}.`;
  return new GraphError('UPSTREAM_CHAIN_CHANGED', message, { endpoint });
}

/** Tracks the canonical chain from one upstream subscription or by polling. */
export type Follower = ReturnType<typeof createFollowerView>;
