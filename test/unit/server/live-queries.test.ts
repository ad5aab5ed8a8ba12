import { makeExecutableSchema } from '@graphql-tools/schema';
import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import type { Head } from '../../../src/sync/feed.ts';
import { RawSocket } from '../../support/clients/raw-socket.ts';
import { startToyServer } from '../../support/graph/toy-server.ts';
import { UNSYNCED_FOLLOWER } from '../../support/graph/unsynced-follower.ts';

const schema = makeExecutableSchema({
  typeDefs: 'directive @live on QUERY\n type Query { answer: Int }',
  resolvers: { Query: { answer: () => 42 } },
});

test('live queries end with the error that has ended the follower, whether they start before or after it', async () => {
  let fail!: (error: GraphError) => void;
  const ended = new Promise<GraphError>((resolve) => {
    fail = resolve;
  });
  const { url } = await startToyServer({ schema, follower: { ...UNSYNCED_FOLLOWER, ended } });
  const socket = await RawSocket.connect(url);
  socket.subscribe('before', 'query @live { answer }');
  await socket.waitForResults('before', 1);
  fail(new GraphError('UPSTREAM_CHAIN_CHANGED', 'Another chain.'));
  const codeOf = async (id: string) => (await socket.waitForEnd(id)).payload[0].extensions.code;
  expect(await codeOf('before')).toBe('UPSTREAM_CHAIN_CHANGED');
  socket.subscribe('after', 'query @live { answer }');
  expect(await codeOf('after')).toBe('UPSTREAM_CHAIN_CHANGED');
  socket.close();
});

test('a live query whose block a reorg removes before its execution has no response to other variables', async () => {
  const texts = makeExecutableSchema({
    typeDefs: 'directive @live on QUERY\n type Query { text(of: String): String }',
    resolvers: { Query: { text: (_root: unknown, { of }: { of: string }) => of.repeat(5_000) } },
  });
  const headOf = (hash: string) => ({ hash, number: '0x5', height: 5, parentHash: '0x4' }) as Head;
  let head = headOf('0xa');
  let isFollowed = false;
  const replaceHead = () => {
    head = headOf('0xb');
  };
  const follower = {
    ...UNSYNCED_FOLLOWER,
    get head() {
      const now = head;
      // The reorg comes after the event was created.
      if (isFollowed) queueMicrotask(replaceHead);
      return now;
    },
    get window() {
      return [head];
    },
    onFreshHead() {
      isFollowed = true;
      return () => {};
    },
  };
  const stored = new Map<string, unknown>();
  const responseCache = {
    scopeOf: ({ block, head: own }: { block?: unknown; head?: Head }) => (block === undefined ? (own ?? head).hash : undefined),
    get: (key: string) => stored.get(key),
    set: (key: string, value: unknown) => void stored.set(key, value),
  };
  const { url } = await startToyServer({ schema: texts, follower, responseCache } as never);
  const socket = await RawSocket.connect(url);
  for (const name of ['x', 'y']) {
    [head, isFollowed] = [headOf('0xa'), false];
    socket.subscribe(name, 'query ($of: String) @live { text(of: $of) }', { of: name });
    const [result] = await socket.waitForResults(name, 1);
    expect(result.data.text[0]).toBe(name);
  }
  socket.close();
});
