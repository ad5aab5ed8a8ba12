import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { GraphError } from '../../errors.ts';
import { toData, toQuantity } from '../../ethereum/hex.ts';
import type { OperationOrigin, Transport } from '../../graphql/domain.ts';
import { parseMinBlock } from '../../graphql/pipeline/min-block.ts';
import type { RequestOptions } from '../../graphql/pipeline/prepare.ts';
import { parseTraceContext } from '../../trace-context.ts';
import { BLOCK_HEADER } from './block-header.ts';

/** Header with the minimum height of the block that an operation reads. */
const MIN_BLOCK_HEADER = 'x-graph-min-block';

/** Header that requests `extensions.cost`, with the value 1. */
const COST_HEADER = 'x-graph-cost';

/** Whether the headers request the cost of the operation. */
export const isCostRequested = (headers: IncomingHttpHeaders): boolean => headers[COST_HEADER] === '1';

/** Reads the options of an HTTP request from its method and headers. Throws BAD_USER_INPUT for an invalid block or minimum block. */
export const requestOptionsOf = (
  { id, method, headers }: FastifyRequest,
  transport: Transport,
  { caller, rateLimitKey }: Pick<RequestOptions, 'caller'> & Pick<OperationOrigin, 'rateLimitKey'> = {},
): RequestOptions => ({
  requestId: id,
  caller,
  origin: { transport, receivedAt: performance.now(), trace: parseTraceContext(headers), rateLimitKey },
  block: requestedBlock(headers),
  minBlock: requestedMinBlock(headers),
  isGet: method === 'GET',
  showsCost: isCostRequested(headers),
});

/** Returns the requested block as a hash or a number in 0x-hex; undefined without the header. */
function requestedBlock(headers: IncomingHttpHeaders): string | undefined {
  const text = headers[BLOCK_HEADER];
  if (text === undefined || text === '') return undefined;
  const block = toData(text, 32) ?? toQuantity(text, 64);
  if (block !== undefined) return block;
  throw new GraphError(
    'BAD_USER_INPUT',
    `Invalid header ${BLOCK_HEADER}. Send a block hash, or a block number in decimal or 0x-hex.`,
  );
}

/** Returns the minimum height that the headers require; undefined without the header. */
function requestedMinBlock(headers: IncomingHttpHeaders): bigint | undefined {
  const text = headers[MIN_BLOCK_HEADER];
  if (text === undefined || text === '') return undefined;
  return parseMinBlock(text, `header ${MIN_BLOCK_HEADER}`);
}
