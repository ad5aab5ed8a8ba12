import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type GraphQLSchema, parse } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { GraphError } from '../../errors.ts';
import { asGraphQLError, type FailureLog, logFailures } from '../../graphql/pipeline/failure-log.ts';
import type { OperationRunner } from '../../graphql/pipeline/operation-runner.ts';
import type { GraphRequest } from '../../graphql/pipeline/prepare.ts';
import { formatRequestErrors } from '../../graphql/pipeline/response.ts';
import type { QueuedEvents } from '../../graphql/subscriptions/backpressure.ts';
import { parseTraceContext, type TraceContext } from '../../trace-context.ts';
import type { ClientAddressReader } from '../clients/client-address.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import type { Connections } from '../clients/connections.ts';
import { isCostRequested } from '../requests/request-options.ts';
import { ClientConnection } from './client-connection.ts';
import { InvalidMessageError, parseClientMessage } from './messages.ts';
import { OperationEndedError, SocketOperation } from './socket-operation.ts';

export interface WebSocketServerOptions {
  readonly schema: GraphQLSchema;
  readonly run: OperationRunner;
  readonly clients: ClientRegistry;
  readonly addressOf: ClientAddressReader;
  readonly connections: Connections;
  readonly sharedEvents: QueuedEvents;
  /** Maximum number of running operations on one WebSocket. */
  readonly maxSubscriptions: number;
  /** Maximum size of a message in bytes. */
  readonly maxPayload: number;
  readonly timing: ConnectionTiming;
  readonly log: FailureLog;
}

/** The `extra` of a graphql-ws context. */
interface ConnectionContext {
  readonly connection: ClientConnection;
  /** Requests of `subscribe` messages until `onSubscribe` takes them, by operation id. */
  readonly requests: Map<string, GraphRequest>;
}

/** Document for graphql-ws, which uses only the type of its operation: `execute` returns a SocketOperation. */
const PLACEHOLDER_DOCUMENT = parse('{ __typename }');

/** Creates the graphql-transport-ws server: graphql-ws implements the protocol, and `run` executes the operations. */
export function createWebSocketServer({
  schema,
  run,
  clients,
  addressOf,
  connections,
  sharedEvents,
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
    // graphql-ws deletes a completed id after the end of its iteration, which would end a new operation of the same tick and id.
    allowSynchronousEvents: false,
    handleProtocols: (protocols: Set<string>) => handleProtocols(protocols),
  };
  const sockets = new WebSocketServer(options);
  const protocol = makeServer<Record<string, unknown>, ConnectionContext>({
    connectionInitWaitTimeout: timing.initTimeoutMs,
    onSubscribe({ extra: { connection, requests } }, id) {
      const request = requests.get(id)!;
      requests.delete(id);
      if (!connection.isOpen || connection.operations.size >= maxSubscriptions)
        return [asGraphQLError(operationLimitError(maxSubscriptions))];
      const origin = { transport: 'ws', receivedAt: performance.now(), trace: traceOf(request) } as const;
      const start = (operation: SocketOperation) =>
        run(request, operation, { requestId: randomUUID(), origin, showsCost: connection.showsCost, connection });
      return { schema, document: PLACEHOLDER_DOCUMENT, contextValue: new SocketOperation(connection, id, start) };
    },
    execute: ({ contextValue }) => contextValue as SocketOperation,
    onError(_context, _id, _payload, errors) {
      const cause = errors[0]?.originalError;
      return cause instanceof OperationEndedError ? cause.errors : formatRequestErrors(errors, randomUUID());
    },
  });
  const closeWithError = (connection: ClientConnection, error: unknown): void => {
    if (error instanceof InvalidMessageError) connection.close(4400, error.message || undefined);
    else {
      logFailures(log, [asGraphQLError(error)], randomUUID());
      connection.close(4500);
    }
  };
  sockets.on('connection', (socket: WebSocket, stream: Socket, headers: IncomingHttpHeaders) => {
    const connection = new ClientConnection(socket, stream, sharedEvents, {
      showsCost: isCostRequested(headers),
      clientAddress: addressOf(stream, headers),
    });
    connections.setBuffers(stream, connection);
    const requests: ConnectionContext['requests'] = new Map();
    clients.add(connection);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => connection.send(text),
        close: (code = 4500) => connection.close(code),
        onPing: () => void (connection.isFull() || connection.send('{"type":"pong"}')),
        onMessage: (handleText) => {
          socket.on('message', (data) => {
            if (!connection.acceptMessage()) return;
            try {
              const { text, subscribe } = parseClientMessage(String(data));
              if (subscribe) requests.set(subscribe.id, subscribe.request);
              handleText(text).catch((error) => closeWithError(connection, error));
            } catch (error) {
              closeWithError(connection, error);
            }
          });
        },
      },
      { connection, requests },
    );
    socket.once('close', (code, reason) => {
      clients.remove(connection);
      connection.stopOperations();
      void closed(code, String(reason));
    });
  });
  return sockets;
}

/** A message has no headers, so clients pass `traceparent` and `tracestate` in `extensions`. */
const traceOf = ({ extensions }: GraphRequest): TraceContext | undefined =>
  typeof extensions === 'object' && extensions !== null ? parseTraceContext({ ...extensions }) : undefined;

const operationLimitError = (limit: number): GraphError =>
  new GraphError(
    'TOO_MANY_SUBSCRIPTIONS',
    `The connection has reached its limit of ${limit} running operations (MAX_SUBSCRIPTIONS). Complete one first.`,
    { limit, actual: limit + 1, setting: 'MAX_SUBSCRIPTIONS' },
  );
