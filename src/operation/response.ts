import type { FormattedExecutionResult, GraphQLError } from 'graphql';
import { LEAF_COST } from '../graphql/cost/field-cost.ts';
import { countValues } from '../graphql/executor/count-values.ts';
import { JsonText, type SerializedResult } from '../graphql/executor/index.ts';
import type { JsonChunks } from '../graphql/executor/json-output.ts';
import { formatError, MAX_RESPONSE_ERRORS } from '../graphql/format-error.ts';
import type { SourceEvent } from '../graphql/stream.ts';
import type { Operation } from './operation.ts';

/**
 * Returns `extensions.cost`: the estimated and the actual cost of an operation in the unit of MAX_COST; the number of POSTs and GETs to upstreams,
 * and of the calls in them, retries included; and the compute units of these calls, as hosted nodes bill them. Reads `data` to count its
 * values, so use it only when the client requests the report.
 */
function costReport({ estimate = 0, budget }: Pick<Operation, 'estimate' | 'budget'>, data: JsonText | null) {
  const { spent = 0, requests = 0, calls = 0, computeUnits = 0 } = budget ?? {};
  const actual = Math.ceil(spent + LEAF_COST * (data ? countValues(data.chunks) : 0));
  return { estimate, actual, requests, calls, computeUnits };
}

/** Writes a response as JSON: as one text if `data` is one text. The executor has already written `data` as JSON. */
export function serializeResponse(response: FormattedExecutionResult): JsonChunks {
  const { errors, data, extensions } = response;
  if (!(data instanceof JsonText)) return [JSON.stringify({ errors, data, extensions, ...response })];
  const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`;
  const after = `${extensions ? `,"extensions":${JSON.stringify(extensions)}` : ''}}`;
  const [first] = data.chunks;
  return typeof first === 'string' ? [before + first + after] : [before, ...data.chunks, after];
}

/** The part of an event that its errors contain, so that a client can resume after an event whose data is null. */
export type EventErrorDetail = Pick<SourceEvent, 'cursor' | 'removed'>;

/** Formats the response of an executed operation, with its extensions, except in drop-in mode. */
export function formatResult(
  { data, errors }: SerializedResult,
  operation: Pick<Operation, 'requestId' | 'extensions' | 'estimate' | 'budget' | 'event'>,
  hasExtensions = true,
): FormattedExecutionResult {
  const { requestId, event } = operation;
  const response: FormattedExecutionResult = { data: data as unknown as Record<string, unknown> | null };
  if (errors) response.errors = errors.map((error) => formatWithRequestId(requestId, error, event));
  if (!hasExtensions) return response;
  const details =
    operation.estimate === undefined ? operation.extensions : { ...operation.extensions, cost: costReport(operation, data) };
  if (Object.keys(details).length > 0) response.extensions = details;
  return response;
}

/** Formats the errors of an operation that has not executed, at most MAX_RESPONSE_ERRORS. */
export const formatRequestErrors = (errors: readonly GraphQLError[], requestId: string, event?: EventErrorDetail) =>
  errors.slice(0, MAX_RESPONSE_ERRORS).map((error) => formatWithRequestId(requestId, error, event));

const formatWithRequestId = (requestId: string, error: GraphQLError, { cursor, removed }: EventErrorDetail = {}) => {
  const formatted = formatError(error.toJSON(), error);
  const detail = { ...(cursor !== undefined && { cursor }), ...(removed !== undefined && { removed }) };
  return { ...formatted, extensions: { ...formatted.extensions, ...detail, requestId } };
};
