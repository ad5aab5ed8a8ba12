import { useEffect, useReducer } from 'react';
import { graphql } from '../graph/documents.ts';
import { REMOVED_VISIBLE_MS } from '../graph/live.tsx';
import { useEvents } from '../graph/use-events.ts';
import { addHead, type HeadBlock, type HeadRow, hasGap, withoutRemoved } from './heads.ts';

const NEW_HEADS = graphql(`
  subscription NewHeads($after: Bytes32, $chainId: ChainId) {
    newHeads(after: $after, chainId: $chainId) {
      number hash timestamp gasUsed gasLimit baseFeePerGas
      block { transactionCount }
    }
  }
`);

const toRows = (rows: readonly HeadRow[], change: HeadBlock | readonly HeadBlock[] | null): readonly HeadRow[] =>
  change === null ? withoutRemoved(rows) : [change].flat().reduce(addHead, Array.isArray(change) ? [] : rows);

/** The last heads, newest first: those of a query, then those of the subscription that continues after them, unless its cursor has expired. */
export function useHeads(blocks: readonly HeadBlock[]): readonly HeadRow[] {
  const [rows, change] = useReducer(toRows, blocks, (first) => toRows([], first));
  if (hasGap(rows, blocks)) change(blocks);
  const removedCount = rows.filter(({ isRemoved }) => isRemoved).length;
  useEffect(() => {
    if (removedCount === 0) return;
    const timer = setTimeout(() => change(null), REMOVED_VISIBLE_MS);
    return () => clearTimeout(timer);
  }, [removedCount]);
  useEvents(NEW_HEADS, {
    after: blocks.at(-1)?.hash ?? null,
    onEvent: ({ newHeads: { number, hash, gasUsed, gasLimit, block, ...rest } }) => {
      const numbers = { number: Number(number), gasUsed: Number(gasUsed), gasLimit: Number(gasLimit) };
      change({
        ...rest,
        ...numbers,
        hash: hash!,
        transactionCount: block?.transactionCount ? Number(block.transactionCount) : null,
      });
    },
  });
  return rows;
}
