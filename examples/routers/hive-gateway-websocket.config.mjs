// The same with one WebSocket for the subscriptions of each caller to a subgraph:
//   hive-gateway supergraph supergraph.graphql -c hive-gateway-websocket.config.mjs
import { buildGraphQLWSExecutor } from '@graphql-tools/executor-graphql-ws';
import { GraphQLError } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { gatewayConfig as config } from './hive-gateway.config.mjs';

/** The transport of the gateway reconnects and subscribes again without the cursor of the client, so events are lost; this one ends. */
const webSocket = {
  getSubgraphExecutor({ transportEntry }) {
    const url = transportEntry.location.replace(/^http/, 'ws');
    const executors = new Map();
    return (request) => {
      const headers = credentialsOf(request.context?.headers ?? {});
      const caller = JSON.stringify(headers);
      // A client is closed when it has no subscription.
      const on = { closed: () => executors.delete(caller) };
      const connect = () =>
        buildGraphQLWSExecutor(createClient({ url, webSocketImpl: webSocketWith(headers), retryAttempts: 0, on }));
      if (!executors.has(caller)) executors.set(caller, connect());
      return endWhenLost(executors.get(caller)(request));
    };
  },
};

/** The credentials of a client, which apply to all subscriptions of a WebSocket. */
const credentialsOf = ({ authorization, 'x-api-key': apiKey }) => ({
  ...(authorization && { authorization }),
  ...(apiKey && { 'x-api-key': apiKey }),
});

/** A WebSocket that is opened with these headers. */
const webSocketWith = (headers) =>
  class extends WebSocket {
    constructor(url, protocols) {
      super(url, protocols, { headers });
    }
  };

/** Converts the rejection of an iterator to a last result, which the plugins of the gateway receive: errors, or a lost connection. */
const endWhenLost = (results) => ({
  [Symbol.asyncIterator]() {
    return this;
  },
  next: () =>
    results.next().catch((reason) => ({
      done: false,
      value: { errors: Array.isArray(reason) ? reason : [new GraphQLError('The connection to the subgraph is lost.')] },
    })),
  return: () => results.return(),
});

export const gatewayConfig = {
  ...config,
  transportEntries: { '*.http': { options: { subscriptions: { kind: 'ws' } } } },
  transports: { http: import('@graphql-mesh/transport-http'), ws: webSocket },
};
