import type { Logger } from 'pino';
import type { Follower } from '../../sync/head/follower.ts';
import type { RpcNode } from '../../upstream/rpc/node.ts';

/**
 * Warns in the log when a tournament is said to be on another chain than the node: its owners and heights would be looked up where
 * they mean something else. It is compared as soon as the node has told its chain; nothing is compared when nothing is said.
 */
export function warnOnChainMismatch(expected: number | undefined, node: RpcNode, follower: Follower, log: Logger): void {
  if (expected === undefined) return;
  // Only the end of the process ends the wait for a node that is away.
  const { signal } = new AbortController();
  follower
    .ready(signal)
    .then(() => node.chainId(signal))
    .then((served) => {
      if (Number(served) === expected) return;
      log.warn(
        { served: Number(served), expected },
        'WIZARDS_CHAIN_ID is not the chain of the node: what is told of wizards does not belong to its accounts and blocks',
      );
    })
    .catch((err) => log.debug({ err }, 'the chain of the tournament was not compared with that of the node'));
}
