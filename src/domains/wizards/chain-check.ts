import type { Logger } from 'pino';
import type { Follower } from '../../sync/head/follower.ts';
import type { RpcNode } from '../../upstream/rpc/node.ts';

/**
 * Logs a warning if `expected` (WIZARDS_CHAIN_ID) differs from the chain id of the node, because owners and block heights of the
 * wizard service would then be resolved on the wrong chain. Compares once the node is reachable; does nothing without `expected`.
 */
export function warnOnChainMismatch(expected: number | undefined, node: RpcNode, follower: Follower, log: Logger): void {
  if (expected === undefined) return;
  // Never aborted: the check waits for an unavailable node until the process exits.
  const { signal } = new AbortController();
  follower
    .ready(signal)
    .then(() => node.chainId(signal))
    .then((chainId) => {
      if (chainId === null || Number(chainId) === expected) return;
      log.warn(
        { served: Number(chainId), expected },
        'WIZARDS_CHAIN_ID differs from the chain id of the node: owners and block heights of wizards belong to another chain',
      );
    })
    .catch((err) => log.debug({ err }, 'could not compare WIZARDS_CHAIN_ID with the chain id of the node'));
}
