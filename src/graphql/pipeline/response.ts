import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Operation } from '../domain.ts';
import { JsonText, type SerializedResult } from '../executor/index.ts';
import type { JsonChunks } from '../executor/json-output.ts';
import type { SourceEvent } from '../stream.ts';
import { costReport } from './cost/cost-report.ts';
import { formatError, MAX_RESPONSE_ERRORS } from './format-error.ts';

/** Writes a response as JSON: a short one as one text. The executor has already written its data. */
export function serializeResponse({ errors, data, extensions, ...rest }: FormattedExecutionResult): JsonChunks {
  if (!(data instanceof JsonText)) return [JSON.stringify({ errors, data, extensions, ...rest })];
  const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`;
  const after = `${extensions ? `,"extensions":${JSON.stringify(extensions)}` : ''}}`;
  const [first] = data.chunks;
  return typeof first === 'string' ? [before + first + after] : [before, ...data.chunks, after];
}

/** Identifies an event in its errors, so that a client can resume after an event whose data is null. */
export type EventErrorDetail = Pick<SourceEvent, 'cursor' | 'removed'>;

/** Formats the response of an executed operation, with its extensions unless the mode of the server has none. */
export function formatResult(
  { data, errors }: SerializedResult,
  operation: Pick<Operation, 'requestId' | 'extensions' | 'estimate' | 'budget' | 'event'>,
  hasExtensions = true,
): FormattedExecutionResult {
  const { requestId, event } = operation;
  const formatted = errors && { errors: errors.map((error) => formatWithRequestId(requestId, error, event)) };
  if (!hasExtensions) return { ...formatted, data: data as unknown as Record<string, unknown> | null };
  const details =
    operation.estimate === undefined ? operation.extensions : { ...operation.extensions, cost: costReport(operation, data) };
  const extensions = Object.keys(details).length > 0 && { extensions: details };
  return { ...formatted, data: data as unknown as Record<string, unknown> | null, ...extensions };
}

/** Formats the errors of an operation that has not executed. */
export const formatRequestErrors = (
  errors: readonly GraphQLError[],
  requestId: string,
  event?: EventErrorDetail,
): GraphQLFormattedError[] => truncateErrors(errors.map((error) => formatWithRequestId(requestId, error, event)));

/** Limits the errors of a response without data. `documentLimitsRule` repeats its error, so one of these is enough. */
const truncateErrors = (errors: readonly GraphQLFormattedError[]): GraphQLFormattedError[] =>
  errors.slice(0, errors[0]?.extensions?.code === 'QUERY_TOO_COMPLEX' ? 1 : MAX_RESPONSE_ERRORS);

const formatWithRequestId = (
  requestId: string,
  error: GraphQLError,
  { cursor, removed }: EventErrorDetail = {},
): GraphQLFormattedError => {
  const formatted = formatError(error.toJSON(), error);
  const detail = { ...(cursor !== undefined && { cursor }), ...(removed !== undefined && { removed }) };
  return { ...formatted, extensions: { ...formatted.extensions, ...detail, requestId } };
};
