import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { errorCodes, GraphError } from '../../errors.ts';
import { isCostRequested, requestedBlock } from '../../graphql/pipeline/operation-registry.ts';
import type { OperationRun, OperationRunner, OperationSink } from '../../graphql/pipeline/operation-runner.ts';
import type { EncodedEvent } from '../../graphql/subscriptions/operation-sink.ts';
import type { ClientRegistry, ConnectedClient } from '../clients/client-registry.ts';
import type { ConnectionTiming } from '../clients/connection-timing.ts';
import { EVENT_STREAM_TYPE, parseGraphRequest } from '../requests/graph-request.ts';
import { sendError } from '../requests/http-errors.ts';

/** What is written and not yet taken by the network: beyond this, texts wait outside, where they are shared. */
const MAX_BUFFERED_BYTES = 64 * 1024;

const COMMENT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';
const NEXT = Buffer.from('event: next\ndata: ');
const END = Buffer.from('\n\n');

export interface EventStreamOptions {
  readonly run: OperationRunner;
  readonly clients: ClientRegistry;
  readonly timing: ConnectionTiming;
}

/** Answers a request by a stream of events: GraphQL over SSE in its distinct connections mode, one operation a request. */
export function createEventStreamHandler({ run, clients, timing }: EventStreamOptions) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    try {
      // Its turn may never come, and Node would not say that the connection is gone.
      if (!reply.raw.socket)
        throw new GraphError('BAD_REQUEST', 'Another answer comes first: ask for events on a connection of their own.');
      const asked = parseGraphRequest(request);
      // Fastify keeps the request as long as it is answered.
      request.body = undefined;
      const manner = {
        requestId: request.id,
        block: requestedBlock(request),
        isSafe: request.method === 'GET',
        showsCost: isCostRequested(request),
      };
      if (clients.isFull) {
        const message = 'This server has as many connections as it takes (MAX_CONNECTIONS).';
        return sendError(reply, 503, 'TOO_MANY_SUBSCRIPTIONS', message, request.id);
      }
      reply.hijack();
      const headers = { ...reply.getHeaders(), 'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8`, ...NO_BUFFERING_HEADERS };
      reply.raw.writeHead(200, headers as Record<string, string>).write(COMMENT);
      const stream = new EventStream(reply.raw, timing, clients);
      clients.add(stream);
      stream.begin((channel) => run(asked, channel, manner));
      return reply;
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return sendError(reply, errorCodes[error.code].http, error.code, error.message, request.id);
    }
  };
}

/** Whatever lies between is to pass events on as they come. */
const NO_BUFFERING_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

/** One answer that is a stream of events. */
class EventStream implements OperationSink, ConnectedClient {
  readonly kind = 'events';
  readonly #response: ServerResponse;
  readonly #timing: ConnectionTiming;
  #run: OperationRun | undefined;
  /** Runs from the moment in which something had to wait to that in which everything has been taken. */
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, timing: ConnectionTiming, clients: ClientRegistry) {
    this.#response = response;
    this.#timing = timing;
    response.on('drain', () => {
      clearTimeout(this.#stallTimer);
      this.#stallTimer = undefined;
      this.#run?.flush();
    });
    response.once('close', () => {
      clearTimeout(this.#stallTimer);
      this.#run?.stop();
      clients.remove(this);
    });
    // The close that follows says all.
    response.on('error', () => {});
  }

  begin(run: (channel: OperationSink) => OperationRun): void {
    this.#run = run(this);
  }

  /** Whether what is to be written has to wait. Whoever does not read for long after that is let go. */
  isFull(): boolean {
    if (this.#response.writableLength < MAX_BUFFERED_BYTES) return false;
    this.#terminateAfter(this.#timing.stallTimeoutMs);
    return true;
  }

  send({ body }: EncodedEvent): void {
    this.#response.write(Buffer.concat([NEXT, body, END]));
  }

  /** Errors come as an answer: what an EventSource is told by a status, it does not hand on. */
  end(errors?: readonly GraphQLFormattedError[]): void {
    if (errors) this.send({ body: Buffer.from(JSON.stringify({ errors })), cursor: undefined });
    this.#response.end(COMPLETE);
    this.#terminateAfter(this.#timing.stallTimeoutMs);
  }

  heartbeat(): void {
    if (!this.#response.writableEnded && !this.isFull()) this.#response.write(COMMENT);
  }

  /** Ends it without a word, so that the client asks again. */
  drain(): void {
    if (!this.#run?.isSubscribed) return;
    this.#run.stop();
    this.#response.end();
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
    this.#terminateAfter(this.#timing.closeTimeoutMs);
  }

  terminate(): void {
    this.#response.destroy();
  }

  #terminateAfter(ms: number): void {
    this.#stallTimer ??= setTimeout(() => this.terminate(), ms);
  }
}
