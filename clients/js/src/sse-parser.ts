/** One server-sent event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r(?!$)/;

/** Is started before each read and stopped after it. */
interface ReadTimer {
  start(): void;
  stop(): void;
}

/** Parses a stream of server-sent events, whatever the limits of its chunks. Ignores comments. */
export async function* parseEvents(body: NonNullable<Response['body']>, timer: ReadTimer): AsyncGenerator<ServerSentEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  /** The parts of a line that is not complete. */
  let rest: string[] = [];
  let event = 'message';
  let data: string[] = [];
  try {
    for (;;) {
      timer.start();
      const { done, value } = await reader.read();
      timer.stop();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      const mayEndLine = /[\r\n]/.test(text) || rest.at(-1)?.endsWith('\r');
      if (text !== '') rest.push(text);
      // To split a long line again with each of its chunks would take quadratic time.
      if (!mayEndLine) continue;
      const lines = rest.join('').split(LINE_END);
      rest = [lines.pop()!];
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { event, data: data.join('\n') };
          event = 'message';
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        const name = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
        if (name === 'event') event = text;
        else if (name === 'data') data.push(text);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
