import { Agent, request } from 'node:http';
import { assertNoSecret } from '../support/secrets.ts';

interface Response {
  readonly status: number;
  readonly text: string;
  /** Undefined unless it is a JSON object. */
  readonly body: any;
}

/** A client of the server that keeps its connections open. */
export function createHttpClient(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const openSince = new Map<number, number>();
  let count = 0;
  return {
    /** The requests without a response, and when they were sent. */
    openSince: openSince as ReadonlyMap<number, number>,
    /** Sends a request, a GET without a body. Rejects when the connection is lost. */
    post(path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
      const id = ++count;
      openSince.set(id, performance.now());
      return new Promise<Response>((resolve, reject) => {
        const options = { agent, method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json', ...headers } };
        const sent = request(`${url}${path}`, options, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.on('error', reject);
          response.on('end', () => {
            assertNoSecret(text, 'a response');
            resolve({ status: response.statusCode!, text, body: text.startsWith('{') ? JSON.parse(text) : undefined });
          });
        });
        sent.on('error', reject);
        sent.end(body);
      }).finally(() => openSince.delete(id));
    },
    stop: (): void => agent.destroy(),
  };
}

/** Returns false for a read whose connection is lost. */
export const falseIfLost = (read: Promise<boolean>): Promise<boolean> =>
  read.catch((error: NodeJS.ErrnoException) => {
    // A lost connection has a code of its own.
    if (!error.syscall && error.code !== 'ECONNRESET') throw error;
    return false;
  });
