import { makeExecutableSchema } from '@graphql-tools/schema';
import { expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { Operation } from '../../../../src/operation/operation.ts';
import { cleanups } from '../../../support/cleanups.ts';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import { startToyServer } from '../../../support/graph/toy-server.ts';

test('the calls of a subscription that fails to start count for RATE_LIMIT_COST', async () => {
  const schema = makeExecutableSchema({
    typeDefs: 'type Query { a: Int } type Subscription { refused: Int }',
    resolvers: {
      Subscription: {
        refused: {
          subscribe(_root: unknown, _args: unknown, { operation }: { operation: Operation }) {
            operation.budget!.addCost(50);
            throw new GraphError('CURSOR_EXPIRED', 'The cursor has expired.');
          },
        },
      },
    },
  });
  const toy = await startToyServer({ schema, rateLimits: { costPerMinute: 40 } });
  const socket = await RawSocket.connect(toy.url);
  cleanups.push(() => socket.close());
  const codeOf = async (id: string) => {
    socket.subscribe(id, 'subscription { refused }');
    const { payload } = await socket.waitForMessage((message) => message.id === id);
    return payload[0].extensions.code;
  };
  expect([await codeOf('1'), await codeOf('2')]).toEqual(['CURSOR_EXPIRED', 'RATE_LIMITED']);
});
