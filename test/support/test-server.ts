import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '../../devnet/src/service-server.ts';
import { stopAfterTests } from './cleanups.ts';

/** Starts a server on loopback, on any free port if none is given. It stops after the tests of the file. */
export async function startTestServer(server: Server, givenPort = 0) {
  // A client could use an idle connection again just as it closes; the repeated request would change the counts of a test.
  server.keepAliveTimeout = 0;
  // Rejects when the port is in use.
  await once(server.listen(givenPort, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, stop: stopAfterTests(() => closeServer(server)) };
}
