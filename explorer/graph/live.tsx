import { createContext, type ReactNode, useContext, useState } from 'react';
import type { Connection } from '../data/connection.ts';
import { graphql } from './documents.ts';
import { useConnection } from './use-connection.ts';
import { useEvents } from './use-events.ts';

/** Time for which removed blocks, and what they contained, are shown struck out, in milliseconds. */
export const REMOVED_VISIBLE_MS = 8_000;

const HEADS = graphql(`
  subscription Heads($after: Bytes32, $chainId: ChainId) {
    newHeads(after: $after, chainId: $chainId) { number hash }
  }
`);

const REORGS = graphql(`
  subscription Reorgs($chainId: ChainId) {
    reorgs(chainId: $chainId) { depth dropped { number hash } added { number } }
  }
`);

export interface Head {
  readonly number: number;
  readonly hash: string | null;
}

/** A change of the chain that has removed blocks. */
export interface RecentReorg {
  /** Number of removed blocks. */
  readonly depth: number;
  /** Height of the lowest removed block. */
  readonly from: number;
  /** Number of blocks that replace them. */
  readonly added: number;
}

interface Live {
  /** The most recent head that this page has received; null until the first one. */
  readonly head: Head | null;
  readonly connection: Connection;
  /** Hashes of the blocks that a reorg has removed in the last eight seconds. */
  readonly removed: ReadonlySet<string>;
  /** The reorg of the last eight seconds; null without one. */
  readonly reorg: RecentReorg | null;
}

const LiveContext = createContext<Live>({ head: null, connection: { kind: 'connecting' }, removed: new Set(), reorg: null });

/** The head of the chain, and what reorgs have just removed. */
export const useLive = (): Live => useContext(LiveContext);

/** Follows the heads and the reorgs for all pages. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [head, setHead] = useState<Head | null>(null);
  const { connection, reportHead, reportRetry } = useConnection();
  const [reorgs, setReorgs] = useState<readonly (RecentReorg & { readonly hashes: readonly string[] })[]>([]);
  useEvents(HEADS, {
    onEvent: ({ newHeads }) => {
      reportHead();
      setHead({ number: Number(newHeads.number), hash: newHeads.hash });
    },
    onInterruption: ({ delayMs }) => reportRetry(delayMs),
  });
  useEvents(REORGS, {
    onEvent: ({ reorgs: { depth, dropped, added } }) => {
      const hashes = dropped.flatMap(({ hash }) => hash ?? []);
      const reorg = { depth, from: Math.min(...dropped.map(({ number }) => Number(number))), added: added.length, hashes };
      setReorgs((earlier) => [...earlier, reorg]);
      setTimeout(() => setReorgs((all) => all.filter((other) => other !== reorg)), REMOVED_VISIBLE_MS);
    },
  });
  const live = { head, connection, removed: new Set(reorgs.flatMap(({ hashes }) => hashes)), reorg: reorgs.at(-1) ?? null };
  return <LiveContext value={live}>{children}</LiveContext>;
}
