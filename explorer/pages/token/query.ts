import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKEN = graphql(`
  query Token($address: Address!) {
    token(address: $address) {
      address name symbol decimals logo
      totalSupply { formatted value }
      account { balanceIn }
      transfers(last: 20) {
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

/** A token, its last transfers, and the present balances of their senders and recipients. */
export const useToken = (address: string) => useGraph(TOKEN, { address: address.toLowerCase() as `0x${string}` }, { live: true });
