import { useSearch } from 'wouter';
import { pageArguments } from '../../data/paging.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TRANSACTIONS = graphql(`
  query Transactions($fromBlock: Long, $first: Int, $last: Int, $before: String, $after: String) {
    transactionsConnection(from: $fromBlock, first: $first, last: $last, before: $before, after: $after) {
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes {
        hash blockHash valueIn status gasUsed effectiveGasPrice decoded { name }
        block { number timestamp }
        from { address label } to { address label } createdContract { address label }
      }
    }
  }
`);

export const useTransactions = () => useGraph(TRANSACTIONS, pageArguments(useSearch(), 'transactions', 25), { live: true });
