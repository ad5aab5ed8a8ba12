import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { SubscribePayload } from 'graphql-ws';
import { parseTraceContext } from '../../lib/trace-context.ts';
import type { OperationOrigin, Transport } from '../../operation/operation.ts';
import type { GraphRequest, RequestOptions } from '../../operation/request.ts';
import { blocksOfChains, parseBlock, parseMinBlocks, parseValuesOfChains } from '../../operation/request-checks.ts';
import { parseVerification } from '../../operation/trust.ts';

/**
 * Header of a request that names the block to read, and in drop-in mode header of a response with the hash of the block
 * that was read: a client that sends the header back reads that block again.
 */
export const BLOCK_HEADER = 'x-graph-block';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's `x-request-id` if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`, otherwise a new UUID. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : crypto.randomUUID();
}

/** Header with the minimum height of the block that an operation reads. */
const MIN_BLOCK_HEADER = 'x-graph-min-block';

/** Header with a list of what to verify, which requests `extensions.trust`. */
const VERIFY_HEADER = 'x-graph-verify';

/** Header that requests `extensions.cost`, with the value 1. */
const COST_HEADER = 'x-graph-cost';

/** Whether the headers request the cost of the operation. */
export const isCostRequested = (headers: IncomingHttpHeaders): boolean => headers[COST_HEADER] === '1';

/** Reads the options of an HTTP request from its method and headers. Throws BAD_USER_INPUT for an invalid block, minimum block or list of verifications. */
export function requestOptionsOf(
  { id, method, headers }: FastifyRequest,
  transport: Transport,
  { caller, rateLimitKey }: Pick<RequestOptions, 'caller'> & Pick<OperationOrigin, 'rateLimitKey'> = {},
): RequestOptions {
  const blocks = parseValuesOfChains(headers[BLOCK_HEADER], `header ${BLOCK_HEADER}`, parseBlock);
  const minBlocks = parseMinBlocks(headers[MIN_BLOCK_HEADER], `header ${MIN_BLOCK_HEADER}`);
  return {
    requestId: id,
    caller,
    origin: { transport, receivedAt: performance.now(), trace: parseTraceContext(headers), app: caller?.app, rateLimitKey },
    block: blocks.get(undefined),
    minBlock: minBlocks.get(undefined),
    blocks: blocksOfChains(blocks, minBlocks),
    verify: parseVerification(headers[VERIFY_HEADER], `header ${VERIFY_HEADER}`),
    isGet: method === 'GET',
    showsCost: isCostRequested(headers),
  };
}

/** The path of the graph, with and without the slash at its end that some clients of geth send. */
const GRAPH_PATH = /^\/graphql\/?(?:\?|$)/;

/** Whether a URL without its origin is the path of the graph. */
export const isGraphPath = (url: string | undefined): boolean => url !== undefined && GRAPH_PATH.test(url);

/** A GraphQL request over HTTP with the options from its headers. */
export interface ParsedRequest {
  readonly request: GraphRequest;
  readonly options: RequestOptions;
}

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Reads a GraphQL request as clients send it: some serialize unset properties as null. */
export const graphRequestOf = (payload: SubscribePayload & { readonly documentId?: unknown }): GraphRequest => ({
  query: payload.query,
  documentId: typeof payload.documentId === 'string' ? payload.documentId : undefined,
  operationName: payload.operationName ?? undefined,
  variables: payload.variables ?? undefined,
  extensions: payload.extensions ?? undefined,
});
