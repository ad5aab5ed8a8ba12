import { randomUUID } from 'node:crypto';
import type { FormattedExecutionResult } from 'graphql';
import type { Operation } from '../domain.ts';
import { encodeUtf8, type JsonChunks } from '../executor/json-output.ts';
import type { SourceEvent } from '../stream.ts';
import type { EventExecutor } from '../subscriptions/event-execution.ts';
import { EncodedBody } from '../subscriptions/operation-sink.ts';
import type { OperationPipeline } from './pipeline.ts';
import type { PreparedOperation } from './prepare.ts';
import { serializeResponse } from './response.ts';

/** Creates a function that executes a subscription over each event, as an operation of its own. */
export const createEventExecutor =
  (pipeline: OperationPipeline, prepared: PreparedOperation): EventExecutor =>
  async (event) => {
    const { cursor, revokes } = event;
    const { operation, end } = pipeline.operations.begin(randomUUID(), blockOf(event, pipeline));
    const result = await pipeline.execute(prepared, { ...operation, event }, event.root).finally(end);
    const isBlockMissing = result.errors !== undefined && isMissingBlock(event, result, operation, pipeline);
    return { body: encodeBody(serializeResponse(result)), cursor, revokes, isBlockMissing };
  };

/** The block at which an event is read. No later event revokes one without a cursor, so after its block is removed it is read at the head. */
const blockOf = ({ block, cursor }: SourceEvent, pipeline: OperationPipeline): string | undefined =>
  block !== undefined && cursor === undefined && pipeline.isRemoved(block) ? undefined : block;

/** Whether an event has errors because the node lacks the event's block or because a reorg has removed the head at which it was read. */
function isMissingBlock(
  { block, cursor }: SourceEvent,
  { errors = [] }: FormattedExecutionResult,
  { extensions: { block: readBlock } }: Operation,
  pipeline: OperationPipeline,
): boolean {
  const codes = new Set(errors.map(({ extensions }) => (extensions?.retryable ? extensions.code : undefined)));
  if (codes.has('STALE_UPSTREAM')) return true;
  if (!codes.has('BLOCK_NOT_AVAILABLE')) return false;
  const readHash = (readBlock as { readonly hash?: string } | undefined)?.hash;
  return (block !== undefined && cursor !== undefined) || (readHash !== undefined && pipeline.isRemoved(readHash));
}

/** Encodes a response in UTF-8. */
export const encodeBody = (chunks: JsonChunks): EncodedBody =>
  new EncodedBody(chunks.map((chunk) => (typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)));
