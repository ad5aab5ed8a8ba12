// Configuration of Hive Gateway. It reads supergraph.graphql in the same folder, which "npm run generate" writes.

/** Headers of the client that the subgraphs read. */
const FORWARDED = ['x-graph-block', 'x-graph-min-block', 'x-request-id', 'traceparent', 'tracestate'];

export const gatewayConfig = {
  // Subscriptions too: by default the gateway sends a GET, which the server rejects because web pages of any origin can send it.
  transportEntries: { '*.http': { options: { method: 'POST' } } },
  propagateHeaders: {
    fromClientToSubgraphs: ({ context: { headers } }) => Object.fromEntries(FORWARDED.map((name) => [name, headers[name]])),
  },
  // Errors have the codes of the subgraphs; by default the gateway adds the name of the subgraph.
  subgraphErrors: { subgraphNameProp: false },
};
