import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { cleanups } from '../cleanups.ts';
import { type RawRequest, type RawResponse, rawRequest } from './raw-request.ts';

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
    cleanups.push(() => this.close());
  }

  send(path: string, options: RawRequest = {}): Promise<RawResponse> {
    const onSocket = (socket: Socket): void => {
      if (socket !== this.socket) this.connections++;
      this.socket = socket;
    };
    return rawRequest(`${this.#url}${path}`, { ...options, agent: this.#agent, onSocket });
  }

  /** Executes an operation over POST. */
  post(query: string, headers: Record<string, string> = {}): Promise<RawResponse> {
    const body = JSON.stringify({ query });
    return this.send('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  }

  /** Reads a value of `/metrics`; `name` is without the prefix grimoire_. */
  async metric(name: string): Promise<number> {
    const { body } = await this.send('/metrics');
    return Number(new RegExp(`^grimoire_${name} (.+)$`, 'm').exec(body)?.[1]);
  }

  close(): void {
    this.#agent.destroy();
  }
}
