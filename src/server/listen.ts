import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { GraphError } from '../lib/errors.ts';

/** Options of a server whose connections an HTTP server handles. */
const CONNECTION_OPTIONS = { allowHalfOpen: true, noDelay: true };

/** A server that accepts connections. */
export interface Listener {
  /** The URL of the first address, without a path. */
  readonly url: string;
  /**
   * Stops accepting connections. Open connections stay open: `http.Server.close` would also close idle connections,
   * whose next request may be on its way.
   */
  close(): void;
}

/** Passes connections that another process accepts to a server, instead of a port of this process. */
export type ConnectionSource = (server: Server, host: string, port: number, advice: string) => Promise<Listener>;

/** Returns the addresses to listen on: `localhost` may be an IPv4 and an IPv6 address. */
const addressesOf = async (host: string): Promise<readonly string[]> =>
  host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];

/**
 * Listens on every address of `host`, or receives the connections of `source`. Fastify would create an HTTP server for
 * each address; here, the connections of all addresses belong to one server, which counts and drains them. Rejects with
 * BAD_USER_INPUT, whose message ends with `advice`, when it cannot listen.
 */
export async function listen(app: FastifyInstance, host: string, port: number, advice: string, source?: ConnectionSource) {
  if (!source) return withAdvice(host, port, advice, async () => listenOn(app, await addressesOf(host), port));
  await app.ready();
  // Node then starts the timers that enforce the timeouts of requests.
  app.server.emit('listening');
  return source(app.server, host, port, advice);
}

/** Variant of `listen` for a list of addresses. */
export async function listenOn(app: FastifyInstance, [first, ...others]: readonly string[], port: number): Promise<Listener> {
  const url = await app.listen({ host: first!, port });
  const { port: chosenPort } = app.server.address() as AddressInfo;
  const servers = await listenOnOthers(others, chosenPort, CONNECTION_OPTIONS, (socket) => app.server.emit('connection', socket));
  return { url, close: () => closeAll([app.server, ...servers]) };
}

/** Listens on every address of `host` and passes each connection, from which nothing is read, to `onConnection`. Rejects as `listen` does. */
export const acceptConnections = (host: string, port: number, advice: string, onConnection: (socket: Socket) => void) =>
  withAdvice(host, port, advice, async () => {
    const [first, ...others] = await addressesOf(host);
    const options = { ...CONNECTION_OPTIONS, pauseOnConnect: true };
    const server = createServer(options, onConnection);
    await once(server.listen(port, first), 'listening');
    const { address, family, port: chosenPort } = server.address() as AddressInfo;
    const servers = await listenOnOthers(others, chosenPort, options, onConnection);
    const name = family === 'IPv6' ? `[${address}]` : address.replace(/^0\.0\.0\.0$/, '127.0.0.1');
    return { url: `http://${name}:${chosenPort}`, close: () => closeAll([server, ...servers]) };
  });

async function listenOnOthers(
  addresses: readonly string[],
  port: number,
  options: object,
  onConnection: (socket: Socket) => void,
): Promise<Server[]> {
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer(options, onConnection);
    // A machine without IPv6 can have an IPv6 address for `localhost`.
    await once(server.listen(port, address), 'listening').then(
      () => servers.push(server),
      () => {},
    );
  }
  return servers;
}

const closeAll = (servers: readonly Server[]): void => {
  for (const server of servers) Server.prototype.close.call(server);
};

async function withAdvice(host: string, port: number, advice: string, start: () => Promise<Listener>): Promise<Listener> {
  try {
    return await start();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new GraphError('BAD_USER_INPUT', `Cannot listen on ${host}, port ${port} (${code}). ${advice}`, { cause });
  }
}
