import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { stopAfterTests } from '../cleanups.ts';
import { waitUntil } from '../wait-until.ts';

/** Interval between two readiness checks of a server. */
const POLL_INTERVAL_MS = 25;

/** The status of `/readyz`; undefined if the server does not respond. */
const readinessOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    request.once('error', () => resolve(undefined));
  });

/** Starts a TCP load balancer. It routes each new connection to a server whose `/readyz` is 200, and never moves or repeats a request. */
export async function startBalancer() {
  const readiness = new Map<string, boolean>();
  const sockets = new Set<Socket>();
  let routed = 0;

  /** Connects to the servers in turn, beginning with the next ready one. As real balancers do, tries another if one refuses. */
  const connectToServer = async (): Promise<Socket> => {
    const ready = [...readiness].filter(([, isReady]) => isReady).map(([url]) => new URL(url));
    for (let i = 0; i < ready.length; i++) {
      const { hostname, port } = ready[routed++ % ready.length]!;
      const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      if (await once(upstream, 'connect').then(Boolean, () => false)) return upstream;
    }
    throw new Error('no server is ready');
  };

  const join = (one: Socket, other: Socket): void => {
    sockets.add(one);
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.once('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    connectToServer().then(
      (upstream) => {
        join(client, upstream);
        join(upstream, client);
      },
      () => client.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  const poll = async (url: string): Promise<void> => {
    while (readiness.has(url)) {
      const status = await readinessOf(url);
      if (readiness.has(url)) readiness.set(url, status === 200);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  };
  /** Breaks all connections without a close frame; new ones are accepted. */
  const cutConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Adds a server; resolves when it is ready. */
    async addServer(url: string): Promise<void> {
      readiness.set(url, false);
      void poll(url);
      await waitUntil(() => readiness.get(url) === true, `the server ${url} is ready`);
    },
    /** Stops checking a server; its connections stay open. */
    removeServer: (url: string) => void readiness.delete(url),
    cutConnections,
    stop: stopAfterTests(async () => {
      readiness.clear();
      const closed = once(server, 'close');
      server.close();
      cutConnections();
      await closed;
    }),
  };
}

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;
