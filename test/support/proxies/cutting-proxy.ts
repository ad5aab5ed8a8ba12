import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from '@jest/globals';
import type { RandomChoices } from '../random-choices.ts';

/** A proxy between clients and a graph that cuts connections at random. */
export interface CuttingProxy {
  /** URL of the graph through the proxy. */
  readonly url: string;
  /** Connections that were cut so far. */
  readonly cuts: number;
  /** Whether connections are cut; at first they are. */
  isCutting: boolean;
  stop(): Promise<void>;
}

/** Maximum number of bytes of the server that one connection forwards before it is cut, which may be within an event. */
const MAX_BYTES = 6_000;

const started: CuttingProxy[] = [];

// Also after a failed test, so that jest can exit.
afterAll(async () => {
  await Promise.all(started.splice(0).map((proxy) => proxy.stop()));
});

/** Starts a proxy in front of a server. One in eight connections is refused, the others are cut after a random number of bytes. */
export async function startCuttingProxy(target: string, choices: RandomChoices): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cuts = 0;

  const forward = (client: Socket): void => {
    const server = connect(Number(port), hostname);
    let bytesLeft = choices.chance(1 / 8) ? 0 : choices.below(MAX_BYTES);
    const close = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(socket);
          close();
        });
    }
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk: Buffer) => {
      if (!proxy.isCutting || bytesLeft >= chunk.length) {
        client.write(chunk);
        bytesLeft -= chunk.length;
        return;
      }
      cuts += 1;
      server.destroy();
      client.end(chunk.subarray(0, Math.max(0, bytesLeft)));
    });
  };

  const listener = createServer(forward);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    isCutting: true,
    get cuts() {
      return cuts;
    },
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  started.push(proxy);
  return proxy;
}
