import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { cleanups } from '../cleanups.ts';
import type { GraphBody } from '../graph/results.ts';

interface SubscriptionRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** A client connection that a test can break. `examples/follow.mjs` uses it as a graphql-ws client. */
export abstract class ClientConnection {
  #generation = 0;
  #reconnected: Promise<void> | undefined;
  #comeBack = () => {};

  protected abstract open(request: SubscriptionRequest): AsyncIterable<GraphBody>;
  protected abstract break(): void;
  protected abstract end(): unknown;
  isClosed = false;

  constructor() {
    cleanups.push(() => this.close());
  }

  async *iterate(request: SubscriptionRequest): AsyncGenerator<GraphBody> {
    await this.#reconnected;
    if (this.isClosed) return;
    const life = this.#generation;
    for await (const answer of this.open(request)) {
      // As in a killed process: received events that were not consumed are lost.
      if (life !== this.#generation) throw new Error('killed');
      yield answer;
    }
  }

  /** Breaks the connection without a close frame. */
  kill(): void {
    this.#generation += 1;
    this.break();
  }

  /** Breaks the connection and rejects new ones until `comeBack`. */
  disconnect(): void {
    this.#reconnected ??= new Promise((resolve) => {
      this.#comeBack = resolve;
    });
    this.kill();
  }

  reconnect(): void {
    this.#reconnected = undefined;
    this.#comeBack();
  }

  get isDisconnected(): boolean {
    return this.#reconnected !== undefined;
  }

  /** Ends every subscription permanently. */
  close(): void {
    this.isClosed = true;
    this.reconnect();
    this.end();
  }
}

/** A graphql-ws client with all subscriptions over one WebSocket. */
export class WebSocketConnection extends ClientConnection {
  #socket: WebSocket | undefined;
  readonly #client;

  constructor(url: string) {
    super();
    const keep = (socket: WebSocket) => {
      this.#socket = socket;
    };
    class Retained extends WebSocket {
      constructor(address: string, protocols: string | string[]) {
        super(address, protocols);
        keep(this);
      }
    }
    this.#client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: Retained,
      retryAttempts: 0,
      onNonLazyError: () => {},
    });
  }

  protected open(request: SubscriptionRequest): AsyncIterable<GraphBody> {
    return this.#client.iterate(request) as AsyncIterable<GraphBody>;
  }

  protected break(): void {
    this.#socket?.terminate();
  }

  protected end(): unknown {
    return this.#client.dispose();
  }
}

/** An SSE client over `fetch` with one subscription. */
export class EventStreamConnection extends ClientConnection {
  readonly #url: string;
  #controller = new AbortController();

  constructor(url: string) {
    super();
    this.#url = url;
  }

  protected async *open(request: SubscriptionRequest): AsyncGenerator<GraphBody> {
    const { signal } = this.#controller;
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(`${this.#url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
      signal,
    });
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body!) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        if (block.startsWith('event: complete\n')) return;
        if (block.startsWith('event: next\ndata: ')) yield JSON.parse(block.slice('event: next\ndata: '.length));
      }
    }
    throw new Error('the stream has broken off');
  }

  protected break(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }

  protected end(): void {
    this.#controller.abort();
  }
}
