// Named streams over the WebSocket transport of the gateway, which reconnects and subscribes again by itself:
//   hive-gateway supergraph supergraph.graphql -c hive-gateway-streams.config.mjs
// The server stores the position, so that subscribing again with the same variables loses no event. A subscription without `stream` would.
// All clients share one WebSocket. Each operation contains the key or the token of its client, which owns its streams.
import { gatewayConfig as config } from './hive-gateway.config.mjs';

export const gatewayConfig = {
  ...config,
  transportEntries: { '*.http': { options: { subscriptions: { kind: 'ws' } } } },
};
