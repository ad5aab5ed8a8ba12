import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

/** The tokens of an account without balances are those of the known lists. */
const TOKENS = graphql(`
  query Tokens {
    account(address: "0x0000000000000000000000000000000000000000") {
      tokenBalances { token { address symbol name decimals logo totalSupply { formatted value } } }
    }
  }
`);

export const useTokens = () => useGraph(TOKENS, {}, { live: true });
