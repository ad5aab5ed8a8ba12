import type { Data } from '../../ethereum/hex.ts';
import type { ChainPath } from './ancestors.ts';
import { WINDOW_BLOCKS } from './canonical-chain.ts';
import type { Head } from './rpc-header.ts';

type HeadsByHash = ReadonlyMap<Data, Head>;

/** Recent blocks by hash, oldest first: the canonical ones and up to 256 that reorgs removed. */
export interface ChainHistory {
  readonly canonical: HeadsByHash;
  readonly abandoned: HeadsByHash;
}

export const EMPTY_CHAIN_HISTORY: ChainHistory = { canonical: new Map(), abandoned: new Map() };

const indexByHash = (heads: readonly Head[]): HeadsByHash => new Map(heads.map((head) => [head.hash, head]));

/**
 * Returns the history after a change: `removed` are the blocks that it removed, newest first, and `window` is the new canonical
 * chain.
 */
export function updateChainHistory({ abandoned }: ChainHistory, removed: readonly Head[], window: readonly Head[]): ChainHistory {
  const canonical = indexByHash(window);
  const stillAbandoned = [...abandoned.values(), ...[...removed].reverse()].filter(({ hash }) => !canonical.has(hash));
  return { canonical, abandoned: indexByHash(stillAbandoned.slice(-WINDOW_BLOCKS)) };
}

export const blockInHistory = ({ canonical, abandoned }: ChainHistory, hash: Data): Head | undefined =>
  canonical.get(hash) ?? abandoned.get(hash);

/** Returns the path between two blocks over their common ancestor; undefined when the history lacks a block of the path. */
export function chainPath(history: ChainHistory, fromHash: Data, toHash: Data): ChainPath | undefined {
  const removed: Head[] = [];
  const added: Head[] = [];
  let [from, to] = [blockInHistory(history, fromHash), blockInHistory(history, toHash)];
  while (from && to && from.hash !== to.hash) {
    if (from.height > to.height) {
      removed.push(from);
      from = blockInHistory(history, from.parentHash);
    } else {
      added.push(to);
      to = blockInHistory(history, to.parentHash);
    }
  }
  return from && to && { removed, added: added.reverse() };
}
