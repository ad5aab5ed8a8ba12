import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';

/** Message for a rejected Host header: DNS rebinding lets pages of any site reach loopback. */
export const HOST_REJECTED_MESSAGE = 'want a Host that is a loopback name, or that ALLOWED_HOSTS lists';

/** Starts a server on a loopback port, 0 for a free one, and resolves with its host and port. Rejects if the port is in use. */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return `${HOST}:${(server.address() as AddressInfo).port}`;
}

/** Closes a server and its connections. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
