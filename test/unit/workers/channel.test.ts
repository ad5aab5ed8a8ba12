import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import { Channel } from '../../../src/workers/channel.ts';

type Handlers = { double(n: number): Promise<number>; fail(isKnown: boolean): void; note(text: string): void };

/** Two ends of a connection, whose messages are JSON, and the messages that were sent. */
function connect() {
  const sent: unknown[] = [];
  const [left, right] = [new EventEmitter(), new EventEmitter()];
  const sendTo = (target: EventEmitter) => (message: unknown) => {
    sent.push(message);
    target.emit('message', JSON.parse(JSON.stringify(message)));
  };
  const notes: string[] = [];
  const handlers: Handlers = {
    double: async (n) => 2 * n,
    fail(isKnown) {
      throw isKnown ? new GraphError('RATE_LIMITED', 'Too fast.', { limit: 5, endpoint: 'http://node' }) : new Error('secret');
    },
    note: (text) => void notes.push(text),
  };
  const remote = new Channel<Handlers>(Object.assign(right, { send: sendTo(left) }), handlers);
  return { channel: new Channel<Handlers>(Object.assign(left, { send: sendTo(right) }), {}), remote, sent, notes };
}

test('the calls of a turn are one message, and their results arrive with their calls', async () => {
  const { channel, sent, notes } = connect();
  channel.send('note', 'first');
  expect(await Promise.all([channel.request('double', 1), channel.request('double', 4)])).toEqual([2, 8]);
  expect(sent).toHaveLength(2);
  expect(notes).toEqual(['first']);
});

test('an expected error keeps its code and its details, and an unexpected one says nothing about its cause', async () => {
  const { channel } = connect();
  const failure = await channel.request('fail', true).catch((error: unknown) => error as GraphError);
  expect(failure).toBeInstanceOf(GraphError);
  expect(failure).toMatchObject({ code: 'RATE_LIMITED', message: 'Too fast.', endpoint: 'http://node' });
  expect((failure as GraphError).extensions).toMatchObject({ limit: 5, retryable: true });
  await expect(channel.request('fail', false)).rejects.toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Another process has failed.',
  });
});

test('calls end with the error of a closed connection, and later calls too', async () => {
  const { channel, sent } = connect();
  const open = channel.request('double', 1);
  channel.close(new GraphError('SHUTTING_DOWN', 'Closed.'));
  await expect(open).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await expect(channel.request('double', 1)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  channel.send('note', 'late');
  expect(sent).toEqual([]);
});

test('a process that has ended changes nothing with messages that arrive late', async () => {
  const { channel, remote, notes } = connect();
  channel.send('note', 'late');
  remote.close(new GraphError('SHUTTING_DOWN', 'Closed.'));
  await new Promise(setImmediate);
  expect(notes).toEqual([]);
});
