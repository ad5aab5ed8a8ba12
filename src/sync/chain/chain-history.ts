import type { Data } from '../../ethereum/hex.ts';
import { WINDOW_BLOCKS } from './canonical-chain.ts';
import type { ChainPath } from './chain-path.ts';
import type { Head } from './rpc-header.ts';

type HeadsByHash = ReadonlyMap<Data, Head>;

/** The blocks that are remembered, by hash and oldest first: those of the chain, and those that reorgs have removed. */
export interface ChainHistory {
  readonly canonical: HeadsByHash;
  readonly abandoned: HeadsByHash;
}

export const EMPTY_CHAIN_HISTORY: ChainHistory = { canonical: new Map(), abandoned: new Map() };

const indexByHash = (heads: readonly Head[]): HeadsByHash => new Map(heads.map((head) => [head.hash, head]));

/** Takes in what has been removed, and the newest blocks of the chain as they are now. */
export function updateChainHistory({ abandoned }: ChainHistory, removed: readonly Head[], window: readonly Head[]): ChainHistory {
  const canonical = indexByHash(window);
  const left = [...abandoned.values(), ...[...removed].reverse()].filter(({ hash }) => !canonical.has(hash));
  return { canonical, abandoned: indexByHash(left.slice(-WINDOW_BLOCKS)) };
}

export const blockInHistory = ({ canonical, abandoned }: ChainHistory, hash: Data): Head | undefined =>
  canonical.get(hash) ?? abandoned.get(hash);

/** The way between two blocks over their common ancestor; undefined when one of these is not remembered. */
export function chainPath(history: ChainHistory, from: Data, to: Data): ChainPath | undefined {
  const removed: Head[] = [];
  const added: Head[] = [];
  let [old, young] = [blockInHistory(history, from), blockInHistory(history, to)];
  while (old && young && old.hash !== young.hash) {
    if (old.height > young.height) {
      removed.push(old);
      old = blockInHistory(history, old.parentHash);
    } else {
      added.push(young);
      young = blockInHistory(history, young.parentHash);
    }
  }
  return old && young && { removed, added: added.reverse() };
}
