// Named streams over the WebSocket transport of the gateway, which reconnects and subscribes again by itself:
//   hive-gateway supergraph supergraph.graphql -c hive-gateway-streams.config.mjs
// The server stores the position, so that subscribing again with the same variables loses no event. A subscription without `stream` would.
import { gatewayConfig as config } from './hive-gateway.config.mjs';

/** The key of the client, which owns the streams; the gateway opens one WebSocket for each key. */
const connectionParams = { 'x-api-key': '{context.headers.x-api-key}' };

export const gatewayConfig = {
  ...config,
  transportEntries: { '*.http': { options: { subscriptions: { kind: 'ws', options: { connectionParams } } } } },
};
