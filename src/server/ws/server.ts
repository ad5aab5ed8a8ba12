import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, handleProtocols, MessageType, parseMessage, type SubscribeMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { asGraphQLError, logFailures } from '../../graphql/format-error.ts';
import { GraphError } from '../../lib/errors.ts';
import { parseTraceContext } from '../../lib/trace-context.ts';
import { OperationRun } from '../../operation/operation-runner.ts';
import { formatRequestErrors } from '../../operation/response.ts';
import { MAX_BODY_BYTES } from '../app.ts';
import { type CallerRequest, onExpiry } from '../callers/caller-reader.ts';
import { peerAddressOf } from '../clients/client-address.ts';
import type { ServerContext } from '../context.ts';
import { graphRequestOf, isCostRequested } from '../requests/request-options.ts';
import { ClientConnection, SocketOperation } from './client-connection.ts';

/** A close reason has at most 123 bytes; the messages are ASCII. */
const MAX_REASON_CHARS = 123;

/** Maximum length of an operation id, which every message of the operation repeats; ids of common clients have about 40 characters. */
const MAX_OPERATION_ID_LENGTH = 128;

/** Creates the server of WebSockets with the subprotocol graphql-transport-ws. */
export function createWebSocketServer(context: ServerContext): WebSocketServer {
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_BODY_BYTES,
    closeTimeout: context.timing.closeTimeoutMs,
    // A client may send an operation directly after `connection_init`, whose caller is known some microtasks later.
    allowSynchronousEvents: false,
    handleProtocols: (protocols: Set<string>) => handleProtocols(protocols),
  };
  const sockets = new WebSocketServer(options);
  sockets.on('connection', (socket: WebSocket, stream: Socket, headers: IncomingHttpHeaders) =>
    serveConnection(context, socket, stream, headers),
  );
  return sockets;
}

/** Processes the messages of one connection. */
function serveConnection(context: ServerContext, socket: WebSocket, stream: Socket, headers: IncomingHttpHeaders): void {
  const { pipeline, requestLimits, maxSubscriptions, clients, timing, log } = context;
  const clientAddress = context.addressOf(stream, headers);
  const rateLimitAddress = clientAddress ?? peerAddressOf(stream);
  const showsCost = isCostRequested(headers);
  const connection = new ClientConnection(socket, stream, context.sharedEvents, clientAddress);
  // Released after its only use: the closure lives as long as the connection.
  let init: CallerRequest | undefined = { headers, remoteAddress: stream.remoteAddress };
  let isAcknowledged = false;
  const initTimer = setTimeout(() => connection.close(4408), timing.initTimeoutMs);

  const acknowledge = async (connectionParams: CallerRequest['connectionParams']): Promise<void> => {
    if (!init) return void connection.close(4429);
    clearTimeout(initTimer);
    const request = { ...init, connectionParams };
    init = undefined;
    try {
      connection.caller = await context.callerOf(request);
    } catch (error) {
      if (!(error instanceof GraphError)) logFailures(log, [asGraphQLError(error)], randomUUID());
      const reason = error instanceof GraphError ? error.message.slice(0, MAX_REASON_CHARS) : undefined;
      // A client reconnects after 4500, and not after 4403.
      return void connection.close(error instanceof GraphError && error.code === 'UNAUTHENTICATED' ? 4403 : 4500, reason);
    }
    // The client may have disconnected while the keys that verify tokens were read.
    if (!connection.isOpen) return;
    socket.once(
      'close',
      onExpiry(connection.caller, () => connection.close(4403)),
    );
    isAcknowledged = true;
    connection.send({ type: MessageType.ConnectionAck });
  };

  const subscribe = ({ id, payload }: SubscribeMessage): void => {
    if (id.length > MAX_OPERATION_ID_LENGTH)
      return void connection.close(4400, `Invalid operation id. Send at most ${MAX_OPERATION_ID_LENGTH} characters.`);
    if (!isAcknowledged) return void connection.close(4401);
    if (connection.operations.has(id)) return void connection.close(4409);
    const { caller } = connection;
    const requestId = randomUUID();
    let rateLimitKey: string | undefined;
    try {
      if (connection.operations.size >= maxSubscriptions) throw operationLimitError(maxSubscriptions);
      rateLimitKey = requestLimits?.check(caller, rateLimitAddress);
    } catch (error) {
      return void connection.endOperation(id, formatRequestErrors([asGraphQLError(error)], requestId));
    }
    const request = graphRequestOf(payload);
    // A message has no headers, so clients pass `traceparent` and `tracestate` in `extensions`.
    const trace = parseTraceContext({ ...payload.extensions });
    const origin = { transport: 'ws', receivedAt: performance.now(), trace, rateLimitKey } as const;
    const options = { requestId, origin, caller, showsCost, connection };
    const operation = new SocketOperation(connection, id);
    const run = new OperationRun(context, () => pipeline.preparer.prepare(request, options), operation, options);
    if (!operation.hasEnded) connection.operations.set(id, run);
  };

  const handleMessage = (message: ReturnType<typeof parseMessage>): void => {
    if (message.type === MessageType.ConnectionInit) void acknowledge(message.payload ?? undefined);
    else if (message.type === MessageType.Subscribe) subscribe(message);
    else if (message.type === MessageType.Complete) connection.stopOperation(message.id);
    else if (message.type === MessageType.Ping) connection.sendPong();
    else if (message.type !== MessageType.Pong) connection.close(4400);
  };

  context.connections.setBuffers(stream, connection);
  clients.add(connection);
  socket.on('message', (data) => {
    if (!connection.acceptMessage()) return;
    let message: ReturnType<typeof parseMessage>;
    try {
      message = parseMessage(String(data));
    } catch {
      return void connection.close(4400);
    }
    handleMessage(message);
  });
  socket.once('close', () => {
    clearTimeout(initTimer);
    clients.remove(connection);
    connection.stopOperations();
  });
  if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) connection.close(4406);
}

const operationLimitError = (limit: number): GraphError =>
  new GraphError(
    'TOO_MANY_SUBSCRIPTIONS',
    `The connection has reached its limit of ${limit} running operations (MAX_SUBSCRIPTIONS). Complete one first.`,
    { limit, actual: limit + 1, setting: 'MAX_SUBSCRIPTIONS' },
  );
