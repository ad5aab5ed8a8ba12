import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port and prints the address in the format of our server's ready message. */
export function listen(server: Server): void {
  // A contender that waits for its turn keeps its connections; ethers fails when one of them closes under a request.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => printAddress((server.address() as AddressInfo).port));
}

export const printAddress = (port: number): void => void process.stdout.write(`graph http://127.0.0.1:${port}/graphql\n`);

/** Reads the body of a request as text. */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
