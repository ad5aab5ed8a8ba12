import { memoizePerSelection, selectionOf } from '../../../graphql/selection.ts';
import { type BlockPlan, HEIGHT, headerNeedsOf, nodesOf, planOfBlocks, planOfTransactions } from './plan.ts';

/** The data to load for a page of blocks. */
export interface BlockPagePlan {
  /** The data to load with each block; null when only heights are selected. */
  readonly blocks: BlockPlan | null;
  /** The header fields that are enough for each block; undefined when a header is not enough. */
  readonly needs: readonly string[] | undefined;
  readonly startCursor: boolean;
  readonly endCursor: boolean;
}

/** Computes the data to load for a page of blocks: one plan for its `nodes` and its `edges`, so that both cause the same calls. */
export const blockPagePlan = memoizePerSelection((info): BlockPagePlan => {
  const page = selectionOf(info);
  const pageInfo = page.subselection('pageInfo');
  const blocks = nodesOf(page);
  const needs = headerNeedsOf(blocks);
  const hasOnlyHeights = blocks.every((block) => block.hasOnly(HEIGHT)) && !page.subselection('edges').has('cursor');
  return {
    blocks: hasOnlyHeights ? null : planOfBlocks(blocks, info),
    needs: needs && [...needs, 'number', 'hash'],
    startCursor: pageInfo.has('startCursor'),
    endCursor: pageInfo.has('endCursor'),
  };
});

/** Computes the data to load with each block of a page of transactions. */
export const transactionPagePlan = memoizePerSelection((info): BlockPlan => planOfTransactions(nodesOf(selectionOf(info)), info));
