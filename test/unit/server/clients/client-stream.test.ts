import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { EncodedBody, QueuedEvents } from '../../../../src/graphql/subscriptions/event-execution.ts';
import { ClientStream } from '../../../../src/server/clients/client-stream.ts';

const [BEFORE, AFTER] = [Buffer.from('<'), Buffer.from('>')];

/** A client that does not read its stream until `read` is called. */
function createClient(events: QueuedEvents) {
  let take = () => {};
  let received = '';
  const stream = new Writable({
    writev(chunks, done) {
      take = () => {
        received += chunks.map(({ chunk }) => String(chunk)).join('');
        done();
      };
    },
  });
  return { stream, client: new ClientStream(stream, events), read: () => take(), received: () => received };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an event in the buffers of several clients counts once until the last client has taken it', async () => {
  const events = new QueuedEvents();
  const [one, two] = [createClient(events), createClient(events)];
  const body = new EncodedBody([Buffer.alloc(3_000, 'x'), Buffer.alloc(2_000, 'y')]);
  const event = { body, cursor: undefined };
  for (const { client } of [one, two]) client.writeShared(BEFORE, event, AFTER);
  expect([events.bytes, one.client.sharedBytes, two.client.sharedBytes]).toEqual([5_000, 5_000, 5_000]);
  one.read();
  await turn();
  expect([events.bytes, one.client.sharedBytes, two.client.sharedBytes]).toEqual([5_000, 0, 5_000]);
  two.read();
  await turn();
  expect([events.bytes, two.client.sharedBytes]).toEqual([0, 0]);
  expect(two.received()).toBe(`<${Buffer.concat(body.chunks)}>`);
});

test('an event in the buffer of a client that disconnects is released, also when it is written afterwards', async () => {
  const events = new QueuedEvents();
  const { stream, client } = createClient(events);
  stream.on('error', () => {});
  const event = { body: new EncodedBody([Buffer.alloc(5_000)]), cursor: undefined };
  client.writeShared(BEFORE, event, AFTER);
  client.writeShared(BEFORE, event, AFTER);
  expect([events.bytes, client.sharedBytes]).toEqual([5_000, 10_000]);
  stream.destroy();
  client.writeShared(BEFORE, event, AFTER);
  await turn();
  expect([events.bytes, client.sharedBytes]).toEqual([0, 0]);
});

test('client stream is full from 64 KiB in its buffer on', () => {
  const { stream, client } = createClient(new QueuedEvents());
  stream.write(Buffer.alloc(64 * 1024 - 1));
  expect(client.isFull()).toBe(false);
  stream.write(Buffer.alloc(1));
  expect(client.isFull()).toBe(true);
});
