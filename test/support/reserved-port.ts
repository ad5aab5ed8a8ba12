import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The next port to try, above 20,000: a test that reserves and releases several ports never gets one of them twice. */
let next = randomInt(10_000);

/**
 * Listens on a port below the range from which the system picks free ports, so that nothing takes it once it is released: not even a
 * client that connects to it, which the system may connect to itself.
 */
export async function reservePort(): Promise<{ readonly port: number; release(): Promise<unknown> }> {
  for (;;) {
    const server = createServer().listen(20_000 + (next++ % 10_000), '127.0.0.1');
    const isListening = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isListening) continue;
    const { port } = server.address() as AddressInfo;
    return { port, release: () => once(server.close(), 'close') };
  }
}

/** A port that nothing takes until the caller listens on it. */
export async function findFreePort(): Promise<number> {
  const { port, release } = await reservePort();
  await release();
  return port;
}
