import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { handleProtocols, type Message, MessageType, makeServer, parseMessage, type SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { asGraphQLError, logFailures } from '../../graphql/format-error.ts';
import { GraphError } from '../../lib/errors.ts';
import { parseTraceContext } from '../../lib/trace-context.ts';
import { OperationRun } from '../../operation/operation-runner.ts';
import { formatRequestErrors } from '../../operation/response.ts';
import { MAX_BODY_BYTES } from '../app.ts';
import type { CallerRequest } from '../callers/caller-reader.ts';
import { subscribingClient } from '../callers/rate-limits.ts';
import { peerAddressOf } from '../clients/client-address.ts';
import type { ServerContext } from '../context.ts';
import { graphRequestOf, isCostRequested } from '../requests/request-options.ts';
import { ClientConnection } from './client-connection.ts';
import { forwardedHeadersOf } from './sender.ts';
import { OperationEndedError, SocketOperation } from './socket-operation.ts';

/** A close reason has at most 123 bytes. */
const MAX_REASON_CHARS = 123;

/** Maximum length of an operation id, which every message of the operation repeats; ids of common clients have about 40 characters. */
const MAX_OPERATION_ID_LENGTH = 128;

/** The `extra` of a context of graphql-ws. */
interface ConnectionContext {
  readonly connection: ClientConnection;
  readonly showsCost: boolean;
  readonly peer: Pick<Socket, 'remoteAddress'>;
  readonly rateLimitAddress: string;
  /** The request that opened the connection; undefined after `connection_init`, so that its headers are not retained. */
  request: CallerRequest | undefined;
  /** Closes the connection; undefined after `connection_init`. */
  initTimer: NodeJS.Timeout | undefined;
}

/** Creates the server of WebSockets: graphql-ws implements the subprotocol graphql-transport-ws, and `run` executes the operations. */
export function createWebSocketServer(context: ServerContext): WebSocketServer {
  const { schema, pipeline, requestLimits, maxSubscriptions, clients, timing, rejections, log } = context;
  const options = {
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_BODY_BYTES,
    closeTimeout: timing.closeTimeoutMs,
    // graphql-ws deletes the id of an ended operation in a later microtask, which would end an operation that reuses
    // this id in the current packet.
    allowSynchronousEvents: false,
    handleProtocols: (protocols: Set<string>) => handleProtocols(protocols),
  };
  const sockets = new WebSocketServer(options);
  const protocol = makeServer<Record<string, unknown>, ConnectionContext>({
    // The timer below is released with `connection_init`; graphql-ws retains its own while the connection is open.
    connectionInitWaitTimeout: 0,
    async onConnect(socketContext) {
      const { connectionParams, extra } = socketContext;
      const { connection } = extra;
      clearTimeout(extra.initTimer);
      extra.initTimer = undefined;
      const request = { ...extra.request!, connectionParams };
      extra.request = undefined;
      // graphql-ws retains the context while the connection is open.
      Object.assign(socketContext, { connectionParams: undefined });
      try {
        connection.caller = await context.callerOf(request);
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        rejections.record(error.code, error.message, randomUUID());
        // Clients reconnect after code 4500, but not after code 4403.
        connection.close(
          error.code === 'UNAUTHENTICATED' ? 4403 : 4500,
          error.message.replace(/[^ -~]/g, '?').slice(0, MAX_REASON_CHARS),
        );
        return false;
      }
      connection.closeOnExpiry();
      return true;
    },
    async onSubscribe({ extra }, id, payload) {
      const { connection, showsCost, peer } = extra;
      let { caller } = connection;
      let client: string | undefined;
      let { rateLimitAddress } = extra;
      let request = graphRequestOf(payload);
      const forwarded = forwardedHeadersOf(request);
      // graphql-ws retains the message while the operation runs.
      Object.assign(payload, { query: '', variables: undefined, extensions: undefined });
      // As one flat string: Node concatenates the parts of a UUID, which would take 400 bytes while the operation runs.
      const requestId = Buffer.from(randomUUID(), 'latin1').toString('latin1');
      let rateLimitKey: string | undefined;
      let rejection: unknown;
      const endChecks = forwarded || requestLimits ? connection.beginChecks(id) : undefined;
      try {
        if (forwarded) {
          caller = await context.callerOf({ headers: forwarded, remoteAddress: peer.remoteAddress, openedBy: connection });
          // Another client would choose its address, and with it the limits that count its operations.
          const address = connection.isRouter ? context.addressOf(peer, forwarded) : connection.clientAddress;
          client = subscribingClient(caller, address);
          rateLimitAddress = address ?? peerAddressOf(peer);
        }
        if (requestLimits) rateLimitKey = await requestLimits.check(caller, rateLimitAddress);
        request = pipeline.preparer.trusted.withText(request);
      } catch (error) {
        rejection = error;
      }
      // Of a completed operation: graphql-ws would start it in place of one that reuses its id. Nothing else waits for this promise.
      if (endChecks?.() === false) return new Promise(() => {});
      if (rejection) {
        const { code, message } = rejection as GraphError;
        rejections.record(code, message, requestId);
        return [asGraphQLError(new OperationEndedError(formatRequestErrors([asGraphQLError(rejection)], requestId)))];
      }
      // A message has no headers, so clients send `traceparent` and `tracestate` in `extensions`.
      const trace = parseTraceContext({ ...(request.extensions as object | undefined) });
      const origin = { transport: 'ws', receivedAt: performance.now(), trace, app: caller?.app, rateLimitKey } as const;
      const options = { requestId, origin, caller, showsCost };
      try {
        const prepared = pipeline.preparer.prepare(request, options);
        const { document, operation, variableValues } = prepared;
        const start = (sink: SocketOperation) => {
          if (forwarded) sink.endOnExpiry(caller, requestId);
          const isAboveLimit = sink.sender.operationCount > maxSubscriptions;
          const checked = () => {
            if (isAboveLimit) throw operationLimitError(maxSubscriptions);
            return prepared;
          };
          return new OperationRun(context, checked, sink, { ...options, connection: sink.sender });
        };
        const contextValue = new SocketOperation(connection, id, client, start);
        return { schema, document, operationName: operation.name?.value, variableValues, contextValue };
      } catch (error) {
        return [asGraphQLError(new OperationEndedError(pipeline.reject(error, options)))];
      }
    },
    execute: ({ contextValue }) => contextValue as SocketOperation,
    subscribe: ({ contextValue }) => contextValue as SocketOperation,
    onError(_context, _id, _payload, errors) {
      const cause = errors[0]?.originalError;
      return cause instanceof OperationEndedError ? cause.errors : formatRequestErrors(errors, randomUUID());
    },
  });
  sockets.on('connection', (socket: WebSocket, stream: Socket, headers: IncomingHttpHeaders) => {
    const clientAddress = context.addressOf(stream, headers);
    const connection = new ClientConnection(
      socket,
      stream,
      context.sharedEvents,
      clientAddress,
      context.isRouter(stream, headers),
    );
    context.connections.setBuffers(stream, connection);
    clients.add(connection);
    const extra: ConnectionContext = {
      connection,
      initTimer: setTimeout(() => connection.close(4408), timing.initTimeoutMs),
      showsCost: isCostRequested(headers),
      peer: stream,
      rateLimitAddress: clientAddress ?? peerAddressOf(stream),
      request: { headers, remoteAddress: stream.remoteAddress },
    };
    const closed = protocol.opened(new ProtocolSocket(connection, socket, log), extra);
    socket.on('close', (code, reason) => {
      clearTimeout(extra.initTimer);
      clients.remove(connection);
      connection.stopOperations();
      void closed(code, String(reason));
    });
  });
  return sockets;
}

/** A connection as graphql-ws uses it. A class, because closures take 300 bytes for each connection. */
class ProtocolSocket {
  readonly #connection: ClientConnection;
  readonly #socket: WebSocket;
  readonly #log: Logger;

  constructor(connection: ClientConnection, socket: WebSocket, log: Logger) {
    this.#connection = connection;
    this.#socket = socket;
    this.#log = log;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(text: string): void {
    this.#connection.send(text);
  }

  close(code = 4500): void {
    this.#connection.close(code);
  }

  onPing(): void {
    this.#connection.sendPong();
  }

  onMessage(handleMessage: (message: string) => Promise<void>): void {
    this.#socket.on('message', (data) => {
      const message = this.#connection.acceptMessage() && parseClientMessage(this.#connection, String(data));
      if (!message) return;
      if (message.type === MessageType.Complete) this.#connection.cancelChecks(message.id);
      // graphql-ws accepts a parsed message, too. It would retain the text while the operation runs.
      handleMessage(message as unknown as string).catch((error) => {
        logFailures(this.#log, [asGraphQLError(error)], randomUUID());
        this.#connection.close(4500);
      });
    });
  }
}

