import { beforeEach, expect, test } from '@jest/globals';
import { ResultDirectory } from '../../../src/workers/result-directory.ts';

/** The messages to each worker, in order. */
let sent: string[];
let workers: Map<number, { send(...message: unknown[]): void }>;
let directory: ResultDirectory;

beforeEach(() => {
  sent = [];
  const channelOf = (id: number) => ({ send: (...message: unknown[]) => void sent.push(`${id}: ${message.join(' ')}`) });
  workers = new Map([1, 2, 3].map((id) => [id, channelOf(id)]));
  directory = new ResultDirectory(workers as never);
});

const end = (worker: number): void => {
  workers.delete(worker);
  directory.remove(worker);
};

test('the first worker sends a call, and passes its result to the others that need it', () => {
  expect(directory.claim(1, ['a', 'b'])).toEqual([]);
  expect(directory.claim(2, ['a', 'c'])).toEqual(['a']);
  expect(directory.claim(3, ['a'])).toEqual(['a']);
  expect(sent).toEqual(['1: want a']);
  directory.pass(1, 'a', 'result');
  expect(sent.slice(1)).toEqual(['2: result a result', '3: result a result']);
  // The result is still there for a later call.
  expect(directory.claim(3, ['a'])).toEqual(['a']);
  expect(sent.slice(3)).toEqual(['1: want a']);
});

test('a worker whose cache has evicted a result sends the call again itself', () => {
  directory.claim(1, ['a']);
  expect(directory.claim(1, ['a'])).toEqual([]);
});

test('a worker without a result leaves the call to the first waiting worker', () => {
  directory.claim(1, ['a']);
  directory.claim(2, ['a']);
  directory.claim(3, ['a']);
  directory.pass(1, 'a', undefined);
  expect(sent.slice(1)).toEqual(['2: result a ', '3: result a ']);
  expect(directory.claim(2, ['a'])).toEqual([]);
  expect(directory.claim(3, ['a'])).toEqual(['a']);
});

test('a released call belongs to no worker', () => {
  directory.claim(1, ['a']);
  directory.release(2, 'a');
  expect(directory.claim(2, ['a'])).toEqual(['a']);
  directory.release(1, 'a');
  expect(directory.claim(3, ['a'])).toEqual([]);
});

test('a result that a worker knows from another call is found, unless another worker has it', () => {
  directory.claim(1, ['a']);
  directory.addCached(2, ['a', 'b']);
  directory.claim(3, ['a', 'b']);
  expect(sent).toEqual(['1: want a', '2: want b']);
});

test('workers that wait for a worker that has ended send the call', () => {
  directory.claim(1, ['a']);
  directory.claim(2, ['a']);
  end(1);
  expect(sent).toEqual(['1: want a', '2: result a ']);
  expect(directory.claim(2, ['a'])).toEqual([]);
});

test('a worker that has ended receives no result', () => {
  directory.claim(1, ['a']);
  directory.claim(2, ['a']);
  end(2);
  directory.pass(1, 'a', 'result');
  expect(sent).toEqual(['1: want a']);
});
