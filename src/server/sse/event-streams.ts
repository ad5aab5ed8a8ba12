import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { EncodedBody, type EncodedEvent } from '../../graphql/subscriptions/event-execution.ts';
import type { SubscribingConnection } from '../../graphql/subscriptions/subscription-costs.ts';
import { GraphError } from '../../lib/errors.ts';
import type { Caller } from '../../operation/operation.ts';
import { OperationRun, type TransportSink } from '../../operation/operation-runner.ts';
import { identityExpiredErrors, onExpiry } from '../callers/caller-reader.ts';
import { subscribingClient } from '../callers/rate-limits.ts';
import type { ConnectedClient, ConnectionTiming } from '../clients/client-registry.ts';
import { type ClientBuffers, ClientStream, MAX_COPIED_BYTES } from '../clients/client-stream.ts';
import type { ServerContext } from '../context.ts';
import { NO_STORE, PRIVATE_NO_STORE, SHUTTING_DOWN, sendError } from '../requests/http-errors.ts';
import { BLOCK_HEADER, EVENT_STREAM_TYPE, type ParsedRequest } from '../requests/request-options.ts';

const COMMENT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';
const NEXT = Buffer.from('event: next\ndata: ');
const END = Buffer.from('\n\n');

/** Responds with an event stream: GraphQL over SSE in distinct connections mode, one operation per request. */
export function createEventStreamHandler(context: ServerContext) {
  const { pipeline, addressOf, isDraining, isDropIn } = context;
  return (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest): FastifyReply => {
    // Node does not report the disconnect of a pipelined response that waits for an earlier response.
    if (!reply.raw.socket)
      throw new GraphError('BAD_REQUEST', 'An event stream cannot follow another response. Open a connection for it.');
    if (isDraining()) return sendError(reply, SHUTTING_DOWN);
    // The client has disconnected while the keys that verify its token were read; no `close` follows.
    if (reply.raw.destroyed) return reply.hijack();
    // Fastify retains the request, and its body, until the response ends.
    request.body = undefined;
    reply.hijack();
    const { caller } = parsed.options;
    const headers = {
      ...reply.getHeaders(),
      'content-type': EVENT_STREAM_TYPE,
      // Proxies must forward events immediately and store no events. The events for a caller may contain data of the caller.
      'cache-control': `${caller ? PRIVATE_NO_STORE : NO_STORE}, no-transform`,
      'x-accel-buffering': 'no',
    };
    const client = subscribingClient(caller, addressOf(request.raw.socket, request.headers));
    const stream = new EventStream(reply.raw, headers as Record<string, string>, context, client);
    // In drop-in mode the header of a response names the block that was read, so the header is sent after the
    // execution.
    if (!isDropIn) stream.begin();
    const options = { ...parsed.options, connection: stream };
    stream.run = new OperationRun(context, () => pipeline.preparer.prepare(parsed.request, options), stream, options);
    stream.endOnExpiry(caller, request.id);
    return reply;
  };
}

export type EventStreamHandler = ReturnType<typeof createEventStreamHandler>;

/** One response that is an event stream. */
class EventStream
  extends ClientStream<ServerResponse>
  implements TransportSink, ConnectedClient, ClientBuffers, SubscribingConnection
{
  readonly kind = 'events';
  readonly client: string | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  readonly #timing: ConnectionTiming;
  /** Undefined until the operation starts. */
  run: OperationRun | undefined;

  constructor(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { clients, connections, sharedEvents, timing }: ServerContext,
    client: string | undefined,
  ) {
    super(response, sharedEvents);
    this.client = client;
    this.#headers = headers;
    this.#timing = timing;
    const { socket } = response;
    clients.add(this);
    connections.setBuffers(socket!, this);
    // Of the socket: from Node 22 on, a corked response whose chunks are shorter than its buffer emits no `drain`.
    const flush = () => this.run?.flush();
    socket!.on('drain', flush);
    response.on('close', () => {
      socket!.off('drain', flush);
      this.run?.stop();
      clients.remove(this);
      connections.setBuffers(socket!, undefined);
    });
    // `close` follows every error and cleans up.
    response.on('error', () => {});
  }

  get queuedBytes(): number {
    return this.run?.queuedBytes ?? 0;
  }

  begin(block?: string): void {
    if (!this.#headers) return;
    this.stream.writeHead(200, { ...this.#headers, ...(block !== undefined && { [BLOCK_HEADER]: block }) }).write(COMMENT);
    this.#headers = undefined;
  }

  send(event: EncodedEvent): void {
    if (event.body.length > MAX_COPIED_BYTES) this.writeShared(NEXT, event, END);
    else this.stream.write(Buffer.concat([NEXT, ...event.body.chunks, END]));
  }

  /** Sends errors as an event, since an EventSource does not expose the status of a response. */
  end(errors?: readonly GraphQLFormattedError[]): void {
    this.begin();
    if (errors) this.send({ body: new EncodedBody([Buffer.from(JSON.stringify({ errors }))]), cursor: undefined });
    this.stream.end(COMPLETE);
  }

  /** Ends the response and its operation when the identity of its caller expires. */
  endOnExpiry(caller: Caller | undefined, requestId: string): void {
    const cancel = onExpiry(caller, () => {
      if (this.stream.writableEnded) return;
      this.run?.stop();
      this.end(identityExpiredErrors(requestId));
    });
    if (cancel) this.stream.on('close', cancel);
  }

  heartbeat(): void {
    if (!this.#headers && !this.stream.writableEnded && !this.isFull()) this.stream.write(COMMENT);
  }

  /** Ends a subscription without `complete`, so that the client reconnects. */
  drain(): void {
    if (this.stream.destroyed || !this.run?.isSubscribed) return;
    this.run.stop();
    this.stream.end();
    const timer = setTimeout(() => this.terminate(), this.#timing.closeTimeoutMs);
    this.stream.once('close', () => clearTimeout(timer));
  }

  terminate(): void {
    this.stream.destroy();
  }
}
