import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { errorCodes, GraphError, isErrorCode } from '../lib/errors.ts';

/** The part of the logger that failures are written to. */
export interface FailureLog {
  error(detail: object, message: string): void;
}

/** Logs the errors that clients see as INTERNAL_SERVER_ERROR, with their causes. */
export function logFailures(log: FailureLog, errors: readonly GraphQLError[], requestId: string): void {
  for (const error of errors) {
    if (formatError(error.toJSON(), error).extensions?.code !== 'INTERNAL_SERVER_ERROR') continue;
    log.error({ err: rootCause(error), path: error.path, requestId }, 'operation failed');
  }
}

/** Wraps any thrown value in a GraphQLError; its message is replaced when it is formatted. */
export const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });

/** Maximum number of errors in a response without data. */
export const MAX_RESPONSE_ERRORS = 10;
/**
 * Maximum number of errors that graphql-js reports for a document or its variables. Then graphql-js adds one error,
 * which states that it has stopped.
 */
export const MAX_VALIDATION_ERRORS = MAX_RESPONSE_ERRORS - 1;

/** Messages of graphql-js for a resolved value that does not match the schema. All values come from the node. */
const RESULT_MISMATCH =
  /^(?:Cannot return null for non-nullable field (\w+\.\w+)\.|Expected Iterable, but did not find one for field "(\w+\.\w+)")/;
const LEAF_MISMATCH = / cannot represent /;
const LEAF_MISMATCH_MESSAGE = 'The node returned a value that does not match the type of this field.';
/** Messages of graphql-js for a variable that is null, or missing in a list, where the argument accepts no null. */
const MISSING_ARGUMENT = /^Argument "\w+" (?:of (?:non-null|required) type|has invalid value) /;

/** Characters of a long library message after truncation, at its start and its end. The end lists the accepted values. */
const MESSAGE_HEAD_CHARS = 100;
const MESSAGE_TAIL_CHARS = 180;
/** Maximum number of locations of an error: one error can list every position of a document. */
const MAX_LOCATIONS = 4;

/** Shortens a message that quotes a long text of the client. */
const truncateMessage = (message: string): string =>
  message.length <= MESSAGE_HEAD_CHARS + MESSAGE_TAIL_CHARS
    ? message
    : `${message.slice(0, MESSAGE_HEAD_CHARS)} … ${message.slice(-MESSAGE_TAIL_CHARS)}`;

/** Returns the original error inside the wrappers of Apollo Server and graphql-js. */
export function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;
}

/** Converts any error to a GraphError. An unexpected error becomes INTERNAL_SERVER_ERROR with a fixed message. */
export function toGraphError(error: unknown): GraphError {
  const root = rootCause(error);
  if (root instanceof GraphError) return root;
  const message = root instanceof Error ? root.message : '';
  if (MISSING_ARGUMENT.test(message)) return new GraphError('BAD_USER_INPUT', truncateMessage(message));
  const mismatch = RESULT_MISMATCH.exec(message);
  if (mismatch) {
    const field = mismatch[1] ?? mismatch[2];
    return new GraphError('UPSTREAM_BAD_RESPONSE', `The node returned no valid value for ${field}.`, { cause: root });
  }
  if (LEAF_MISMATCH.test(message)) return new GraphError('UPSTREAM_BAD_RESPONSE', LEAF_MISMATCH_MESSAGE, { cause: root });
  return new GraphError('INTERNAL_SERVER_ERROR', 'Something went wrong in this server.', { cause: root });
}

/**
 * Formats an error for the client: with a code of the closed list, and without messages of libraries unless they describe the client's
 * own document or variables.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const position = { ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }), ...(path && { path }) };
  const code = formatted.extensions?.code;
  const root = rootCause(error);
  if (!(root instanceof GraphError) && isErrorCode(code) && code !== 'INTERNAL_SERVER_ERROR') {
    const { retryable, source } = errorCodes[code];
    return { message: truncateMessage(formatted.message), ...position, extensions: { code, retryable, source } };
  }
  const { message, extensions } = toGraphError(error);
  // Copies the extensions, since several requests can share one failure of the node.
  return { message, ...position, extensions: { ...extensions } };
}
