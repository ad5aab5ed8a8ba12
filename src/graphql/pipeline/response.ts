import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Operation } from '../domain.ts';
import { JsonText, type SerializedResult } from '../executor/index.ts';
import type { SourceEvent } from '../stream.ts';
import { costReport } from './cost/cost-report.ts';
import { MAX_RESPONSE_ERRORS } from './documents.ts';
import { formatError } from './format-error.ts';

/** An answer as it is sent: its data is text already. */
export function serializeResponse({ errors, data, extensions, ...rest }: FormattedExecutionResult): string {
  if (!(data instanceof JsonText)) return JSON.stringify({ errors, data, extensions, ...rest });
  const before = errors ? `"errors":${JSON.stringify(errors)},` : '';
  const after = extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
  return `{${before}"data":${data.text}${after}}`;
}

/** Names an event in its errors, so that a client can continue behind an event whose data is null. */
export type EventErrorDetail = Pick<SourceEvent, 'cursor' | 'removed'>;

/** The answer of an operation that has run, with what it reports beside its data. */
export function formatResult(
  { data, errors }: SerializedResult,
  operation: Pick<Operation, 'requestId' | 'extensions' | 'estimate' | 'meter' | 'event'>,
): FormattedExecutionResult {
  const { requestId, meter, event } = operation;
  const shown = meter?.isExhausted ? errors && truncateLimitErrors(errors, meter.error) : errors;
  const formatted = shown && { errors: shown.map((error) => formatWithRequestId(requestId, error, event)) };
  const told =
    operation.estimate === undefined ? operation.extensions : { ...operation.extensions, cost: costReport(operation, data) };
  const extensions = Object.keys(told).length > 0 && { extensions: told };
  return { ...formatted, data: data as unknown as Record<string, unknown> | null, ...extensions };
}

/** The limit of calls can end thousands of fields at once, each with the same error: the first ones are enough. */
function truncateLimitErrors(errors: readonly GraphQLError[], limit: Error): readonly GraphQLError[] {
  let count = 0;
  return errors.filter(({ originalError }) => originalError !== limit || ++count <= MAX_RESPONSE_ERRORS);
}

/** The errors of an operation that has not run, as they are sent. */
export const formatRequestErrors = (
  errors: readonly GraphQLError[],
  requestId: string,
  event?: EventErrorDetail,
): GraphQLFormattedError[] => truncateErrors(errors.map((error) => formatWithRequestId(requestId, error, event)));

/** What is told of a request without data: what refuses a document says so once, see limitsRule, and nobody needs a hundred others. */
export const truncateErrors = (errors: readonly GraphQLFormattedError[]): GraphQLFormattedError[] =>
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
