import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenHostNames } from '../hosts.ts';

/** Address that the services of the embedded network listen on by default, and that their URLs name on a wildcard address. */
export const LOOPBACK_ADDRESS = '127.0.0.1';

/** Message for a rejected Host header: DNS rebinding lets pages of any site reach loopback. */
export const HOST_REJECTED_MESSAGE = 'want a Host that is a loopback name, or that ALLOWED_HOSTS lists';

/** Starts a server on a port, 0 for a free one, and resolves with the host and port for its URL. Rejects if it cannot listen. */
export async function listenOnAddress(server: Server, address: string, port: number): Promise<string> {
  server.listen(port, address);
  await once(server, 'listening');
  return `${listenHostNames(address)[0] ?? LOOPBACK_ADDRESS}:${(server.address() as AddressInfo).port}`;
}

/** Closes a server and its connections. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
