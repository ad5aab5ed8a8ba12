import { useSearch } from 'wouter';
import { pageArguments } from '../../data/paging.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const BLOCKS = graphql(`
  query Blocks($fromBlock: Long, $first: Int, $last: Int, $before: String, $after: String) {
    blocksConnection(from: $fromBlock, first: $first, last: $last, before: $before, after: $after) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { number hash timestamp gasUsed baseFeePerGas transactionCount miner { address label } }
    }
  }
`);

export const useBlocks = () => useGraph(BLOCKS, pageArguments(useSearch(), 'blocks', 25), { live: true });
