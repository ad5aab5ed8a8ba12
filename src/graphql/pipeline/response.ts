import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Operation } from '../domain.ts';
import { JsonText, type WrittenResult } from '../executor/index.ts';
import type { StreamEvent } from '../stream.ts';
import { costReport } from './cost/cost-report.ts';
import { MAX_ERRORS } from './documents.ts';
import { formatError } from './format-error.ts';

/** An answer as it is sent: its data is text already. */
export function answerText({ errors, data, extensions, ...rest }: FormattedExecutionResult): string {
  if (!(data instanceof JsonText)) return JSON.stringify({ errors, data, extensions, ...rest });
  const before = errors ? `"errors":${JSON.stringify(errors)},` : '';
  const after = extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
  return `{${before}"data":${data.text}${after}}`;
}

/** Names an event in its errors, so that a client can continue behind an event whose data is null. */
export type EventDetail = Pick<StreamEvent, 'cursor' | 'removed'>;

/** The answer of an operation that has run, with what it reports beside its data. */
export function answerOf(
  { data, errors }: WrittenResult,
  operation: Pick<Operation, 'requestId' | 'extensions' | 'estimate' | 'meter' | 'event'>,
): FormattedExecutionResult {
  const { requestId, meter, event } = operation;
  const shown = meter?.isExhausted ? errors && firstOfLimit(errors, meter.error) : errors;
  const formatted = shown && { errors: shown.map((error) => formatFor(requestId, error, event)) };
  const told =
    operation.estimate === undefined ? operation.extensions : { ...operation.extensions, cost: costReport(operation, data) };
  const extensions = Object.keys(told).length > 0 && { extensions: told };
  return { ...formatted, data: data as unknown as Record<string, unknown> | null, ...extensions };
}

/** The limit of calls can end thousands of fields at once, each with the same error: the first ones are enough. */
function firstOfLimit(errors: readonly GraphQLError[], limit: Error): readonly GraphQLError[] {
  let count = 0;
  return errors.filter(({ originalError }) => originalError !== limit || ++count <= MAX_ERRORS);
}

/** The errors of an operation that has not run, as they are sent. */
export const refusalOf = (errors: readonly GraphQLError[], requestId: string, event?: EventDetail): GraphQLFormattedError[] =>
  fewOf(errors.map((error) => formatFor(requestId, error, event)));

/** What is told of a request without data: what refuses a document says so once, see limitsRule, and nobody needs a hundred others. */
export const fewOf = (errors: readonly GraphQLFormattedError[]): GraphQLFormattedError[] =>
  errors.slice(0, errors[0]?.extensions?.code === 'QUERY_TOO_COMPLEX' ? 1 : MAX_ERRORS);

const formatFor = (requestId: string, error: GraphQLError, { cursor, removed }: EventDetail = {}): GraphQLFormattedError => {
  const formatted = formatError(error.toJSON(), error);
  const detail = { ...(cursor !== undefined && { cursor }), ...(removed !== undefined && { removed }) };
  return { ...formatted, extensions: { ...formatted.extensions, ...detail, requestId } };
};
