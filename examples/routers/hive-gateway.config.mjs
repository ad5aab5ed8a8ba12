// Hive Gateway over the subgraphs: hive-gateway supergraph supergraph.graphql -c hive-gateway.config.mjs
// With CHAIN_URL, the endpoint of the chain subgraph, all subgraphs of a query read one block.
import { forwardedHeaders, pinToHead } from './request-headers.mjs';

const { CHAIN_URL } = process.env;

export const gatewayConfig = {
  propagateHeaders: {
    fromClientToSubgraphs: ({ context }) => context.subgraphHeaders ?? forwardedHeaders(context.headers),
  },
  // Errors have the codes of the subgraphs; by default the gateway adds the name of the subgraph.
  subgraphErrors: { subgraphNameProp: false },
  plugins: () => [
    {
      // Not called for subscriptions: each of their events belongs to a block of its own.
      async onExecute({ args: { contextValue } }) {
        if (CHAIN_URL) contextValue.subgraphHeaders = await pinToHead(CHAIN_URL, forwardedHeaders(contextValue.headers));
      },
    },
  ],
};
