import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { GraphError } from '../../errors.ts';
import type { OperationRun, OperationRunner, TransportSink } from '../../graphql/pipeline/operation-runner.ts';
import { EncodedBody, type EncodedEvent } from '../../graphql/subscriptions/operation-sink.ts';
import type { SubscribingConnection } from '../../graphql/subscriptions/subscription-costs.ts';
import type { ClientAddressReader } from '../clients/client-address.ts';
import type { ClientRegistry, ConnectedClient } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import { StallDetector } from '../clients/stall-detector.ts';
import { EVENT_STREAM_TYPE, type ParsedRequest } from '../requests/graph-request.ts';
import { CONNECTION_LIMIT_MESSAGE, sendError } from '../requests/http-errors.ts';

const COMMENT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';
const NEXT = Buffer.from('event: next\ndata: ');
const END = Buffer.from('\n\n');

/** Makes proxies forward events immediately. */
const NO_BUFFERING_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

export interface EventStreamOptions {
  readonly run: OperationRunner;
  readonly clients: ClientRegistry;
  readonly addressOf: ClientAddressReader;
  readonly timing: ConnectionTiming;
}

/** Responds with an event stream: GraphQL over SSE in distinct connections mode, one operation per request. */
export function createEventStreamHandler({ run, clients, addressOf, timing }: EventStreamOptions) {
  return (request: FastifyRequest, reply: FastifyReply, parsed: ParsedRequest): FastifyReply => {
    // Node does not report the disconnect of a pipelined response that waits for an earlier one.
    if (!reply.raw.socket)
      throw new GraphError('BAD_REQUEST', 'An event stream cannot follow another response. Open a connection for it.');
    if (clients.isFull) return sendError(reply, 503, 'TOO_MANY_SUBSCRIPTIONS', CONNECTION_LIMIT_MESSAGE, request.id);
    // Fastify retains the request, and its body, until the response ends.
    request.body = undefined;
    reply.hijack();
    const headers = { ...reply.getHeaders(), 'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`, ...NO_BUFFERING_HEADERS };
    reply.raw.writeHead(200, headers as Record<string, string>).write(COMMENT);
    const stream = new EventStream(reply.raw, timing, clients, addressOf(request.raw.socket, request.headers));
    clients.add(stream);
    stream.start((sink) => run(parsed.request, sink, { ...parsed.options, connection: stream }));
    return reply;
  };
}

/** One response that is an event stream. */
class EventStream implements TransportSink, ConnectedClient, SubscribingConnection {
  readonly kind = 'events';
  readonly clientAddress: string | undefined;
  readonly #response: ServerResponse;
  readonly #timing: ConnectionTiming;
  readonly #stall: StallDetector;
  #run: OperationRun | undefined;

  constructor(response: ServerResponse, timing: ConnectionTiming, clients: ClientRegistry, clientAddress: string | undefined) {
    this.clientAddress = clientAddress;
    this.#response = response;
    this.#timing = timing;
    this.#stall = new StallDetector(response, {
      stallTimeoutMs: timing.stallTimeoutMs,
      disconnect: () => this.terminate(),
      resume: () => this.#run?.flush(),
    });
    response.once('close', () => {
      this.#stall.stop();
      this.#run?.stop();
      clients.remove(this);
    });
    // `close` follows every error and cleans up.
    response.on('error', () => {});
  }

  start(run: (sink: TransportSink) => OperationRun): void {
    this.#run = run(this);
  }

  isFull(): boolean {
    return this.#stall.isFull();
  }

  send({ body }: EncodedEvent): void {
    this.#response.cork();
    for (const chunk of [NEXT, ...body.chunks, END]) this.#response.write(chunk);
    this.#response.uncork();
  }

  /** Sends errors as an event, since an EventSource does not expose the status of a response. */
  end(errors?: readonly GraphQLFormattedError[]): void {
    if (errors) this.send({ body: new EncodedBody([Buffer.from(JSON.stringify({ errors }))]), cursor: undefined });
    this.#response.end(COMPLETE);
    this.#stall.start();
  }

  heartbeat(): void {
    if (!this.#response.writableEnded && !this.isFull()) this.#response.write(COMMENT);
  }

  /** Ends a subscription without `complete`, so that the client reconnects. */
  drain(): void {
    if (!this.#run?.isSubscribed) return;
    this.#run.stop();
    this.#response.end();
    this.#stall.stop();
    this.#stall.start(this.#timing.closeTimeoutMs);
  }

  terminate(): void {
    this.#response.destroy();
  }
}
