import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { GraphError } from '../../errors.ts';
import { type GraphRequest, wrapGraphError } from '../../graphql/pipeline/documents.ts';
import { asGraphQLError, type FailureLog, logFailures } from '../../graphql/pipeline/failure-log.ts';
import { isCostRequested } from '../../graphql/pipeline/operation-registry.ts';
import type { OperationRunner } from '../../graphql/pipeline/operation-runner.ts';
import { formatRequestErrors } from '../../graphql/pipeline/response.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import { ClientConnection } from './client-connection.ts';
import { OperationEndedError, SocketOperation } from './socket-operation.ts';

export interface WebSocketServerOptions {
  readonly schema: GraphQLSchema;
  readonly run: OperationRunner;
  readonly clients: ClientRegistry;
  /** Operations at a time on one socket. */
  readonly maxSubscriptions: number;
  /** Bytes in one message. */
  readonly maxPayload: number;
  readonly timing: ConnectionTiming;
  readonly log: FailureLog;
}

/** Ids come back in every message; those of clients have some forty characters. */
const MAX_OPERATION_ID_LENGTH = 128;
/** What graphql-ws is told that it runs. It looks at nothing but the kind of operation, and would keep the document. */
const PLACEHOLDER_DOCUMENT = parse('{ __typename }');

/** What graphql-ws says of a message that is for servers to send. */
const UNEXPECTED_MESSAGE = /^Unexpected message of type /;

/** Speaks graphql-transport-ws: graphql-ws knows the protocol, and our own runner does what is asked for. */
export function createWebSocketServer({
  schema,
  run,
  clients,
  maxSubscriptions,
  maxPayload,
  timing,
  log,
}: WebSocketServerOptions): WebSocketServer {
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload,
    closeTimeout: timing.closeTimeoutMs,
    // In one tick, graphql-ws takes what comes behind the end of an operation with the same id for that operation's.
    allowSynchronousEvents: false,
    handleProtocols: (protocols: Set<string>) => handleProtocols(protocols),
  };
  const sockets = new WebSocketServer(options);
  const protocol = makeServer<Record<string, unknown>, ClientConnection>({
    connectionInitWaitTimeout: timing.initTimeoutMs,
    onConnect(context) {
      // As long as a message may be, and of no use here.
      delete (context as { connectionParams?: unknown }).connectionParams;
    },
    onSubscribe({ extra: connection }, id, payload) {
      const request = takeGraphRequest(payload);
      if (id.length > MAX_OPERATION_ID_LENGTH)
        connection.close(4400, `The id of an operation has at most ${MAX_OPERATION_ID_LENGTH} characters.`);
      if (!connection.isOpen || connection.operations.size >= maxSubscriptions) return [tooManySubscriptions(maxSubscriptions)];
      const begin = (operation: SocketOperation) =>
        run(request, operation, { requestId: randomUUID(), showsCost: connection.showsCost });
      return { schema, document: PLACEHOLDER_DOCUMENT, contextValue: new SocketOperation(connection, id, begin) };
    },
    execute: ({ contextValue }) => contextValue as SocketOperation,
    onError(_context, _id, _payload, errors) {
      const reason = errors[0]?.originalError;
      return reason instanceof OperationEndedError ? reason.errors : formatRequestErrors(errors, randomUUID());
    },
  });
  sockets.on('connection', (socket: WebSocket, stream: Duplex, headers: IncomingHttpHeaders) => {
    const connection = new ClientConnection(socket, stream, timing, isCostRequested({ headers }));
    clients.add(connection);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => connection.send(text),
        close: (code = 4500) => connection.close(code),
        onPing: () => void (connection.isFull() || connection.send('{"type":"pong"}')),
        onMessage: (take) => {
          socket.on('message', (data) => {
            if (!connection.acceptMessage()) return;
            take(parseMessage(String(data))).catch((error) => {
              if (UNEXPECTED_MESSAGE.test(error.message)) return connection.close(4400);
              logFailures(log, [asGraphQLError(error)], randomUUID());
              connection.close(4500);
            });
          });
        },
      },
      connection,
    );
    socket.once('close', (code, reason) => {
      clients.remove(connection);
      connection.stopOperations();
      void closed(code, String(reason));
    });
  });
  return sockets;
}

/**
 * A message with nothing in it but what there is in messages. graphql-ws takes a text or what it says, and keeps what it is given as long as
 * the operation runs. It refuses undefined as it does what is no JSON.
 */
function parseMessage(text: string): string {
  try {
    const { id, type, payload } = JSON.parse(text);
    return { id, type, payload } as unknown as string;
  } catch {
    return undefined as unknown as string;
  }
}

/** What a message asks for; what is kept of the message has no document then, of any length. */
function takeGraphRequest(payload: SubscribePayload): GraphRequest {
  const { query, operationName, variables, extensions } = payload;
  for (const key of Object.keys(payload)) delete (payload as unknown as Record<string, unknown>)[key];
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
}

const tooManySubscriptions = (limit: number): GraphQLError =>
  wrapGraphError(
    new GraphError('TOO_MANY_SUBSCRIPTIONS', `A connection runs at most ${limit} operations at a time (MAX_SUBSCRIPTIONS).`, {
      limit,
    }),
  );
