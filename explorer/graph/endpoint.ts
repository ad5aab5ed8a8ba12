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

type ConnectionListener = (isConnected: boolean) => void;
const listeners = new Set<ConnectionListener>();
const notify = (isConnected: boolean) => {
  for (const listener of listeners) listener(isConnected);
};

/** Calls a function when the WebSocket is connected or lost. Returns a function that ends this. */
export function onConnectionChange(listener: ConnectionListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Close code for a client without a key, or whose key is not accepted. */
const FORBIDDEN = 4403;

/** The one WebSocket of the page, for all its subscriptions. */
export const socket = createWebSocketClient({
  url: graphUrl.replace(/^http/, 'ws'),
  connectionParams: () => keyHeaders(),
  on: {
    connected: () => notify(true),
    closed: (event) => {
      notify(false);
      const { code, reason } = event as CloseEvent;
      if (code === FORBIDDEN) askForKey(reason);
    },
  },
});
