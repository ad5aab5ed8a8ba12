import type { Logger } from 'pino';
import type { Follower } from '../../sync/head/follower.ts';
import type { RpcNode } from '../../upstream/rpc/node.ts';

/**
 * Logs a warning when the tournament's chain (`expected`, WIZARDS_CHAIN_ID) is not the node's: owners and block heights of wizards would
 * be looked up on the wrong chain. Compares as soon as the node has a head; does nothing when `expected` is undefined.
 */
export function warnOnChainMismatch(expected: number | undefined, node: RpcNode, follower: Follower, log: Logger): void {
  if (expected === undefined) return;
  // Waits for as long as the process runs: the node can become available at any time.
  const { signal } = new AbortController();
  follower
    .ready(signal)
    .then(() => node.chainId(signal))
    .then((chainId) => {
      if (Number(chainId) === expected) return;
      log.warn(
        { served: Number(chainId), expected },
        'WIZARDS_CHAIN_ID differs from the chain id of the node: owners and blocks of wizards are read from the wrong chain',
      );
    })
    .catch((err) => log.debug({ err }, 'could not compare WIZARDS_CHAIN_ID with the chain id of the node'));
}
