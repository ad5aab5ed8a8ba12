/** One event of an event stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

const LINE_END = /\r\n|\r|\n/;

/** Reads the events of a body in the format of server-sent events. Ignores comments and fields other than `event` and `data`. */
export async function* readEventStream(body: AsyncIterable<Uint8Array>, maxEventBytes: number): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let name = 'message';
  let data: string[] = [];
  let size = 0;
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // The line feed of a last carriage return may be in the next chunk.
    const lines = (text.endsWith('\r') ? text.slice(0, -1) : text).split(LINE_END);
    rest = `${lines.pop()!}${text.endsWith('\r') ? '\r' : ''}`;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        [name, data, size] = ['message', [], 0];
        continue;
      }
      const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
      size += line.length;
    }
    if (size + rest.length > maxEventBytes) throw new RangeError('the event is too large');
  }
}
