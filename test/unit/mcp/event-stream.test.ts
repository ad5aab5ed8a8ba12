import { expect, test } from '@jest/globals';
import { readEventStream, type StreamEvent } from '../../../src/mcp/graph-client.ts';

async function eventsIn(text: string, size: number, maxBytes = 1_000): Promise<StreamEvent[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const events: StreamEvent[] = [];
  for await (const event of readEventStream(chunks(), maxBytes)) events.push(event);
  return events;
}

const STREAM =
  ':\n\nevent: next\ndata: {"a":"ä"}\n\ndata:first\ndata: second\n\nid: 1\n\nevent: complete\ndata:\n\nevent: next\ndata: cut';

test.each(['\n', '\r\n', '\r'])('events are read from chunks of every size, with line ends %j', async (lineEnd) => {
  for (let size = 1; size <= 40; size += 1) {
    expect([size, await eventsIn(STREAM.replaceAll('\n', lineEnd), size)]).toEqual([
      size,
      [
        { name: 'next', data: '{"a":"ä"}' },
        { name: 'message', data: 'first\nsecond' },
        { name: 'complete', data: '' },
      ],
    ]);
  }
});

test.each([`data: ${'x'.repeat(2_000)}`, 'data: x\n'.repeat(300)])('an event above the maximum size rejects', async (text) => {
  await expect(eventsIn(text, 100)).rejects.toThrow(RangeError);
});
