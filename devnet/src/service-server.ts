import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Address that the services of the embedded network listen on by default, and that their URLs name on a wildcard address. */
export const LOOPBACK_ADDRESS = '127.0.0.1';

/** Returns whether a Host header is accepted. */
export type HostCheck = (host: string | undefined) => boolean;

/** Accepts the host names of this machine, on any port, and requests without Host: browsers always send it. */
export const acceptsLoopbackHost: HostCheck = (host) =>
  host === undefined || /^(?:(?:[^.:]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);

/** Message for a rejected Host header: DNS rebinding lets pages of any site reach loopback. */
export const HOST_REJECTED_MESSAGE = 'want a Host that is a loopback name, or that ALLOWED_HOSTS lists';

/**
 * Starts a server on a port, 0 for a free port, and resolves with the host and port for its URL. Rejects if it cannot
 * listen.
 */
export async function listenOnAddress(server: Server, address: string, port: number): Promise<string> {
  server.listen(port, address);
  await once(server, 'listening');
  const isWildcard = address === '0.0.0.0' || address === '::';
  const name = isWildcard ? LOOPBACK_ADDRESS : address.includes(':') ? `[${address}]` : address;
  return `${name}:${(server.address() as AddressInfo).port}`;
}

/** Closes a server and its connections. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
