import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { type ExecutionArgs, getOperationAST } from 'graphql';
import * as graphqlWs from 'graphql-ws';
import { RawSocket } from '../../../support/clients/raw-socket.ts';
import type { ToyServer } from '../../../support/graph/toy-server.ts';

/** What the hooks of graphql-ws receive. */
const operations: object[] = [];
const errorCodes: unknown[] = [];

jest.unstable_mockModule('graphql-ws', () => ({
  ...graphqlWs,
  makeServer: (options: graphqlWs.ServerOptions) =>
    graphqlWs.makeServer({
      ...options,
      onOperation(_context, id, _payload, args: ExecutionArgs) {
        const type = getOperationAST(args.document, args.operationName)?.operation;
        const { document, operationName, variableValues: variables } = args;
        operations.push({ id, type, operationName, document: document.loc?.source.body, variables });
      },
      async onError(...args) {
        const sent = await options.onError?.(...args);
        errorCodes.push(...(sent ?? []).map(({ extensions }) => extensions?.code));
        return sent;
      },
    }),
}));

const { startToyServer } = await import('../../../support/graph/toy-server.ts');
let server: ToyServer;
let socket: RawSocket;
beforeAll(async () => {
  server = await startToyServer();
  socket = await RawSocket.connect(server.url);
});
beforeEach(() => {
  operations.length = 0;
  errorCodes.length = 0;
});

test.each([
  ['a query', 'query First { answer } query Second { answer }', 'Second', {}, 'query', {}],
  ['a mutation', 'mutation Raise { bump }', 'Raise', {}, 'mutation', {}],
  ['coerced variables', 'query Big($size: Int! = 2) { big(size: $size) }', 'Big', { unused: 1 }, 'query', { size: 2 }],
])('hooks of graphql-ws see the document and the operation of %s', async (id, query, operationName, variables, type, coerced) => {
  socket.send({ id, type: 'subscribe', payload: { query, operationName, variables } });
  await socket.waitForMessage((message) => message.id === id && message.type === 'complete');
  expect(operations).toEqual([{ id, type, operationName, document: query, variables: coerced }]);
  expect(errorCodes).toEqual([]);
});

test.each([
  ['a document that cannot be parsed', '{ answer', 'GRAPHQL_PARSE_FAILED', 0],
  ['an unknown field', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED', 0],
  ['a subscription whose resolver fails', 'subscription { refused { n } }', 'BAD_USER_INPUT', 1],
])('hooks of graphql-ws see the error of %s', async (id, query, code, count) => {
  socket.subscribe(id, query);
  const { payload } = await socket.waitForMessage((message) => message.id === id && message.type === 'error');
  expect(errorCodes).toEqual([code]);
  expect(payload).toMatchObject([{ extensions: { code, requestId: expect.any(String) } }]);
  expect(operations).toHaveLength(count);
});
