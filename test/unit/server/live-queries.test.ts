import { makeExecutableSchema } from '@graphql-tools/schema';
import { expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
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
