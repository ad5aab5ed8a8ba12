// Configuration of Hive Gateway. It reads supergraph.graphql in the same folder, which "npm run generate" writes.

/** Headers of the client that the subgraphs read. */
const FORWARDED = ['x-graph-block', 'x-graph-min-block', 'x-request-id', 'traceparent', 'tracestate'];

export const gatewayConfig = {
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) =>
      Object.fromEntries(FORWARDED.flatMap((name) => (request.headers.has(name) ? [[name, request.headers.get(name)]] : []))),
  },
  // Errors have the codes of the subgraphs; by default the gateway adds the name of the subgraph.
  subgraphErrors: { subgraphNameProp: false },
};
