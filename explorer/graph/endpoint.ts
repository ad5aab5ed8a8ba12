import { createWebSocketClient } from '@grimoire/client/ws';
import { askForKey, keyHeaders } from '../../playground/caller-key.ts';

// Of this file in `assets/`, so that a proxy may mount the server under a prefix.
const script = import.meta.url;

/** The path of the explorer without a slash at the end: `/explore`. */
export const basePath = new URL('..', script).pathname.replace(/\/$/, '');

/** URL of the playground. */
export const playgroundUrl = new URL('../..', script).href;

/** URL of the graph. */
export const graphUrl = new URL('../../graphql', script).href;

/** URL of the description of the embedded network. */
export const devnetUrl = new URL('../../devnet.json', script).href;

/** Receives null where the WebSocket is not connected although the server can be reached. */
type ConnectionListener = (isConnected: boolean | null) => void;
const listeners = new Set<ConnectionListener>();
const notify: ConnectionListener = (isConnected) => {
  for (const listener of listeners) listener(isConnected);
};

/** Calls a function when the WebSocket is connected or lost. Returns a function that ends this. */
export function onConnectionChange(listener: ConnectionListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Close codes of a client without a subscription, and of one without a key or whose key is not accepted. */
const NORMAL = 1000;
const FORBIDDEN = 4403;

/** The one WebSocket of the page, for all its subscriptions. */
export const socket = createWebSocketClient({
  url: graphUrl.replace(/^http/, 'ws'),
  connectionParams: () => keyHeaders(),
  on: {
    connected: () => notify(true),
    closed: (event) => {
      const { code, reason } = event as CloseEvent;
      notify(code === NORMAL || code === FORBIDDEN ? null : false);
      if (code === FORBIDDEN) askForKey(reason);
    },
  },
});
