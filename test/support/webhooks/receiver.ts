import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { startTestServer } from '../test-server.ts';

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
  const { url, stop } = await startTestServer(server);
  return {
    url: `${url}/`,
    received,
    connections: () => connections,
    close: stop,
  };
}