/** The types of messages that only a server sends. */
const SERVER_MESSAGES: readonly MessageType[] = [MessageType.ConnectionAck, MessageType.Next, MessageType.Error];

/** Parses a message; closes the connection and returns undefined if a client may not send it. */
function parseClientMessage(connection: ClientConnection, text: string): Message | undefined {
  try {
    const message = parseMessage(text);
    if (message.type !== MessageType.Subscribe) {
      if (!SERVER_MESSAGES.includes(message.type)) return message;
    } else if (message.id.length <= MAX_OPERATION_ID_LENGTH) {
      // Drop unknown properties, because graphql-ws retains the message while the operation runs.
      return { id: message.id, type: message.type, payload: graphRequestOf(message.payload) as SubscribePayload };
    } else connection.close(4400, `Invalid operation id. Send at most ${MAX_OPERATION_ID_LENGTH} characters.`);
  } catch {}
  connection.close(4400);
  return undefined;
}

function operationLimitError(limit: number): GraphError {
  const message = `The client has reached the limit of ${limit} running operations on one connection (MAX_SUBSCRIPTIONS). Complete one first.`;
  return new GraphError('TOO_MANY_SUBSCRIPTIONS', message, { limit, actual: limit + 1, setting: 'MAX_SUBSCRIPTIONS' });
}
