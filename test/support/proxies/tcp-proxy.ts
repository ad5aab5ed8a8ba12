import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { stopAfterTests } from '../cleanups.ts';
import type { RandomChoices } from '../random-choices.ts';

/** A TCP proxy in front of a server of this machine. */
interface TcpProxy {
  readonly port: number;
  /** Accepts connections again after `stop`. */
  restart(): Promise<unknown>;
  /** Ends all connections. New ones are refused. */
  stop(): Promise<void>;
}

/** Starts a proxy that forwards the bytes of a client to the port; `receive` handles the bytes of the server. Stopping it breaks all connections. */
export async function startTcpProxy(
  targetPort: number,
  receive: (client: Socket, upstream: Socket) => unknown = (client, upstream) => upstream.pipe(client),
  port = 0,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: targetPort });
    client.on('data', (chunk) => upstream.write(chunk));
    receive(client, upstream);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address() as AddressInfo;
  const stop = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  stopAfterTests(stop);
  return { port: address.port, restart: () => once(server.listen(address.port, '127.0.0.1'), 'listening'), stop };
}

/** Starts a proxy that delays each chunk of the server by `delayMs()`, in order. */
export const startDelayingProxy = (targetPort: number, delayMs: () => number): Promise<TcpProxy> =>
  startTcpProxy(targetPort, (client, upstream) => {
    let lastDueAt = 0;
    upstream.on('data', (chunk) => {
      const now = performance.now();
      lastDueAt = Math.max(lastDueAt, now + delayMs());
      setTimeout(() => client.write(chunk), lastDueAt - now);
    });
  });

/** Maximum number of bytes of the server that one connection forwards before it is cut, which may be within an event. */
const MAX_BYTES = 6_000;

/** Starts a proxy in front of a server. It refuses one in eight connections and cuts the others after a random number of bytes. */
export async function startCuttingProxy(target: string, choices: RandomChoices) {
  const state = { cuts: 0, isCutting: true };
  const { port, stop } = await startTcpProxy(Number(new URL(target).port), (client, upstream) => {
    let bytesLeft = choices.chance(1 / 8) ? 0 : choices.below(MAX_BYTES);
    upstream.on('data', (chunk: Buffer) => {
      if (!state.isCutting || bytesLeft >= chunk.length) {
        client.write(chunk);
        bytesLeft -= chunk.length;
        return;
      }
      state.cuts += 1;
      upstream.destroy();
      client.end(chunk.subarray(0, Math.max(0, bytesLeft)));
    });
  });
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, stop });
}
