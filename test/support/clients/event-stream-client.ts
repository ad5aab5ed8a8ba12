import { assertNoSecret, CLIENT_HEADERS } from '../secrets.ts';

/** A request with an event stream as response, and the received events. */
export interface EventStreamClient {
  readonly response: Response;
  readonly events: { readonly event: string; readonly data: any }[];
  readonly comments: number;
  /** Resolves when this many events have arrived. */
  waitForEvents(count: number): Promise<EventStreamClient['events']>;
  /** Resolves when the server ends the stream; rejects when the connection is lost. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function connectEventStream(
  url: string,
  body: { query: string; variables?: object } | undefined,
  { search = '', headers = {} as Record<string, string> } = {},
): Promise<EventStreamClient> {
  const control = new AbortController();
  const response = await fetch(`${url}/graphql${search}`, {
    method: body ? 'POST' : 'GET',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...CLIENT_HEADERS, ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: control.signal,
  });
  const events: EventStreamClient['events'] = [];
  let comments = 0;
  let onEvent: (() => void) | undefined;
  let isOver = false;
  const take = (block: string): void => {
    assertNoSecret(block, 'an event');
    if (block.startsWith(':')) {
      comments++;
      return;
    }
    const [event, data] = /^event: (\w+)\ndata:(.*)$/.exec(block)!.slice(1) as [string, string];
    events.push({ event, data: data === '' ? undefined : JSON.parse(data) });
    onEvent?.();
  };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body!) {
        const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) take(block);
      }
    } finally {
      isOver = true;
      onEvent?.();
    }
  };
  const ended = read();
  ended.catch(() => {});
  return {
    response,
    events,
    ended,
    get comments() {
      return comments;
    },
    async waitForEvents(count) {
      while (events.length < count) {
        if (isOver) throw new Error(`it ended with ${JSON.stringify(events)}`);
        await new Promise<void>((resolve) => {
          onEvent = resolve;
        });
      }
      return events;
    },
    close: () => control.abort(),
  };
}
