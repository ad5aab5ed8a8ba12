import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GraphRequest {
  readonly query: string;
  readonly operationName: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

/** Prints the address in the format of our server's ready message. */
export const printAddress = (port: number): void => void process.stdout.write(`graph http://127.0.0.1:${port}/graphql\n`);

/** Serves GraphQL over node:http alone, without validation of the request, so that the executor is what is measured. */
export function serve(execute: (request: GraphRequest) => Promise<string> | string): void {
  const server = createServer(async (request, response) => {
    const text = await execute(JSON.parse(await readBody(request)) as GraphRequest);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(text);
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => printAddress((server.address() as AddressInfo).port));
}

/** Prepares each document once. */
export function oncePerDocument<Prepared>(prepare: (query: string) => Prepared): (query: string) => Prepared {
  const prepared = new Map<string, Prepared>();
  return (query) => {
    let one = prepared.get(query);
    if (one === undefined) {
      one = prepare(query);
      prepared.set(query, one);
    }
    return one;
  };
}
