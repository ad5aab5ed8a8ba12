import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { GraphError } from '../lib/errors.ts';

/** Returns the addresses to listen on: `localhost` may be an IPv4 and an IPv6 address. */
const addressesOf = async (host: string): Promise<readonly string[]> =>
  host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];

/**
 * Listens on every address of `host`. Fastify would create an HTTP server for each; here, the connections of all
 * addresses belong to one server, which counts and drains them. Rejects with BAD_USER_INPUT, whose message ends with
 * `advice`, when it cannot listen.
 */
export async function listen(app: FastifyInstance, host: string, port: number, advice: string) {
  try {
    return await listenOn(app, await addressesOf(host), port);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new GraphError('BAD_USER_INPUT', `Cannot listen on ${host}, port ${port} (${code}). ${advice}`, { cause });
  }
}

/** Variant of `listen` for a list of addresses. */
export async function listenOn(app: FastifyInstance, [first, ...others]: readonly string[], port: number) {
  const url = await app.listen({ host: first!, port });
  const servers: Server[] = [app.server];
  for (const address of others) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket));
    const listening = once(server.listen((app.server.address() as AddressInfo).port, address), 'listening');
    // A machine without IPv6 can have an IPv6 address for `localhost`.
    await listening.then(
      () => servers.push(server),
      () => {},
    );
  }
  return {
    /** The URL of the first address, without a path. */
    url,
    /**
     * Stops accepting connections. Open connections stay open: `http.Server.close` would also close idle connections,
     * whose next request may be on its way.
     */
    close(): void {
      for (const server of servers) Server.prototype.close.call(server);
    },
  };
}
