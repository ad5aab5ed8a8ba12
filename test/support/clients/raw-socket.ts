import { type ClientOptions, WebSocket } from 'ws';
import { assertNoSecret, CLIENT_HEADERS } from '../secrets.ts';

type Message = { readonly id?: string; readonly type: string; readonly payload: any };

/** A graphql-transport-ws client that can violate the protocol, and records every message. */
export class RawSocket {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #waiting: (() => void)[] = [];

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('error', () => {});
    ws.on('message', (data) => {
      assertNoSecret(String(data), 'a message');
      this.messages.push(JSON.parse(String(data)));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      ws.once('close', (code, reason) => {
        assertNoSecret(String(reason), 'the reason of a close');
        resolve({ code, reason: String(reason) });
        this.#wake();
      });
    });
  }

  /** Connects and sends connection_init by default. Rejects with the status when the server does not upgrade. */
  static async connect(
    url: string,
    {
      init = true,
      protocols = ['graphql-transport-ws'],
      ...options
    }: ClientOptions & { init?: boolean; protocols?: string[] } = {},
  ): Promise<RawSocket> {
    const address = `${url.replace('http', 'ws')}/graphql`;
    const ws = new WebSocket(address, protocols, { ...options, headers: { ...CLIENT_HEADERS, ...options.headers } });
    const socket = new RawSocket(ws);
    await new Promise<void>((resolve, reject) => {
      ws.once('open', () => resolve());
      ws.once('error', reject);
      ws.once('unexpected-response', (request, response) => {
        response.resume();
        request.destroy();
        reject(new Error(`HTTP ${response.statusCode}`));
      });
    });
    if (init) {
      socket.send({ type: 'connection_init' });
      await socket.waitForMessage(({ type }) => type === 'connection_ack');
    }
    return socket;
  }

  send(message: object | string): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables?: Record<string, unknown>): void {
    this.send({ id, type: 'subscribe', payload: { query, variables } });
  }

  /** Resolves with the first matching message, past or future. Rejects when the socket closes first. */
  async waitForMessage(isIt: (message: Message) => boolean): Promise<Message> {
    return this.#waitFor(() => this.messages.find(isIt));
  }

  /** Resolves with the value of `read` once it is defined. Rejects when the socket closes first. */
  async #waitFor<T>(read: () => T | undefined): Promise<T> {
    for (;;) {
      const value = read();
      if (value !== undefined) return value;
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error(`closed; received ${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** The responses of an operation so far. */
  resultsOf(id: string): Message['payload'][] {
    return this.messages.filter((message) => message.id === id && message.type === 'next').map(({ payload }) => payload);
  }

  /** Resolves when an operation has this many responses. */
  async waitForResults(id: string, count: number): Promise<Message['payload'][]> {
    return this.#waitFor(() => {
      const results = this.resultsOf(id);
      return results.length >= count ? results : undefined;
    });
  }

  /** Resolves with the last message of an operation. */
  waitForEnd(id: string) {
    return this.waitForMessage((message) => message.id === id && message.type !== 'next');
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): void {
    this.ws.close();
  }
}
