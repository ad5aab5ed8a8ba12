import { useSearch } from 'wouter';
import { pageArguments } from '../../data/paging.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKEN = graphql(`
  query Token($address: Address!, $fromBlock: Long, $first: Int, $last: Int, $before: String, $after: String) {
    token(address: $address) {
      address name symbol decimals logo
      totalSupply { formatted value }
      account { balanceIn }
      transfers(fromBlock: $fromBlock, first: $first, last: $last, before: $before, after: $after) {
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
        nodes {
          amount
          from { address label tokenBalance(contract: $address) { balance { formatted value } } }
          to { address label tokenBalance(contract: $address) { balance { formatted value } } }
          log { id blockNumber blockHash transactionHash }
        }
      }
    }
  }
`);

/** A token, a page of its transfers, and the present balances of their senders and recipients. */
export function useToken(address: string) {
  const page = pageArguments(useSearch(), 'transfers', 20);
  return useGraph(TOKEN, { address: address.toLowerCase() as `0x${string}`, ...page }, { live: true });
}
