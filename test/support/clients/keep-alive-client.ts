import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach } from '@jest/globals';

export interface KeepAliveResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface KeepAliveRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const openClients = new Set<KeepAliveClient>();

// Also after a failed test, so that jest can exit.
afterEach(() => {
  for (const client of openClients) client.close();
});

/** An HTTP client with one keep-alive connection. It replaces a connection that the server closed, and repeats no request. */
export class KeepAliveClient {
  /** The connection of the last request. */
  socket: Socket | undefined;
  /** Number of connections so far. */
  connections = 0;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
    openClients.add(this);
  }

  send(path: string, { method = 'GET', headers = {}, body }: KeepAliveRequest = {}): Promise<KeepAliveResponse> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, async (response) => {
        try {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode!, headers: response.headers, body: text });
        } catch (error) {
          reject(error);
        }
      });
      sent.once('socket', (socket) => {
        if (socket !== this.socket) this.connections++;
        this.socket = socket;
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  /** Executes an operation over POST. */
  post(query: string, headers: Record<string, string> = {}): Promise<KeepAliveResponse> {
    const body = JSON.stringify({ query });
    return this.send('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  }

  /** Reads a value of `/metrics`; `name` is without the prefix grimoire_. */
  async metric(name: string): Promise<number> {
    const { body } = await this.send('/metrics');
    return Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(body)?.[1]);
  }

  close(): void {
    openClients.delete(this);
    this.#agent.destroy();
  }
}
