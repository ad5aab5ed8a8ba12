// Hive Gateway over the subgraphs: hive-gateway supergraph supergraph.graphql -c hive-gateway.config.mjs
// With CHAIN_URL, the endpoint of the chain subgraph, all subgraphs of a query read one block.
import { GraphQLError, print } from 'graphql';
import { forwardedHeaders, pinToHead } from './request-headers.mjs';

const { CHAIN_URL } = process.env;

/** Reads the head once for a query. Not called for subscriptions: each of their events belongs to a block of its own. */
const oneBlock = {
  async onExecute({ args: { contextValue } }) {
    if (CHAIN_URL) contextValue.subgraphHeaders = await pinToHead(CHAIN_URL, forwardedHeaders(contextValue.headers));
  },
};

/** Names a subgraph that cannot be reached. By default the gateway reports "Unexpected error." */
const unavailableSubgraphs = {
  onSubgraphExecute({ subgraphName, executor, setExecutor }) {
    const unavailable = () => ({
      errors: [
        new GraphQLError(`The subgraph ${subgraphName} is unavailable. Try again later.`, {
          extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, subgraph: subgraphName },
        }),
      ],
    });
    setExecutor(async (request) => {
      const result = await executor(request);
      // Errors of the subgraph have no cause; a failed request, or a response that is not GraphQL, has one.
      return result.errors?.some(({ originalError }) => originalError) ? unavailable() : result;
    });
  },
};

/**
 * Ends subscriptions as the subgraphs do: with errors without data. The gateway adds `data: null`, which means an event that failed; those
 * have a cursor. If the connection to a subgraph is lost, it reports an error without a source, or none at all.
 */
const subscriptionEnds = {
  onSubscribe: () => ({
    onSubscribeResult({ args: { document }, result, setResult }) {
      // Of all subscriptions, only this one ends by itself.
      if (Symbol.asyncIterator in result) setResult(withFinalErrors(result, print(document).includes('transactionStatus')));
    },
  }),
};

function withFinalErrors(results, endsByItself) {
  const iterator = results[Symbol.asyncIterator]();
  let hasEnded = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const step = hasEnded ? { done: true } : await iterator.next();
      if (step.done ? hasEnded || endsByItself : !isFinal(step.value)) return step;
      hasEnded = true;
      iterator.return();
      const errors = step.value?.errors?.filter(({ extensions }) => extensions?.source) ?? [];
      return { done: false, value: { errors: errors.length > 0 ? errors : [lostConnection()] } };
    },
    return: () => iterator.return(),
  };
}

const isFinal = ({ data, errors }) => {
  const [{ cursor, code } = {}] = errors?.map(({ extensions }) => extensions) ?? [];
  return !data && (cursor === undefined || code === 'SLOW_CONSUMER');
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
  plugins: () => [oneBlock, unavailableSubgraphs, subscriptionEnds],
};
