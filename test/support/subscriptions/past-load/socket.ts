import { WebSocket } from 'ws';

/** The variables of a subscription are optional. */
export interface LoadOperation {
  readonly query: string;
  readonly variables?: object;
}

/** Milliseconds of a clock that all processes of a machine share. */
export const sharedClock = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Subscribes to operations, by their ids, over one WebSocket. Resolves when the subscriptions are sent. Passes each message to `onMessage`,
 * and a close to `onClose`.
 */
export const openLoadSocket = (
  url: string,
  operations: Readonly<Record<string, LoadOperation>>,
  onMessage: (message: Buffer) => void,
  onClose: (reason: string) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { perMessageDeflate: false });
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.on('error', reject);
    socket.on('close', (code, reason) => onClose(`closed with ${code} ${reason}`));
    socket.on('open', () => send({ type: 'connection_init' }));
    socket.once('message', () => {
      for (const [id, payload] of Object.entries(operations)) send({ id, type: 'subscribe', payload });
      socket.on('message', onMessage);
      resolve();
    });
  });

/** Opens sockets, a few at a time. */
export async function openLoadSockets(count: number, open: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_none, i) => open(from + i)));
}
