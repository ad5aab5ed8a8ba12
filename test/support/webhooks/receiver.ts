import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver has read to its end. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of `performance.now`. */
  readonly at: number;
}

export interface TestReceiver {
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Starts a receiver of deliveries on loopback that responds 200 unless `respond` does otherwise. It may leave a request without a response. */
export async function startReceiver(
  respond: (response: ServerResponse, delivery: ReceivedDelivery, index: number) => void = (response) => response.end(),
): Promise<TestReceiver> {
  const received: ReceivedDelivery[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      received.push(delivery);
      respond(response, delivery, received.length - 1);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
