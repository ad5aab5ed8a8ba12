import type { Data } from '../../ethereum/hex.ts';
import { WINDOW } from './canonical-chain.ts';
import type { Way } from './chain-path.ts';
import type { Head } from './rpc-header.ts';

type Heads = ReadonlyMap<Data, Head>;

/** The blocks that are remembered, by hash and oldest first: those of the chain, and those that reorgs have removed. */
export interface History {
  readonly chain: Heads;
  readonly abandoned: Heads;
}

export const NO_HISTORY: History = { chain: new Map(), abandoned: new Map() };

const byHash = (heads: readonly Head[]): Heads => new Map(heads.map((head) => [head.hash, head]));

/** Takes in what has been removed, and the newest blocks of the chain as they are now. */
export function learn({ abandoned }: History, removed: readonly Head[], window: readonly Head[]): History {
  const chain = byHash(window);
  const left = [...abandoned.values(), ...[...removed].reverse()].filter(({ hash }) => !chain.has(hash));
  return { chain, abandoned: byHash(left.slice(-WINDOW)) };
}

export const blockOf = ({ chain, abandoned }: History, hash: Data): Head | undefined => chain.get(hash) ?? abandoned.get(hash);

/** The way between two blocks over their common ancestor; undefined when one of these is not remembered. */
export function wayBetween(history: History, from: Data, to: Data): Way | undefined {
  const removed: Head[] = [];
  const added: Head[] = [];
  let [old, young] = [blockOf(history, from), blockOf(history, to)];
  while (old && young && old.hash !== young.hash) {
    if (old.height > young.height) {
      removed.push(old);
      old = blockOf(history, old.parentHash);
    } else {
      added.push(young);
      young = blockOf(history, young.parentHash);
    }
  }
  return old && young && { removed, added: added.reverse() };
}
