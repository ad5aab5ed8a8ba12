// Hive Gateway over the subgraphs: hive-gateway supergraph supergraph.graphql -c hive-gateway.config.mjs
// With CHAIN_URL, the endpoint of the chain subgraph, all subgraphs of a query read one block.
import { GraphQLError } from 'graphql';
import { forwardedHeaders, pinToHead } from './request-headers.mjs';

const { CHAIN_URL } = process.env;

/** Reads the head once for a query. Not called for subscriptions: each of their events belongs to a block of its own. */
const oneBlock = {
  async onExecute({ args: { contextValue } }) {
    if (CHAIN_URL) contextValue.subgraphHeaders = await pinToHead(CHAIN_URL, forwardedHeaders(contextValue.headers));
  },
};

/**
 * Ends subscriptions as the subgraphs do: with a result without data. The gateway adds `data: null`, which is an event that failed. Those
 * have a cursor. The error of a lost connection to a subgraph, which has no source, becomes one after which clients resume.
 */
const subscriptionEnds = {
  onSubscribe: () => ({
    onSubscribeResult: () => ({
      onNext({ result: { data, errors }, setResult }) {
        if (data || !errors) return;
        const [{ cursor, code, source } = {}] = errors.map(({ extensions }) => extensions);
        if (!source) setResult({ errors: [lostConnection()] });
        else if (cursor === undefined || code === 'SLOW_CONSUMER') setResult({ errors });
      },
    }),
  }),
};

const lostConnection = () =>
  new GraphQLError('The connection to the subgraph is lost. Subscribe again.', {
    extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true },
  });

export const gatewayConfig = {
  // Subscriptions of subgraphs are event streams, which the gateway would request with GET. Web pages of any origin can send such
  // requests, so the subgraphs reject them.
  transportEntries: { '*.http': { options: { method: 'POST' } } },
  propagateHeaders: {
    fromClientToSubgraphs: ({ context }) => context.subgraphHeaders ?? forwardedHeaders(context.headers),
  },
  // Errors are those of the subgraphs; by default the gateway adds the name of the subgraph.
  subgraphErrors: { subgraphNameProp: false },
  plugins: () => [oneBlock, subscriptionEnds],
};
