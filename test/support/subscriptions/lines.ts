import { afterEach } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

interface Request {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

interface Answer {
  readonly data?: any;
  readonly errors?: readonly unknown[];
}

const open = new Set<Line>();

// As everywhere in the kit: nothing is left running, whatever a test does.
afterEach(() => {
  for (const line of open) line.close();
});

/** How a client reaches the graph, for all its subscriptions: a line that a test breaks. `examples/follow.mjs` takes it for a client of graphql-ws. */
export abstract class Line {
  /** How often it was broken. */
  kills = 0;
  /** Told when it is broken, before anybody who uses it can notice. */
  onKill = () => {};
  #life = 0;
  #left = Number.POSITIVE_INFINITY;
  #next: number[] = [];
  #returned: Promise<void> | undefined;
  #comeBack = () => {};

  protected abstract open(request: Request): AsyncIterable<Answer>;
  protected abstract break(): void;
  protected abstract end(): unknown;
  isClosed = false;

  constructor() {
    open.add(this);
  }

  async *iterate(request: Request): AsyncGenerator<Answer> {
    await this.#returned;
    if (this.isClosed) return;
    const life = this.#life;
    for await (const answer of this.open(request)) {
      // As in a process that was killed: what had come and was not taken yet is lost.
      if (life !== this.#life) throw new Error('killed');
      yield answer;
      this.#left -= 1;
      if (this.#left === 0) this.kill();
    }
  }

  /** Breaks it, without a word to the server. */
  kill(): void {
    this.#left = this.#next.shift() ?? Number.POSITIVE_INFINITY;
    this.#life += 1;
    this.kills += 1;
    this.onKill();
    this.break();
  }

  /** Breaks it when so many more events have been taken; and once more after so many others. */
  killAfter(events: number, ...next: number[]): void {
    this.#left = events;
    this.#next = next;
  }

  /** Breaks it, and lets nobody connect until `comeBack`. */
  leave(): void {
    this.#returned ??= new Promise((resolve) => {
      this.#comeBack = resolve;
    });
    this.kill();
  }

  comeBack(): void {
    this.#returned = undefined;
    this.#comeBack();
  }

  get isAway(): boolean {
    return this.#returned !== undefined;
  }

  /** Ends all that goes over it, for good. */
  close(): void {
    this.isClosed = true;
    open.delete(this);
    this.comeBack();
    this.end();
  }
}

/** An ordinary client of graphql-ws, with all subscriptions over one WebSocket. */
export class SocketLine extends Line {
  #socket: WebSocket | undefined;
  readonly #client;

  constructor(url: string) {
    super();
    const keep = (socket: WebSocket) => {
      this.#socket = socket;
    };
    class Kept extends WebSocket {
      constructor(address: string, protocols: string | string[]) {
        super(address, protocols);
        keep(this);
      }
    }
    this.#client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: Kept,
      retryAttempts: 0,
      onNonLazyError: () => {},
    });
  }

  protected open(request: Request): AsyncIterable<Answer> {
    return this.#client.iterate(request) as AsyncIterable<Answer>;
  }

  protected break(): void {
    this.#socket?.terminate();
  }

  /** Takes nothing from the network until `readOn`. */
  stopReading(): void {
    this.#socket?.pause();
  }

  readOn(): void {
    this.#socket?.resume();
  }

  protected end(): unknown {
    // Who does not read does not see either that the other side has closed.
    this.readOn();
    return this.#client.dispose();
  }
}

/** A client that reads a stream of events by `fetch`. It has one subscription. */
export class EventLine extends Line {
  readonly #url: string;
  #controller = new AbortController();

  constructor(url: string) {
    super();
    this.#url = url;
  }

  protected async *open(request: Request): AsyncGenerator<Answer> {
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
