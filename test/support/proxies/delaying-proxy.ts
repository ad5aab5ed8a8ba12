import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

/** A TCP proxy that delays what the server sends. */
export interface DelayingProxy {
  readonly port: number;
  stop(): Promise<void>;
}

const started = new Set<DelayingProxy>();

// Also after a failed test, so that jest can exit.
afterEach(async () => {
  await Promise.all([...started].map((proxy) => proxy.stop()));
});

/** Starts a proxy for a port of this machine. It delays each chunk of the server by `delayMs()`, in order. */
export async function startDelayingProxy(targetPort: number, delayMs: () => number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();

  const delayInto = (client: Socket, upstream: Socket): void => {
    let lastDueAt = 0;
    upstream.on('data', (chunk) => {
      const now = performance.now();
      lastDueAt = Math.max(lastDueAt, now + delayMs());
      setTimeout(() => client.write(chunk), lastDueAt - now);
    });
  };

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: targetPort });
    client.pipe(upstream);
    delayInto(client, upstream);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy: DelayingProxy = {
    port: (server.address() as AddressInfo).port,
    async stop() {
      started.delete(proxy);
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  started.add(proxy);
  return proxy;
}
