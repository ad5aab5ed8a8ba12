import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { GraphQLError } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { asGraphQLError, logFailures } from '../../graphql/format-error.ts';
import { GraphError } from '../../lib/errors.ts';
import { parseTraceContext, type TraceContext } from '../../lib/trace-context.ts';
import type { Caller } from '../../operation/operation.ts';
import type { GraphRequest, PreparedOperation } from '../../operation/prepare.ts';
import { formatRequestErrors } from '../../operation/response.ts';
import { MAX_BODY_BYTES } from '../app.ts';
import { type CallerRequest, onExpiry } from '../callers/caller-reader.ts';
import { peerAddressOf } from '../clients/client-address.ts';
import type { ServerContext } from '../context.ts';
import { isCostRequested } from '../requests/request-options.ts';
import { ClientConnection } from './client-connection.ts';
import { InvalidMessageError, parseClientMessage } from './messages.ts';
import { OperationEndedError, SocketOperation } from './socket-operation.ts';

/** The `extra` of a graphql-ws context. */
interface ConnectionContext {
  readonly connection: ClientConnection;
  /** Resolves with the caller, by the credentials in `connection_init` or in the headers. */
  readonly identify: () => Promise<Caller | undefined>;
  /** Requests of `subscribe` messages until `onSubscribe` takes them, by operation id. */
  readonly requests: Map<string, GraphRequest>;
}

/** A close reason has at most 123 bytes; the messages are ASCII. */
const MAX_REASON_CHARS = 123;

/** Creates the graphql-transport-ws server: graphql-ws implements the protocol, and `run` executes the operations. */
export function createWebSocketServer(context: ServerContext): WebSocketServer {
  const { schema, pipeline, requestLimits, maxSubscriptions, timing, log } = context;
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_BODY_BYTES,
    closeTimeout: timing.closeTimeoutMs,
    // graphql-ws deletes a completed id after the end of its iteration, which would end a new operation of the same tick and id.
    allowSynchronousEvents: false,
    handleProtocols: (protocols: Set<string>) => handleProtocols(protocols),
  };
  const sockets = new WebSocketServer(options);
  const protocol = makeServer<Record<string, unknown>, ConnectionContext>({
    connectionInitWaitTimeout: timing.initTimeoutMs,
    async onConnect({ extra: { connection, identify } }) {
      try {
        connection.caller = await identify();
        return true;
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        // A client reconnects after 4500, and not after 4403.
        connection.close(error.code === 'UNAUTHENTICATED' ? 4403 : 4500, error.message.slice(0, MAX_REASON_CHARS));
        return false;
      }
    },
    onSubscribe({ extra: { connection, requests } }, id) {
      const request = requests.get(id)!;
      requests.delete(id);
      if (!connection.isOpen || connection.operations.size >= maxSubscriptions)
        return [asGraphQLError(operationLimitError(maxSubscriptions))];
      const { caller, showsCost } = connection;
      let rateLimitKey: string | undefined;
      try {
        rateLimitKey = requestLimits.check(caller, connection.rateLimitAddress);
      } catch (error) {
        return [asGraphQLError(error)];
      }
      const origin = { transport: 'ws', receivedAt: performance.now(), trace: traceOf(request), rateLimitKey } as const;
      const options = { requestId: randomUUID(), origin, caller, showsCost, connection };
      let prepared: PreparedOperation;
      try {
        prepared = pipeline.preparer.prepare(request, options);
      } catch (error) {
        const errors = pipeline.reject(error, options);
        return [new GraphQLError('', { originalError: new OperationEndedError(errors) })];
      }
      const start = (operation: SocketOperation) => context.run(() => prepared, operation, options);
      return {
        schema,
        document: prepared.document,
        operationName: prepared.operation.name?.value,
        variableValues: prepared.variableValues,
        contextValue: new SocketOperation(connection, id, start),
      };
    },
    execute: ({ contextValue }) => contextValue as SocketOperation,
    subscribe: ({ contextValue }) => contextValue as SocketOperation,
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
    const connection = new ClientConnection(socket, stream, context.sharedEvents, {
      showsCost: isCostRequested(headers),
      clientAddress: context.addressOf(stream, headers),
      peerAddress: peerAddressOf(stream),
    });
    // Released after its only use: the closure lives as long as the connection.
    let init: CallerRequest | undefined = { headers, remoteAddress: stream.remoteAddress };
    const identify: ConnectionContext['identify'] = async () => {
      const request = init!;
      init = undefined;
      const caller = await context.callerOf(request);
      // The client may have disconnected while the keys that verify tokens were read.
      if (!connection.isOpen) return undefined;
      const cancelExpiry = onExpiry(caller, () => connection.close(4403));
      socket.once('close', cancelExpiry);
      return caller;
    };
    context.connections.setBuffers(stream, connection);
    const requests: ConnectionContext['requests'] = new Map();
    context.clients.add(connection);
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
              const { text, subscribe, connectionParams } = parseClientMessage(String(data));
              if (connectionParams && init) init = { ...init, connectionParams };
              if (subscribe) requests.set(subscribe.id, subscribe.request);
              handleText(text).catch((error) => closeWithError(connection, error));
            } catch (error) {
              closeWithError(connection, error);
            }
          });
        },
      },
      { connection, identify, requests },
    );
    socket.once('close', (code, reason) => {
      context.clients.remove(connection);
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
