import { expect, test } from '@jest/globals';
import type { EventSourceMessage } from 'eventsource-parser';
import { readEventStream } from '../../../src/mcp/graph-client.ts';

async function eventsIn(text: string, size: number, maxBytes = 1_000): Promise<EventSourceMessage[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const events: EventSourceMessage[] = [];
  for await (const event of readEventStream(chunks(), maxBytes)) events.push(event);
  return events;
}

const STREAM =
  ':\n\nevent: next\ndata: {"a":"ä"}\n\ndata:first\ndata: second\n\nid: 1\n\nevent: complete\ndata:\n\nevent: next\ndata: cut';

test.each(['\n', '\r\n', '\r'])('events are read from chunks of every size, with line ends %j', async (lineEnd) => {
  for (let size = 1; size <= 40; size += 1) {
    expect([size, await eventsIn(STREAM.replaceAll('\n', lineEnd), size)]).toEqual([
      size,
      [{ event: 'next', data: '{"a":"ä"}' }, { data: 'first\nsecond' }, { event: 'complete', data: '' }],
    ]);
  }
});

test.each([`data: ${'x'.repeat(2_000)}`, 'data: x\n'.repeat(1_000)])('an event above the maximum size rejects', async (text) => {
  await expect(eventsIn(text, 100)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
});
